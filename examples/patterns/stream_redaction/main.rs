//! A model streams an answer that contains a key, 25 characters a second. Rails remove the key on the way.
//!
//! The program prints the answer and the time of its first text in three cases: without a rail, with a rail that replaces
//! a pattern, and with a naive rail. The naive rail holds back a fixed number of characters, and still lets the end of
//! the key pass.
//!
//! `cargo run -p examples-patterns --example stream_redaction` takes five seconds. To change the speed, write `… -- --speed 100`.

mod rails;

use std::error::Error;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use exo_rails::prelude::*;
use exo_rails::{ModelDelta, NoRails, Stream, StreamPiece};
use futures_util::{StreamExt, stream};
use lexopt::ValueExt;

use rails::{redact, redact_naively};

/// The answer of the model.
const ANSWER: &str = "Log in with the key sk-live-4f9d27b1a6e0 and open the list of orders. Do not send this key to \
                      anybody, and ask for another one when it was seen.";

/// An answer after the rails.
struct Arrived {
    text: String,
    /// The time of the first text, and the number of characters that the model had sent by then.
    first: Option<(Duration, usize)>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let pause = Duration::from_secs(1) / speed()?;
    let (without, patterned, naive) = tokio::try_join!(
        answer(NoRails, pause),
        answer(rail_chain![redact], pause),
        answer(rail_chain![redact_naively], pause),
    )?;
    for (rails, arrived) in [("no rail", without), ("replace", patterned), ("64 characters", naive)] {
        let (after, said) = arrived.first.ok_or("there was no text")?;
        println!("{rails:14} first text after {said:2} characters, {:.2} s", after.as_secs_f64());
        println!("{:14} {}", "", arrived.text);
    }
    Ok(())
}

/// The number of characters that the model sends in a second.
fn speed() -> Result<u32, Box<dyn Error>> {
    let mut arguments = lexopt::Parser::from_env();
    let mut speed = 25;
    while let Some(argument) = arguments.next()? {
        match argument {
            lexopt::Arg::Long("speed") => speed = arguments.value()?.parse::<std::num::NonZeroU32>()?.get(),
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(speed)
}

/// Streams an answer through these rails.
async fn answer(rails: impl GuardSet, pause: Duration) -> Result<Arrived, RunError> {
    let (begun, said) = (Instant::now(), AtomicUsize::new(0));
    let arrived = Mutex::new(Arrived { text: String::new(), first: None });
    let sink = async |piece| {
        let mut arrived = arrived.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match piece {
            StreamPiece::Text(text) => {
                arrived.first.get_or_insert_with(|| (begun.elapsed(), said.load(Ordering::Relaxed)));
                arrived.text += &text;
            }
            StreamPiece::Restart => arrived.text.clear(),
        }
    };
    let mut ctx = RunContext::new("support");
    rails.guard_stream(ModelCallInputs::default(), &mut ctx, |_| model(pause, &said), sink).await?;
    Ok(arrived.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner))
}

/// The model: sends its answer in pieces of one character, and counts them.
fn model(pause: Duration, said: &AtomicUsize) -> impl Stream<Item = Result<ModelDelta, OperationError>> {
    stream::iter(ANSWER.chars()).then(move |character| async move {
        tokio::time::sleep(pause).await;
        said.fetch_add(1, Ordering::Relaxed);
        Ok(ModelDelta::Text(character.into()))
    })
}
