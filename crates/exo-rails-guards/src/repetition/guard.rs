//! The guard.

use exo_rails::message::Message;
use exo_rails::prelude::*;
use exo_rails::{NoSubstitute, RailContext, RetryOrContinue, StreamWindow};
use exo_rails_policy::{ConfigError, Severity};

use super::detector::{Detector, Repeated};
use super::{OnRepetition, RepetitionConfig};
use crate::config::makes;
use crate::finding::Finding;
use crate::kit_guard::needs_only_its_configuration;

const GUARD: &str = "repetition";

/// The number of answers in a run that the guard reads at the same time. If there are more, it forgets the text of the oldest.
const MOST_ANSWERS: usize = 16;

/// Ends answers in which the model repeats a text without end: a token, a phrase, a line or a paragraph.
///
/// The guard reads each answer at `LlmChunk` while it arrives. It also reads answers that are not streamed. The result does not
/// depend on the pieces of the stream.
///
/// The guard finds exact repetitions that follow directly after each other. It acts when a text is repeated
/// [`min_times`](field@RepetitionConfig::min_times) and the repetitions have [`min_bytes`](field@RepetitionConfig::min_bytes).
/// Usual tables, code, and lines such as `======` are shorter, so they pass. The guard does not find repetitions that differ
/// each time, such as numbered lines.
///
/// In a streamed answer, the client has received the first repetitions before the guard acts.
///
/// The guard needs about 20 kB of memory for an answer. The work for each byte is bounded. The priority is 20.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails_guards::Repetition;
///
/// rail_chain! { struct Guards { repetition: Repetition } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let guards = Guards { repetition: Repetition::builder().build()? };
/// let stuck = |_| async { Ok::<_, OperationError>(ModelResponse::text("I am sorry. ".repeat(5_000))) };
/// let answer = guards.guard_llm_call(ModelCallInputs::default(), &mut RunContext::new("demo"), stuck).await?;
/// assert_eq!(answer.message.text().len(), 2_000);
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Repetition {
    config: RepetitionConfig,
}

/// The answers that are arriving. It is a value in `ctx.run`.
#[derive(Default)]
struct Answers(Vec<(AnswerId, Detector)>);

/// The identity of an answer. A guard borrows the context of a call until the call has ended, so the address of the context is
/// unique among the running calls. A rail in shadow gets a new context for each event, so its address does not count.
#[derive(Clone, Copy, PartialEq, Eq)]
struct AnswerId {
    step: u32,
    address: usize,
}

impl AnswerId {
    fn of(ctx: &RailContext) -> Self {
        let address = if ctx.is_shadow() { 0 } else { std::ptr::from_ref(ctx).addr() };
        Self { step: ctx.step(), address }
    }
}

impl Answers {
    fn of(&mut self, id: AnswerId, config: &RepetitionConfig) -> &mut Detector {
        let place = self.0.iter().position(|(of, _)| *of == id).unwrap_or_else(|| {
            if self.0.len() == MOST_ANSWERS {
                self.0.remove(0);
            }
            self.0.push((id, Detector::new(config)));
            self.0.len() - 1
        });
        &mut self.0[place].1
    }

    fn forget(&mut self, id: AnswerId) {
        self.0.retain(|(of, _)| *of != id);
    }
}

impl Repetition {
    /// Makes the guard.
    ///
    /// # Errors
    /// Returns an error that names the key in these cases:
    ///
    /// - `min_times` is less than 3.
    /// - `min_bytes` or `min_bytes_without_letters` is less than 64.
    /// - `max_unit_bytes` is 0 or more than 4096.
    pub fn new(config: RepetitionConfig) -> Result<Self, ConfigError> {
        config.check()?;
        Ok(Self { config })
    }

    /// Reads the text that has arrived. If it finds a repetition, returns the place in the window where the answer must end.
    fn read(&self, window: &StreamWindow, ctx: &RailContext) -> Option<(usize, Repeated)> {
        let (fresh, id) = (window.fresh(), AnswerId::of(ctx));
        let found = ctx.run.update(|answers: &mut Answers| {
            let found = answers.of(id, &self.config).read(fresh);
            if found.is_some() || window.is_last {
                answers.forget(id);
            }
            found
        });
        let (place, repeated) = found?;
        Some((window.text.floor_char_boundary(window.text.len() - fresh.len() + place), repeated))
    }
}

fn finding(Repeated { unit, times }: Repeated) -> Finding {
    let message = format!("the answer repeats a text of {unit} bytes {times} times in a row");
    Finding::new(GUARD, "answer", Severity::Medium, message)
}

#[rail(priority = 20, name = "repetition")]
impl Repetition {
    #[on(PreLlmCall)]
    #[expect(clippy::unused_self, reason = "the rails of the guard are methods")]
    fn begin(&self, ctx: &RailContext) {
        ctx.run.update(|answers: &mut Answers| answers.forget(AnswerId::of(ctx)));
    }

    #[on(LlmChunk)]
    fn chunk(&self, window: &mut StreamWindow, ctx: &mut RailContext) -> RailAction<NoSubstitute, RetryOrContinue> {
        let Some((end, repeated)) = self.read(window, ctx) else { return RailAction::Continue };
        let finding = finding(repeated);
        let reason = finding.reason();
        finding.report(ctx);
        if self.config.action == OnRepetition::Abort {
            return RailAction::abort(reason);
        }
        // If no retry is left, the answer ends here.
        window.text.truncate(end);
        window.end();
        if self.config.action == OnRepetition::End {
            return RailAction::Continue;
        }
        let note = "Your last answer repeated the same text again and again, and was discarded. Answer again, without repetitions.";
        let request = RetryRequest::new(reason).with_max_retries(self.config.max_retries);
        RailAction::retry_or_continue(request.with_feedback(Message::user(note)))
    }
}

makes!(Repetition, RepetitionConfig);

needs_only_its_configuration!(Repetition, RepetitionConfig);
