//! The end of the channel at which people are.

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

use super::slot::{Ended, IntoResponse, Request, Slot, SlotState};
use crate::approval::{ApprovalRequest, ReplyError, UserQuestion};

/// The requests that wait for a front end. The desks own it together, and it closes with the last of them.
#[derive(Debug, Default)]
pub(super) struct Counter(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    queue: Mutex<Queue>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: VecDeque<Arc<Slot>>,
    front_ends: usize,
    is_closed: bool,
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Counter {
    /// Adds a request. It leaves when the returned value is dropped.
    pub(super) fn line_up(&self, slot: &Arc<Slot>) -> InLine<'_> {
        self.0.queue().waiting.push_back(Arc::clone(slot));
        self.0.changed.notify_waiters();
        InLine { shared: &self.0, slot: Arc::clone(slot) }
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        self.0.queue().is_closed = true;
        self.0.changed.notify_waiters();
    }
}

/// The place of a request that waits, as the run holds it.
pub(super) struct InLine<'s> {
    shared: &'s Shared,
    slot: Arc<Slot>,
}

impl Drop for InLine<'_> {
    fn drop(&mut self) {
        self.slot.end(Ended::Withdrawn);
        self.shared.queue().waiting.retain(|slot| !Arc::ptr_eq(slot, &self.slot));
    }
}

/// The place where people see the requests of a [`Desk`](super::Desk). A front end is free when it calls
/// [`next`](Self::next).
#[derive(Debug)]
pub struct FrontEnd {
    shared: Arc<Shared>,
}

impl FrontEnd {
    pub(super) fn new(counter: &Counter) -> Self {
        counter.0.queue().front_ends += 1;
        Self { shared: Arc::clone(&counter.0) }
    }

    /// Waits for the next request. `None` if all desks are dropped, so there will be no more requests.
    ///
    /// If you drop the future, no request is lost.
    pub async fn next(&mut self) -> Option<Pending> {
        loop {
            let mut changed = pin!(self.shared.changed.notified());
            changed.as_mut().enable();
            {
                let mut queue = self.shared.queue();
                while let Some(slot) = queue.waiting.pop_front() {
                    if slot.is_open() {
                        slot.take();
                        return Some(Pending { held: Arc::new(Held(slot)) });
                    }
                }
                if queue.is_closed {
                    return None;
                }
            }
            changed.await;
        }
    }
}

impl Drop for FrontEnd {
    fn drop(&mut self) {
        let mut queue = self.shared.queue();
        queue.front_ends -= 1;
        if queue.front_ends == 0 {
            queue.waiting.drain(..).for_each(|slot| slot.end(Ended::Abandoned));
        }
    }
}

/// A request that waits for the reply of a person. Clones are the same request.
///
/// If the last clone is dropped without a reply, the call is denied.
#[derive(Clone, Debug)]
pub struct Pending {
    held: Arc<Held>,
}

/// A request in the hands of a front end.
#[derive(Debug)]
struct Held(Arc<Slot>);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.end(Ended::Abandoned);
    }
}

impl Pending {
    /// Returns the request.
    #[must_use]
    pub fn request(&self) -> &Request {
        &self.held.0.request
    }

    /// Returns the request for an approval, if it is one.
    #[must_use]
    pub fn approval(&self) -> Option<&ApprovalRequest> {
        match self.request() {
            Request::Approval(request) => Some(request),
            Request::Question(_) => None,
        }
    }

    /// Returns the question of the model, if it is one.
    #[must_use]
    pub fn question(&self) -> Option<&UserQuestion> {
        match self.request() {
            Request::Question(question) => Some(question),
            Request::Approval(_) => None,
        }
    }

    /// Returns the time that is left for a reply.
    #[must_use]
    pub fn remaining(&self) -> Duration {
        self.held.0.deadline.saturating_duration_since(Instant::now())
    }

    /// Returns whether the run still waits for a reply.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.held.0.is_open()
    }

    /// Waits until the run no longer waits for a reply: there is one, the time is over, or the run was cancelled.
    pub async fn ended(&self) {
        let slot = &self.held.0;
        let mut state = slot.watch();
        // At the end of the time, the request ends as well.
        let _ = timeout_at(slot.deadline, state.wait_for(|state| !matches!(state, SlotState::Open))).await;
    }

    /// Replies: with a [`Reply`](crate::approval::Reply) to a request for an approval, and with a
    /// [`UserAnswer`](crate::approval::UserAnswer) to a question.
    ///
    /// # Errors
    /// Returns an error, and the reply does not count, if there is a reply already, if the time is over, if the run was
    /// cancelled, or if the request does not offer this reply. After the last of these, another reply may follow.
    pub fn reply(&self, response: impl IntoResponse) -> Result<(), ReplyError> {
        self.held.0.reply(response.into_response())
    }
}
