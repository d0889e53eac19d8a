//! Requests of suspended runs, in a store.

use std::sync::Arc;
use std::time::Duration;

use exo_rails::{RailContext, Reason};
use exo_rails_policy::approval::OnTimeout;
use serde::{Deserialize, Serialize};

use super::ask::{Answer, Ask, AskError};
use super::request::{ApprovalRequest, Reply};
use super::visible::seconds;
use super::{Approvals, ReplyError};
use crate::store::{Change, Expected, Record, StateStore, StateStoreExt, StoreError, TIME_LIMIT, Version, Write, key};

/// How long the store keeps a request after its time for a reply.
const KEPT: Duration = Duration::from_hours(24 * 30);

/// The number of requests that can be open at once.
const MOST: usize = 10_000;

/// Asks by suspending the run, and stores the request: the process may end, another process lists the open requests and
/// replies, and the run goes on when it is resumed.
///
/// 1. A guard asks. The inbox stores the request in a [`StateStore`], and the run is suspended. The program saves the run, for
///    example with the `Checkpoints` of an agent.
/// 2. Any process that opens the same store lists the [open](Self::open) requests, and [replies](Self::reply). Only the first
///    reply counts.
/// 3. Any process resumes the run. The guard asks again and finds the reply, which is used up. If there is none, the run is
///    suspended again.
///
/// The time for a reply is [`ApprovalRequest::expires_in_ms`], and otherwise the [time of the inbox](Self::with_timeout). When
/// it is over, nobody can reply any more, and the resumed run denies the call. With [`OnTimeout::Suspend`], the request is opened
/// again. The clock is the one of the store.
///
/// Runs that share an inbox need different ids. The default ids are random. If you set an id with
/// [`RunContext::with_run_id`](exo_rails::RunContext::with_run_id), use it for one run only: a request with the id of another one
/// replaces it, and a reply to the old one is refused.
///
/// The inbox also remembers [approvals](Approvals) for the session and for ever, in the same store.
///
/// ```
/// use std::sync::Arc;
///
/// use exo_rails::prelude::*;
/// use exo_rails_agent::{Agent, ScriptedModel};
/// use exo_rails_guards::approval::{Inbox, Reply};
/// use exo_rails_guards::store::MemoryStore;
/// use exo_rails_guards::{Approval, config};
/// use serde_json::{Value, json};
///
/// rail_chain! { struct DeskRails { approval: Approval } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// // A program whose process may end uses a `FileStore` or a `RedisStore`.
/// let inbox = Inbox::new(Arc::new(MemoryStore::new()));
/// let config = config::from_toml("[[rules]]\ntool = 'refund'")?;
/// let rails = DeskRails { approval: Approval::new(config)?.with_asker(Arc::new(inbox.clone())) };
/// let refund = Tool::new("refund", "Pays back.", json!({}), |_: Value| async { Ok::<_, OperationError>("paid") });
/// let model: ScriptedModel = r#"[{ "call": [{ "tool": "refund" }] }, { "say": "You have your money." }]"#.parse()?;
/// let agent = Agent::builder("support", model).tool(refund).rails(rails).build();
///
/// let mut ctx = RunContext::new("support").with_run_id("ticket-7");
/// let suspended = agent.run_in("I want my money back!", &mut ctx).await.unwrap_err().suspended.ok_or("no question")?;
///
/// // Days later, perhaps in another process.
/// for open in inbox.open().await? {
///     assert_eq!(open.request.tool_name, "refund");
///     inbox.reply(&open, Reply::ApproveOnce).await?;
/// }
/// assert_eq!(agent.run(suspended).await?.text, "You have your money.");
/// assert!(inbox.open().await?.is_empty());
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Inbox {
    store: Arc<dyn StateStore>,
    approvals: Approvals,
    timeout: Option<Duration>,
    on_timeout: OnTimeout,
}

/// A request that waits for a reply in an [`Inbox`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OpenRequest {
    /// The request.
    pub request: ApprovalRequest,
    /// The number that tells this request from a later one with the same id.
    pub number: u64,
    /// How long the request has waited, in milliseconds.
    pub waited_ms: u64,
    /// The time that is left for a reply, in milliseconds. `None` if there is no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remaining_ms: Option<u64>,
}

/// The reply to a stored request.
#[derive(Serialize, Deserialize)]
struct StoredReply {
    /// The number of the request.
    number: u64,
    reply: Reply,
}

/// A stored request.
struct Stored {
    request: ApprovalRequest,
    version: Version,
    age: Duration,
}

impl Inbox {
    /// Keeps requests and approvals in a store. Requests have no limit of time, unless they set one themselves.
    #[must_use]
    pub fn new(store: Arc<dyn StateStore>) -> Self {
        let approvals = Approvals::new(Arc::clone(&store));
        Self { store: store.within(TIME_LIMIT), approvals, timeout: None, on_timeout: OnTimeout::Deny }
    }

    /// Sets the time for a reply to requests that do not set one themselves.
    #[must_use]
    pub const fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets what happens after this time with requests that do not say it themselves. Default: the call is denied.
    #[must_use]
    pub const fn with_on_timeout(mut self, on_timeout: OnTimeout) -> Self {
        self.on_timeout = on_timeout;
        self
    }

    /// Sets the place where approvals for the session and for ever are remembered. Default: the store of the inbox.
    #[must_use]
    pub fn with_approvals(mut self, approvals: Approvals) -> Self {
        self.approvals = approvals;
        self
    }

    /// Returns the requests that wait for a reply, from the oldest.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn open(&self) -> Result<Vec<OpenRequest>, StoreError> {
        let mut open = Vec::new();
        for id in self.ids().await? {
            let Some(stored) = self.stored(&id).await? else { continue };
            let remaining = self.remaining(&stored);
            if remaining == Some(Duration::ZERO) || self.reply_to(&stored).await?.is_some() {
                continue;
            }
            let (waited_ms, remaining_ms) = (millis(stored.age), remaining.map(millis));
            open.push(OpenRequest { request: stored.request, number: stored.version.0, waited_ms, remaining_ms });
        }
        Ok(open)
    }

    /// Replies to a request. The run goes on when it is resumed.
    ///
    /// # Errors
    /// Returns an error, and the reply does not count, if there is a reply already, if the time is over, if the request was
    /// withdrawn or replaced, if it does not offer this reply, or if the store fails.
    pub async fn reply(&self, open: &OpenRequest, reply: Reply) -> Result<(), ReplyError> {
        let id = &open.request.id;
        let stored = self.stored(id).await?.ok_or(ReplyError::Withdrawn)?;
        if stored.version.0 != open.number || stored.request != open.request {
            return Err(ReplyError::OtherRequest);
        }
        if self.remaining(&stored) == Some(Duration::ZERO) {
            return Err(ReplyError::Expired);
        }
        stored.request.check(&reply)?;
        let number = stored.version.0;
        let expires_in = self.kept_for(&stored.request);
        // Nobody can tell which of two replies the person meant. So the first one counts.
        let key = reply_key(id);
        let replied = self.store.update(&key, |known: Option<StoredReply>| match known {
            Some(known) if known.number == number => (Change::Keep, false),
            _ => (Change::Put(StoredReply { number, reply: reply.clone() }, Some(expires_in)), true),
        });
        if replied.await? { Ok(()) } else { Err(ReplyError::AlreadyReplied) }
    }

    /// Removes a request, for example because its run will not be resumed. Returns whether it was there.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn withdraw(&self, open: &OpenRequest) -> Result<bool, StoreError> {
        let expected = Expected::Version(Version(open.number));
        let removed = self.store.compare_and_set(&request_key(&open.request.id), expected, Write::Remove).await?;
        if removed.is_ok() {
            self.forget(&open.request.id).await?;
        }
        Ok(removed.is_ok())
    }

    /// Returns the answer to a request that is stored. `None` if it is not stored, or still open.
    pub(super) async fn found(&self, request: &ApprovalRequest) -> Result<Option<Answer>, AskError> {
        let Some(stored) = self.stored(&request.id).await?.filter(|stored| stored.request == *request) else {
            return Ok(None);
        };
        if let Some(reply) = self.reply_to(&stored).await? {
            // If two processes resume the run, only one of them has the reply.
            return Ok(self.remove(&stored).await?.then_some(Answer::Now(reply)));
        }
        let is_over = self.remaining(&stored) == Some(Duration::ZERO);
        let denies = request.on_timeout.unwrap_or(self.on_timeout) == OnTimeout::Deny;
        if !is_over || !self.remove(&stored).await? || !denies {
            return Ok(None);
        }
        let time = seconds(self.limit(request).unwrap_or_default());
        Ok(Some(Answer::Nobody(Reason::new(format!("no person replied within {time}, so the call is denied")))))
    }

    /// Stores a request, unless it is stored already.
    pub(super) async fn put(&self, request: &ApprovalRequest, ctx: &RailContext) -> Result<Answer, AskError> {
        let later = Answer::Later(request.question(ctx));
        let stored = self.stored(&request.id).await?;
        if stored.as_ref().is_some_and(|stored| stored.request == *request) {
            return Ok(later);
        }
        self.note(&request.id).await?;
        self.store.write(&request_key(&request.id), request, Some(self.kept_for(request))).await?;
        Ok(later)
    }

    async fn stored(&self, id: &str) -> Result<Option<Stored>, StoreError> {
        let key = request_key(id);
        let Some(Record { value, version, age }) = self.store.get(&key).await? else { return Ok(None) };
        let request = serde_json::from_slice(&value)
            .map_err(|_| StoreError::Invalid { key, type_name: std::any::type_name::<ApprovalRequest>() })?;
        Ok(Some(Stored { request, version, age }))
    }

    async fn reply_to(&self, stored: &Stored) -> Result<Option<Reply>, StoreError> {
        let reply: Option<StoredReply> = self.store.read(&reply_key(&stored.request.id)).await?;
        Ok(reply.filter(|reply| reply.number == stored.version.0).map(|reply| reply.reply))
    }

    /// Removes a request, unless another process has done so.
    async fn remove(&self, stored: &Stored) -> Result<bool, StoreError> {
        let id = &stored.request.id;
        let expected = Expected::Version(stored.version);
        let removed = self.store.compare_and_set(&request_key(id), expected, Write::Remove).await?;
        if removed.is_err() {
            return Ok(false);
        }
        self.forget(id).await?;
        Ok(true)
    }

    /// Removes what belongs to a request that is removed.
    async fn forget(&self, id: &str) -> Result<(), StoreError> {
        self.store.remove(&reply_key(id)).await?;
        let key = ids_key();
        let forgotten = self.store.update(&key, |ids: Option<Vec<String>>| {
            let mut ids = ids.unwrap_or_default();
            let before = ids.len();
            ids.retain(|known| known != id);
            (if ids.len() < before { Change::Put(ids, None) } else { Change::Keep }, ())
        });
        forgotten.await
    }

    async fn ids(&self) -> Result<Vec<String>, StoreError> {
        Ok(self.store.read(&ids_key()).await?.unwrap_or_default())
    }

    /// Adds the id of a request to the list.
    async fn note(&self, id: &str) -> Result<(), StoreError> {
        let gone = if self.ids().await?.len() < MOST { Vec::new() } else { self.gone().await? };
        let key = ids_key();
        let noted = self.store.update(&key, |ids: Option<Vec<String>>| {
            let mut ids = ids.unwrap_or_default();
            ids.retain(|known| known != id && !gone.contains(known));
            if ids.len() >= MOST {
                return (Change::Keep, false);
            }
            ids.push(id.to_owned());
            (Change::Put(ids, None), true)
        });
        let message = || format!("{MOST} requests for approvals are open: reply to some of them, or withdraw them");
        if noted.await? { Ok(()) } else { Err(StoreError::Full(message())) }
    }

    /// Returns the ids in the list whose requests have expired.
    async fn gone(&self) -> Result<Vec<String>, StoreError> {
        let mut gone = Vec::new();
        for id in self.ids().await? {
            if self.store.get(&request_key(&id)).await?.is_none() {
                gone.push(id);
            }
        }
        Ok(gone)
    }

    /// Returns the time for a reply.
    fn limit(&self, request: &ApprovalRequest) -> Option<Duration> {
        request.expires_in_ms.map(Duration::from_millis).or(self.timeout)
    }

    /// Returns the time that is left for a reply. It is 0 from the end of the time on.
    fn remaining(&self, stored: &Stored) -> Option<Duration> {
        Some(self.limit(&stored.request)?.saturating_sub(stored.age))
    }

    fn kept_for(&self, request: &ApprovalRequest) -> Duration {
        self.limit(request).unwrap_or_default().saturating_add(KEPT)
    }
}

impl Ask for Inbox {
    async fn ask(&self, request: &ApprovalRequest, ctx: &mut RailContext) -> Result<Answer, AskError> {
        match self.found(request).await? {
            Some(answer) => Ok(answer),
            None => self.put(request, ctx).await,
        }
    }

    fn approvals(&self) -> Option<&Approvals> {
        Some(&self.approvals)
    }
}

fn request_key(id: &str) -> String {
    key(["approval", "request", id])
}

fn reply_key(id: &str) -> String {
    key(["approval", "reply", id])
}

fn ids_key() -> String {
    key(["approval", "requests"])
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
