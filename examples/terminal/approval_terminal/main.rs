//! A front end in the terminal: a person approves the tool calls of an agent, and answers its question.
//!
//! ```text
//! cargo run -p examples-terminal --example approval_terminal
//! ```
//!
//! The agent runs in a task, and waits at the `Desk` while the screen shows its request. The program ends when the agent ends.

mod agent;
mod dialog;
mod screen;

use std::error::Error;
use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use exo_rails_guards::approval::{Desk, FrontEnd};
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyEvent};
use tokio::sync::mpsc;

use dialog::{Dialog, Next};

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// The time between two pictures, so that the remaining time is right.
const TICK: Duration = Duration::from_millis(200);

#[tokio::main]
async fn main() -> Result<()> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Err("this example shows a screen and reads keys: run it in a terminal, without pipes".into());
    }
    let timeout = std::env::args().nth(1).map_or(Ok(60), |seconds| seconds.parse())?;
    let desk = Desk::new().with_timeout(Duration::from_secs(timeout));
    let front_end = desk.front_end();
    // The agent owns the desk. When it ends, there are no more requests.
    let agent = tokio::spawn(agent::run(desk));

    let mut terminal = ratatui::try_init()?;
    let mut keys = Keys::read();
    let shown = show(&mut terminal, front_end, &mut keys.receiver).await;
    ratatui::restore();
    keys.stop();
    if shown? {
        println!("{}", agent.await??);
    } else {
        agent.abort();
        println!("You have left, so the agent was stopped.");
    }
    Ok(())
}

/// Shows the requests until there are no more. Returns `false` if the person leaves before.
async fn show(
    terminal: &mut DefaultTerminal,
    mut front_end: FrontEnd,
    keys: &mut mpsc::UnboundedReceiver<KeyEvent>,
) -> Result<bool> {
    let mut dialog: Option<Dialog> = None;
    loop {
        terminal.draw(|frame| screen::draw(frame, dialog.as_ref()))?;
        let Some(open) = &mut dialog else {
            tokio::select! {
                pending = front_end.next() => match pending {
                    Some(pending) => dialog = Some(Dialog::new(pending)),
                    None => return Ok(true),
                },
                // Keys before a request are about nothing that the person has seen.
                _ = keys.recv() => {}
            }
            continue;
        };
        let pending = open.pending().clone();
        tokio::select! {
            () = pending.ended() => dialog = None,
            key = keys.recv() => match key.map(|key| open.press(key)) {
                Some(Next::Stay) => {}
                Some(Next::Done) => dialog = None,
                // Dropping the front end denies everything that is open.
                Some(Next::Quit) | None => return Ok(false),
            },
            () = tokio::time::sleep(TICK) => {}
        }
    }
}

/// The keys, from a thread, because reading a terminal blocks.
struct Keys {
    receiver: mpsc::UnboundedReceiver<KeyEvent>,
    is_over: Arc<AtomicBool>,
    thread: std::thread::JoinHandle<io::Result<()>>,
}

impl Keys {
    fn read() -> Self {
        let (sender, receiver) = mpsc::unbounded_channel();
        let is_over = Arc::new(AtomicBool::new(false));
        let over = Arc::clone(&is_over);
        let thread = std::thread::spawn(move || {
            while !over.load(Ordering::Relaxed) {
                if event::poll(TICK)?
                    && let Event::Key(key) = event::read()?
                    && key.is_press()
                    && sender.send(key).is_err()
                {
                    break;
                }
            }
            Ok(())
        });
        Self { receiver, is_over, thread }
    }

    fn stop(self) {
        self.is_over.store(true, Ordering::Relaxed);
        let _ = self.thread.join();
    }
}
