//! What several processes know together: a list of changes in the store.
//!
//! Each change is a record with a number, and no change is written again. So a process that knows the number of the next change
//! reads one record to see whether there is a new one. Two processes that write a change at the same time want the same number:
//! one of them gets it, and the other one first reads this change.

use std::sync::Arc;
use std::time::Duration;

use exo_rails::RunScope;
use exo_rails_policy::Scope;
use serde::{Deserialize, Serialize};

use super::FlowScope;
use super::guard::{DataFlow, FlowError, LOST};
use super::marks::Form;
use super::state::FlowState;
use crate::limits::scope::ScopeKey;
use crate::store::{Change, Expected, StateStore, StateStoreExt, Write};

/// How long the store keeps a change after it was written.
const KEEP_FOR: Duration = Duration::from_hours(30 * 24);

/// The first record of a run or session. It is written again with each change, so it is the last one to expire.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Head {
    form: Form,
    /// There are at least so many changes.
    changes: u64,
}

impl DataFlow {
    fn shared_store(&self, ctx: &RunScope) -> Option<&Arc<dyn StateStore>> {
        self.config.keep_in_store.then(|| self.store.at(ctx))
    }

    fn record(&self, what: &str, ctx: &RunScope) -> Result<String, FlowError> {
        let scope = match self.config.scope {
            FlowScope::Run => Scope::Run,
            FlowScope::Session => Scope::Session,
        };
        Ok(scope.key(super::guard::GUARD, what, "", ctx)?)
    }

    /// Reads what other processes have learned.
    pub(super) async fn pull(&self, ctx: &RunScope) -> Result<(), FlowError> {
        let Some(store) = self.shared_store(ctx) else { return Ok(()) };
        let changes =
            if self.with(ctx, |state| state.shared.learned.is_none())? { self.join(store, ctx).await? } else { 0 };
        loop {
            let next = self.with(ctx, |state| state.shared.read)?;
            match store.read::<FlowState>(&self.record(&next.to_string(), ctx)?).await? {
                Some(change) => self.merge(next, &change, ctx)?,
                None if next < changes => self.lose(next + 1, ctx)?,
                None => return Ok(()),
            }
        }
    }

    /// Writes what this process has learned.
    pub(super) async fn push(&self, ctx: &RunScope) -> Result<(), FlowError> {
        let Some(store) = self.shared_store(ctx) else { return Ok(()) };
        while let Some((next, change)) = self.with(ctx, next_change)? {
            let record = self.record(&next.to_string(), ctx)?;
            let bytes = serde_json::to_vec(&*change).map_err(FlowError::Saved)?;
            let write = Write::Put(&bytes, Some(KEEP_FOR));
            match store.compare_and_set(&record, Expected::Absent, write).await? {
                Ok(_) => {
                    self.with(ctx, |state| {
                        state.shared.sending.retain(|other| !Arc::ptr_eq(other, &change));
                        state.shared.read = state.shared.read.max(next + 1);
                    })?;
                    self.count(store, next + 1, ctx).await?;
                }
                Err(conflict) => {
                    if let Some(found) = conflict.found {
                        let other = serde_json::from_slice(&found.value).map_err(FlowError::Saved)?;
                        self.merge(next, &other, ctx)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Connects the state of this process with the records. Returns the number of changes that must be there.
    async fn join(&self, store: &Arc<dyn StateStore>, ctx: &RunScope) -> Result<u64, FlowError> {
        let form = self.form(ctx)?;
        let record = self.record("head", ctx)?;
        let (head, is_new) = store
            .update(&record, |found: Option<Head>| {
                if let Some(head) = found {
                    return (Change::Keep, (head, false));
                }
                let head = Head { form, changes: 0 };
                (Change::Put(head, Some(KEEP_FOR)), (head, true))
            })
            .await?;
        self.with(ctx, |state| {
            if state.shared.learned.is_some() {
                return;
            }
            let mut learned = FlowState::default();
            if is_new {
                // For example, a session that began without a store.
                state.shared.read = 0;
                if state.is_lost {
                    state.taint_all(LOST, &self.config.all_labels());
                }
                learned = state.clone();
            } else if head.form != form {
                // Marks of different forms cannot be compared.
                let is_clean = state.is_clean();
                *state = FlowState::default();
                state.form = Some(head.form);
                if !is_clean {
                    state.taint_all(LOST, &self.config.all_labels());
                }
            }
            state.is_lost = false;
            state.shared.learned = Some(Box::new(learned));
        })?;
        Ok(head.changes)
    }

    /// Notes the number of changes, so that a process that reads all of them knows whether one has expired.
    async fn count(&self, store: &Arc<dyn StateStore>, changes: u64, ctx: &RunScope) -> Result<(), FlowError> {
        let form = self.form(ctx)?;
        let note = |found: Option<Head>| {
            let head = found.unwrap_or(Head { form, changes });
            (Change::Put(Head { changes: head.changes.max(changes), ..head }, Some(KEEP_FOR)), ())
        };
        Ok(store.update(&self.record("head", ctx)?, note).await?)
    }

    fn merge(&self, number: u64, change: &FlowState, ctx: &RunScope) -> Result<(), FlowError> {
        self.with(ctx, |state| {
            state.merge(change, self.config.max_marks);
            state.shared.read = state.shared.read.max(number + 1);
        })
    }

    /// Notes that a change is not there any more. Then every value may be tainted.
    fn lose(&self, next: u64, ctx: &RunScope) -> Result<(), FlowError> {
        self.with(ctx, |state| {
            state.taint_all(LOST, &self.config.all_labels());
            state.shared.read = state.shared.read.max(next);
        })
    }
}

/// Returns a change that the store does not have, and the number that it can have.
fn next_change(state: &mut FlowState) -> Option<(u64, Arc<FlowState>)> {
    let shared = &mut state.shared;
    if let Some(learned) = shared.learned.as_mut().filter(|learned| !learned.is_empty()) {
        shared.sending.push(Arc::new(std::mem::take(&mut **learned)));
    }
    shared.sending.first().map(|change| (shared.read, Arc::clone(change)))
}
