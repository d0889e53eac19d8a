//! A process group: started, fed, read and ended as a whole.

use std::pin::pin;
use std::process::Stdio;
use std::time::Duration;

use futures_util::future::{self, Either};
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, Command};
use tokio::time::{sleep, timeout};

use crate::handlers::HandlerFault;
use crate::handlers::output::Limits;

/// The bytes of the standard error that are kept. The rest is read and forgotten, because it decides nothing.
const KEPT_STDERR: u64 = 64 * 1024;

/// How long the output of a process that has ended is waited for. It is there already, unless a process that has left the
/// group keeps the pipe open.
const DRAIN: Duration = Duration::from_millis(250);

/// How long the kernel may take to end a process that was killed.
const REAP: Duration = Duration::from_secs(1);

/// A process that has ended.
pub(super) struct Ended {
    /// `None` if a signal ended it.
    pub(super) exit_code: Option<i32>,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: Vec<u8>,
}

/// Runs a command with this input. When the future ends or is dropped, no process of its group is left.
pub(super) async fn run(mut command: Command, input: &str, limits: Limits) -> Result<Ended, HandlerFault> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0).kill_on_drop(true);
    let mut child = command.spawn().map_err(HandlerFault::Spawn)?;
    let mut group = Group::of(&child);
    let ended = timeout(limits.time, talk(&mut child, &mut group, input, limits.bytes)).await;
    let ended = ended.unwrap_or(Err(HandlerFault::Timeout { limit: limits.time }));
    if ended.is_err() {
        group.kill();
        // Takes the killed process off the list of the kernel.
        let _ = timeout(REAP, child.wait()).await;
    }
    ended
}

/// Writes the input, reads the outputs, and waits for the end, all at once: a process that does not read its input, or that
/// fills a pipe, cannot block the others.
async fn talk(child: &mut Child, group: &mut Group, input: &str, limit: usize) -> Result<Ended, HandlerFault> {
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let status = {
        let talking =
            future::try_join3(feed(stdin, input), read_all(stdout, &mut out, limit), read_first(stderr, &mut err));
        let ending = async {
            let status = child.wait().await;
            // What the process has left behind keeps its pipes open, and has nothing to decide.
            group.kill();
            status.map_err(HandlerFault::Read)
        };
        match future::select(pin!(talking), pin!(ending)).await {
            Either::Left((talked, ending)) => {
                talked?;
                ending.await?
            }
            Either::Right((status, talking)) => {
                if let Either::Left((talked, _)) = future::select(talking, pin!(sleep(DRAIN))).await {
                    talked?;
                }
                status?
            }
        }
    };
    // `code` is `None` if a signal ended the process.
    Ok(Ended { exit_code: status.code(), stdout: out, stderr: err })
}

/// Writes the input. A process may end without reading it.
async fn feed(stdin: Option<ChildStdin>, input: &str) -> Result<(), HandlerFault> {
    if let Some(mut stdin) = stdin {
        let _ = stdin.write_all(input.as_bytes()).await;
    }
    Ok(())
}

/// Reads to the end. Fails as soon as there is more than the limit.
async fn read_all(from: Option<impl AsyncRead + Unpin>, to: &mut Vec<u8>, limit: usize) -> Result<(), HandlerFault> {
    let Some(from) = from else { return Ok(()) };
    from.take(limit as u64 + 1).read_to_end(to).await.map_err(HandlerFault::Read)?;
    if to.len() > limit { Err(HandlerFault::TooMuchOutput { limit }) } else { Ok(()) }
}

/// Reads to the end, and keeps the first part.
async fn read_first(from: Option<impl AsyncRead + Unpin>, to: &mut Vec<u8>) -> Result<(), HandlerFault> {
    let Some(mut from) = from else { return Ok(()) };
    (&mut from).take(KEPT_STDERR).read_to_end(to).await.map_err(HandlerFault::Read)?;
    tokio::io::copy(&mut from, &mut tokio::io::sink()).await.map_err(HandlerFault::Read)?;
    Ok(())
}

/// The group of a process. It is killed when it is dropped, for example because the run was cancelled.
struct Group(Option<Pid>);

impl Group {
    fn of(child: &Child) -> Self {
        Self(child.id().and_then(|id| Pid::from_raw(id.cast_signed())))
    }

    /// Kills every process of the group, once: later, the number may belong to others.
    fn kill(&mut self) {
        if let Some(group) = self.0.take() {
            // The group may have ended already.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}
