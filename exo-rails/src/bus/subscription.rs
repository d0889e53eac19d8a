//! The subscriptions to an event bus.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::ReusableBoxFuture;

use super::Shared;
use super::record::EventRecord;
use crate::point::HookPoint;

/// The number of records that a slow subscriber missed. The subscription continues with the oldest record that the bus
/// still has.
///
/// The number includes records that the filters of the subscription would have left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the subscriber was too slow and missed {0} events")]
pub struct Lagged(pub u64);

/// A subscription to an [`EventBus`](crate::EventBus). Read its records as a [`Stream`], or one by one.
///
/// A slow subscription does not delay the bus. Drop the subscription to end it.
pub struct Subscription {
    pub(super) next: ReusableBoxFuture<'static, Received>,
    /// The events of the subscription. An empty list means all events.
    pub(super) points: Vec<HookPoint>,
    pub(super) matching: Option<Predicate>,
    pub(super) wish: Wish,
}

type Predicate = Box<dyn Fn(&EventRecord) -> bool + Send + Sync>;

/// The result from the bus, and the receiver for the next result.
type Received = (Result<Arc<EventRecord>, RecvError>, Receiver<Arc<EventRecord>>);

pub(super) async fn next(mut records: Receiver<Arc<EventRecord>>) -> Received {
    (records.recv().await, records)
}

impl Subscription {
    /// Limits the subscription to these events. An empty list means all events. The bus makes no records of an event
    /// without subscribers.
    #[must_use = "a dropped subscription receives nothing"]
    pub fn with_events(mut self, points: impl IntoIterator<Item = HookPoint>) -> Self {
        self.points = points.into_iter().collect();
        let bits = self.points.iter().fold(0, |bits, point| bits | 1 << point.number());
        self.wish = Wish::of(&self.wish.shared, if bits == 0 { u64::MAX } else { bits });
        self
    }

    /// Limits the subscription to the records for which `predicate` returns `true`. If you call it again, a record must
    /// pass both filters.
    ///
    /// ```
    /// # use exo_rails::EventBus;
    /// # let bus = EventBus::default();
    /// let refusals = bus.subscribe().with_filter(|record| record.stopped.is_some());
    /// # drop(refusals);
    /// ```
    #[must_use = "a dropped subscription receives nothing"]
    pub fn with_filter(mut self, predicate: impl Fn(&EventRecord) -> bool + Send + Sync + 'static) -> Self {
        self.matching = Some(match self.matching {
            None => Box::new(predicate),
            Some(other) => Box::new(move |record| other(record) && predicate(record)),
        });
        self
    }

    /// Waits for the next record. Returns `None` after the bus and all guard sets with this bus have been dropped.
    ///
    /// You can drop the future without losing a record.
    pub async fn recv(&mut self) -> Option<Result<Arc<EventRecord>, Lagged>> {
        std::future::poll_fn(|cx| self.poll_recv(cx)).await
    }

    fn poll_recv(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Arc<EventRecord>, Lagged>>> {
        loop {
            let (received, records) = ready!(self.next.poll(cx));
            self.next.set(next(records));
            match received {
                Ok(record) if !self.is_about(&record) => {}
                Ok(record) => return Poll::Ready(Some(Ok(record))),
                Err(RecvError::Lagged(missed)) => return Poll::Ready(Some(Err(Lagged(missed)))),
                Err(RecvError::Closed) => return Poll::Ready(None),
            }
        }
    }

    fn is_about(&self, record: &EventRecord) -> bool {
        let wanted = self.points.is_empty() || self.points.contains(&record.event);
        wanted && self.matching.as_ref().is_none_or(|holds| holds(record))
    }
}

impl Stream for Subscription {
    type Item = Result<Arc<EventRecord>, Lagged>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll_recv(cx)
    }
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscription").field("only", &self.points).finish_non_exhaustive()
    }
}

/// A request of a subscription for the events with these numbers, as bits. It lasts as long as the subscription.
pub(super) struct Wish {
    shared: Arc<Shared>,
    bits: u64,
}

impl Wish {
    pub(super) fn of(shared: &Arc<Shared>, bits: u64) -> Self {
        let wish = Self { shared: Arc::clone(shared), bits };
        for wanted in wish.wanted() {
            wanted.fetch_add(1, Ordering::Relaxed);
        }
        wish
    }

    fn wanted(&self) -> impl Iterator<Item = &AtomicUsize> {
        let all = self.shared.wanted.iter().enumerate();
        all.filter(|(number, _)| self.bits >> number & 1 == 1).map(|(_, wanted)| wanted)
    }
}

impl Drop for Wish {
    fn drop(&mut self) {
        for wanted in self.wanted() {
            wanted.fetch_sub(1, Ordering::Relaxed);
        }
    }
}
