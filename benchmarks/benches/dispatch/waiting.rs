//! The ways in which rails wait before they read the call.

use std::pin::Pin;
use std::sync::OnceLock;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};

/// A future that is pending once: the cheapest way to wait.
#[derive(Default)]
pub(crate) struct Pause {
    polled: bool,
}

impl Future for Pause {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, ctx: &mut Context<'_>) -> Poll<()> {
        if self.polled {
            return Poll::Ready(());
        }
        self.polled = true;
        ctx.waker().wake_by_ref();
        Poll::Pending
    }
}

/// Waits for a timer of the runtime. The clock is paused, so the timer fires when all tasks wait.
pub(crate) async fn timer() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}

/// Asks another task over a channel, and waits for the answer over another channel.
pub(crate) async fn channel() {
    let (answer, answered) = oneshot::channel();
    // If the other task has ended, this function returns at once.
    if questions().send(answer).is_ok() {
        let _ = answered.await;
    }
}

/// Returns the channel to the task that answers. The task belongs to the first runtime of the program.
fn questions() -> &'static mpsc::UnboundedSender<oneshot::Sender<()>> {
    static QUESTIONS: OnceLock<mpsc::UnboundedSender<oneshot::Sender<()>>> = OnceLock::new();
    QUESTIONS.get_or_init(|| {
        let (sender, mut receiver) = mpsc::unbounded_channel::<oneshot::Sender<()>>();
        tokio::spawn(async move {
            while let Some(answer) = receiver.recv().await {
                let _ = answer.send(());
            }
        });
        sender
    })
}
