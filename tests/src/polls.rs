//! Futures that end after a number of polls.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

/// Drops a future after this number of polls.
#[derive(Clone, Copy, Debug)]
pub struct Polls(pub usize);

impl Polls {
    /// Polls `future` at most this number of times, and then drops it. Returns the output, if the future is ready by
    /// then.
    pub async fn of<F: Future>(self, future: F) -> Option<F::Output> {
        let mut left = self.0;
        let mut future = pin!(future);
        poll_fn(|cx| poll_once(future.as_mut(), cx, &mut left)).await
    }
}

fn poll_once<F: Future>(future: Pin<&mut F>, cx: &mut Context<'_>, left: &mut usize) -> Poll<Option<F::Output>> {
    if *left == 0 {
        return Poll::Ready(None);
    }
    *left -= 1;
    match future.poll(cx) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending if *left == 0 => Poll::Ready(None),
        Poll::Pending => Poll::Pending,
    }
}

/// Is pending for this number of polls.
pub async fn yields(times: usize) {
    let mut left = times;
    poll_fn(|cx| {
        if left == 0 {
            return Poll::Ready(());
        }
        left -= 1;
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
