//! Approvals that are remembered.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use exo_rails_policy::approval::Remember;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ApprovalRequest;
use crate::store::{Change, StateStore, StateStoreExt, StoreError, TIME_LIMIT, key};

/// The number of approvals under one key. The oldest are forgotten first.
const MOST: usize = 500;

/// The size of a scope that is remembered, in bytes.
const LARGEST: usize = 64 * 1024;

/// Approvals for the session and for ever, in a [`StateStore`].
///
/// An approval is valid for exactly what the person has seen: the agent, the guard, the rule, the tool and the arguments. See
/// [`ApprovalRequest::scope`]. It is not valid for other users: give each user a
/// [namespace](crate::store::StateStoreExt::namespace) of the store.
///
/// If the arguments have placeholders of [`PersonalData`](crate::PersonalData), the approval is valid for the values behind them,
/// in all runs, and not for the placeholders. The store then has a hash of the values, and a random key for the hashes. So a
/// person who can read the whole store can test a guess, but does not see the values. [`add`](Self::add) and
/// [`cover`](Self::cover) do not know the values, and compare the placeholders.
///
/// An approval for the session needs a [session](exo_rails::RunContext::with_session). It ends with
/// [`end_session`](Self::end_session), or after 24 hours without a new approval in the session. In a run without a session, it
/// is a value in `ctx.session`, and no store has it.
///
/// The store keeps at most 500 approvals for each session, and 500 for ever. The oldest are forgotten first, and a person is
/// asked again. Calls with arguments of more than 64 KiB are approved once only.
///
/// ```
/// use std::sync::Arc;
///
/// use exo_rails::prelude::*;
/// use exo_rails_guards::approval::{ApprovalRequest, Approvals, Remember};
/// use exo_rails_guards::store::MemoryStore;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), exo_rails_guards::StoreError> {
/// let approvals = Approvals::new(Arc::new(MemoryStore::new()));
/// let call = ToolCallInputs::new("deploy");
/// let request = ApprovalRequest::new("approval", "deploy", &call, "releases need approval", &RunContext::new("release"));
/// approvals.add(&request, Remember::Forever, None).await?;
/// assert!(approvals.cover(&request, None).await?);
///
/// let stored = approvals.list().await?;
/// assert_eq!((stored[0].tool_name.as_str(), stored[0].remember), ("deploy", Remember::Forever));
/// assert!(approvals.revoke(&stored[0]).await?);
/// assert!(!approvals.cover(&request, None).await?);
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Approvals {
    store: Arc<dyn StateStore>,
    session_lasts: Duration,
}

/// An approval that is remembered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StoredApproval {
    /// How long it is remembered.
    pub remember: Remember,
    /// The id of the session, for an approval of a session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The agent that may make the call.
    pub agent: String,
    /// The tool.
    pub tool_name: String,
    /// The arguments.
    pub arguments: Value,
    /// The guard that asked, and its rule, such as `permissions/refunds`.
    pub asked_by: String,
    /// Why the guard asked.
    pub reason: String,
    /// The time of the approval, in milliseconds since the beginning of 1970 in UTC, by the clock of the process that asked.
    pub approved_at_ms: u64,
    /// The [scope](ApprovalRequest::scope) of the request.
    scope: String,
}

impl Approvals {
    /// Keeps approvals in a store.
    #[must_use]
    pub fn new(store: Arc<dyn StateStore>) -> Self {
        Self { store: store.within(TIME_LIMIT), session_lasts: Duration::from_hours(24) }
    }

    /// Sets the time after which the approvals of a session end, counted from the last approval in it. Default: 24 hours.
    #[must_use]
    pub const fn session_lasts(mut self, time: Duration) -> Self {
        self.session_lasts = time;
        self
    }

    /// Returns whether a person has approved calls like this one in the session, or for ever.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn cover(&self, request: &ApprovalRequest, session: Option<&str>) -> Result<bool, StoreError> {
        self.cover_scope(request, &request.scope(), session).await
    }

    /// As [`cover`](Self::cover), with another scope of the request.
    pub(super) async fn cover_scope(
        &self,
        request: &ApprovalRequest,
        scope: &str,
        session: Option<&str>,
    ) -> Result<bool, StoreError> {
        for (remember, key) in keys(session) {
            // A request that offers less than it did has a stricter configuration now.
            let is_offered = request.remember.contains(&remember);
            if is_offered && self.read(&key).await?.iter().any(|approval| approval.scope == scope) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Remembers that a person has approved calls like this one. Returns whether they are remembered: an approval for the
    /// session needs a session, and arguments of more than 64 KiB are not remembered.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn add(
        &self,
        request: &ApprovalRequest,
        remember: Remember,
        session: Option<&str>,
    ) -> Result<bool, StoreError> {
        self.add_scope(request, request.scope(), remember, session).await
    }

    /// As [`add`](Self::add), with another scope of the request.
    pub(super) async fn add_scope(
        &self,
        request: &ApprovalRequest,
        scope: String,
        remember: Remember,
        session: Option<&str>,
    ) -> Result<bool, StoreError> {
        let found = keys(session).into_iter().find(|(kind, _)| *kind == remember);
        let Some((_, key)) = found.filter(|_| scope.len() <= LARGEST) else { return Ok(false) };
        let (session, expires_in) = match remember {
            Remember::Session => (session, Some(self.session_lasts)),
            Remember::Forever => (None, None),
        };
        let approval = StoredApproval {
            remember,
            session: session.map(str::to_owned),
            agent: request.agent.clone(),
            tool_name: request.tool_name.clone(),
            arguments: request.arguments.clone(),
            asked_by: format!("{}/{}", request.guard, request.rule),
            reason: request.reason.to_string(),
            approved_at_ms: now_ms(),
            scope,
        };
        if let Some(session) = session {
            self.note_session(session).await?;
        }
        let added = self.store.update(&key, |stored: Option<Vec<StoredApproval>>| {
            let mut stored = stored.unwrap_or_default();
            stored.retain(|known| known.scope != approval.scope);
            stored.push(approval.clone());
            let too_many = stored.len().saturating_sub(MOST);
            stored.drain(..too_many);
            (Change::Put(stored, expires_in), ())
        });
        added.await?;
        Ok(true)
    }

    /// Returns the store.
    pub(super) const fn store(&self) -> &Arc<dyn StateStore> {
        &self.store
    }

    /// Returns all approvals that are remembered: those for ever, then those of each session.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn list(&self) -> Result<Vec<StoredApproval>, StoreError> {
        let mut all = self.read(&forever()).await?;
        for session in self.sessions().await? {
            all.extend(self.read(&of_session(&session)).await?);
        }
        Ok(all)
    }

    /// Forgets an approval, so that a person is asked again. Returns whether it was remembered.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn revoke(&self, approval: &StoredApproval) -> Result<bool, StoreError> {
        let (key, expires_in) = match &approval.session {
            Some(session) => (of_session(session), Some(self.session_lasts)),
            None => (forever(), None),
        };
        let revoked = self.store.update(&key, |stored: Option<Vec<StoredApproval>>| {
            let mut stored = stored.unwrap_or_default();
            let before = stored.len();
            stored.retain(|known| known.scope != approval.scope);
            let found = stored.len() < before;
            (if found { Change::Put(stored, expires_in) } else { Change::Keep }, found)
        });
        revoked.await
    }

    /// Forgets the approvals of a session. Call it when the session ends. The guards that ask do so at the event `SessionEnd`.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn end_session(&self, session: &str) -> Result<(), StoreError> {
        self.store.remove(&of_session(session)).await?;
        let key = sessions();
        let forgotten = self.store.update(&key, |known: Option<Vec<String>>| {
            let mut known = known.unwrap_or_default();
            let before = known.len();
            known.retain(|known| known != session);
            (if known.len() < before { Change::Put(known, None) } else { Change::Keep }, ())
        });
        forgotten.await
    }

    async fn read(&self, key: &str) -> Result<Vec<StoredApproval>, StoreError> {
        Ok(self.store.read(key).await?.unwrap_or_default())
    }

    async fn sessions(&self) -> Result<Vec<String>, StoreError> {
        Ok(self.store.read(&sessions()).await?.unwrap_or_default())
    }

    /// Adds a session to the list of sessions, and removes those whose approvals have expired.
    async fn note_session(&self, session: &str) -> Result<(), StoreError> {
        let known = self.sessions().await?;
        if known.iter().any(|known| known == session) {
            return Ok(());
        }
        let mut expired = Vec::new();
        for known in known {
            if self.store.get(&of_session(&known)).await?.is_none() {
                expired.push(known);
            }
        }
        let key = sessions();
        let noted = self.store.update(&key, |known: Option<Vec<String>>| {
            let mut known = known.unwrap_or_default();
            known.retain(|known| known != session && !expired.contains(known));
            known.push(session.to_owned());
            (Change::Put(known, None), ())
        });
        noted.await
    }
}

/// Returns the keys under which approvals are valid in a session.
fn keys(session: Option<&str>) -> Vec<(Remember, String)> {
    let session = session.map(|session| (Remember::Session, of_session(session)));
    session.into_iter().chain([(Remember::Forever, forever())]).collect()
}

fn forever() -> String {
    key(["approval", "forever"])
}

fn of_session(session: &str) -> String {
    key(["approval", "session", session])
}

fn sessions() -> String {
    key(["approval", "sessions"])
}

fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
}
