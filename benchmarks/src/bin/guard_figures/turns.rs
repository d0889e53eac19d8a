//! The time for a turn of a long session: the next input, and the request of the model.

use std::time::{Duration, Instant};

use exo_rails::SharedExtensions;
use exo_rails::message::{Message, Messages};
use exo_rails::prelude::*;
use exo_rails_guards::Kit;

use crate::Failure;
use crate::time::Micros;

const TABLES: &[(&str, &str)] = &[
    ("no guard", ""),
    ("secrets", "[secrets]"),
    ("personal data", "[personal_data]"),
    ("content", "[content]\nblocked_phrases = ['drop table']"),
    ("injection", "[injection]"),
    ("sizes", "[sizes]"),
    ("loops", "[loops]"),
    (
        "data flow, for a session",
        "[data_flow]\nscope = 'session'\nsources = [{ tool = 'fetch', label = 'web' }]\nsinks = [{ tool = 'send' }]",
    ),
    ("data flow, for a run", "[data_flow]\nsources = [{ tool = 'fetch', label = 'web' }]\nsinks = [{ tool = 'send' }]"),
];

/// The messages before the turns that are measured.
const LENGTHS: [usize; 4] = [100, 1_600, 4_000, 10_000];

/// The turns of which the median is measured.
const TURNS: usize = 21;

pub(crate) async fn measure() -> Result<(), Failure> {
    println!("Each turn adds two messages of 150 bytes.\n");
    println!("| guard | 100 messages | 1,600 | 4,000 | 10,000 |\n|---|---|---|---|---|");
    for (name, table) in TABLES {
        let mut session = Session { kit: Kit::from_toml(table)?, ..Session::default() };
        print!("| {name} |");
        for length in LENGTHS {
            // A long conversation grows by turns here, too, so that the guard has read it.
            session.grow(length).await?;
            let mut times = Vec::with_capacity(TURNS);
            for _ in 0..TURNS {
                times.push(session.turn().await?);
            }
            times.sort_unstable();
            print!(" {} |", Micros(times[TURNS / 2]));
        }
        println!();
    }
    Ok(())
}

#[derive(Default)]
struct Session {
    kit: Kit,
    values: SharedExtensions,
    messages: Messages,
    turns: u32,
}

impl Session {
    /// Adds messages, and makes one turn.
    async fn grow(&mut self, length: usize) -> Result<(), Failure> {
        while self.messages.len() + 2 < length {
            self.messages.push(Message::user(self.text()));
            self.turns += 1;
        }
        self.turn().await.map(|_| ())
    }

    fn text(&self) -> String {
        format!(
            "Turn {}: the customer asked about the order of May, and whether the chairs can be delivered on Friday instead. The key \
             is on the token board.",
            self.turns
        )
    }

    /// Makes a turn. Returns the time of its rails.
    async fn turn(&mut self) -> Result<Duration, Failure> {
        let text = self.text();
        self.turns += 1;
        let mut ctx = RunContext::new("turns").with_session("session", self.values.clone(), self.turns);
        let mut run = InvokeInputs::new(text.clone());
        run.messages = self.messages.clone();
        let begun = Instant::now();
        let goes_on = self.kit.dispatch::<Start>(&mut run, &mut ctx).await?.is_continue();
        let of_start = begun.elapsed();
        self.messages = run.messages;
        self.messages.push(Message::user(text.clone()));
        let mut request = ModelCallInputs::new(self.messages.clone());
        let begun = Instant::now();
        let is_asked = self.kit.dispatch::<PreLlmCall>(&mut request, &mut ctx).await?.is_continue();
        let of_request = begun.elapsed();
        if !goes_on || !is_asked {
            return Err("a guard has refused a harmless turn".into());
        }
        self.messages.push(Message::assistant(text));
        Ok(of_start + of_request)
    }
}
