//! The model: rails in a list, sorted and called one after the other, with nothing behind it.

use std::collections::HashMap;

use exo_rails::HookPoint;

use super::family::{reason, request};
use super::script::{Act, Script};
use super::subject::{GIVEN, Operation, RESULT, Seen};

/// What a chain lists.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    Rail(Spec),
    Chain { priority: i32, items: Vec<Item> },
}

/// A rail.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spec {
    pub name: &'static str,
    pub priority: i32,
}

impl Item {
    fn priority(&self) -> i32 {
        match self {
            Self::Rail(spec) => spec.priority,
            Self::Chain { priority, .. } => *priority,
        }
    }
}

/// The rails in the order in which they run.
fn sorted(items: &[Item]) -> Vec<Spec> {
    let mut items = items.to_vec();
    items.sort_by_key(Item::priority);
    let rails = |item| match item {
        Item::Rail(spec) => vec![spec],
        Item::Chain { items, .. } => sorted(&items),
    };
    items.into_iter().flat_map(rails).collect()
}

impl Spec {
    fn is(&self, kind: &str) -> bool {
        self.name.starts_with(kind)
    }

    fn is_on(&self, point: HookPoint) -> bool {
        match point {
            HookPoint::Error => self.is("Observer"),
            HookPoint::PreToolCall | HookPoint::Finished => true,
            _ => !self.is("Partial"),
        }
    }

    fn may_change(&self, point: HookPoint) -> bool {
        match point {
            HookPoint::LlmError | HookPoint::ToolError | HookPoint::Error => false,
            HookPoint::Finished if self.is("Partial") => false,
            _ => !self.is("Reader"),
        }
    }

    /// How the script's act ends the event, as far as the rail can.
    fn stop(&self, act: Act, point: HookPoint) -> Option<Stop> {
        let (rail, decides) = (self.name, self.is("Decider") || self.is("Partial"));
        match act {
            Act::Abort if self.is("Observer") => None,
            // It could have changed what it was to look at; once the run has ended, nothing is left to stop.
            Act::Fault if point == HookPoint::Error => None,
            Act::Abort => Some(Stop::End(format!("{rail} aborts at {point}: {}", reason(rail)))),
            Act::Fault => Some(Stop::End(format!("{rail} faults at {point}: {}", reason(rail)))),
            Act::Skip | Act::Substitute if decides => {
                let brings = matches!(act, Act::Substitute) && self.is("Decider") && has_substitute(point);
                Some(Stop::Skip { rail, substitute: brings.then(|| format!("substitute of {rail}")) })
            }
            Act::Retry(max_retries) if decides => Some(Stop::Retry { rail, max_retries }),
            _ => None,
        }
    }
}

fn has_substitute(point: HookPoint) -> bool {
    !matches!(point, HookPoint::PostLlmCall | HookPoint::PostToolCall | HookPoint::Finished)
}

/// A rail that does not continue.
enum Stop {
    Skip { rail: &'static str, substitute: Option<String> },
    Retry { rail: &'static str, max_retries: u32 },
    End(String),
}

/// How an attempt ends that does not fail.
enum Attempt {
    Done(String),
    Again { rail: &'static str, max_retries: u32, at: HookPoint },
}

pub(crate) struct Model {
    rails: Vec<Spec>,
    script: Script,
}

impl Model {
    pub(crate) fn new(items: &[Item], script: &Script) -> Self {
        Self { rails: sorted(items), script: script.clone() }
    }

    pub(crate) fn event(mut self, point: HookPoint) -> Seen {
        let before = matches!(point, HookPoint::Start | HookPoint::PreLlmCall | HookPoint::PreToolCall);
        let (given, mut part) = if before { (None, GIVEN.to_owned()) } else { (Some(GIVEN), RESULT.to_owned()) };
        let decision = match self.rails_at(point, given, &mut part, 0) {
            None => "continue".to_owned(),
            Some(Stop::Skip { rail, substitute }) => format!("{rail} skips with {substitute:?}: {}", reason(rail)),
            Some(Stop::Retry { rail, max_retries }) => format!("{rail} retries: {:?}", request(rail, max_retries)),
            Some(Stop::End(error)) => error,
        };
        Seen { log: self.script.log(), end: format!("{decision}, leaves {part}") }
    }

    pub(crate) fn guarded(mut self, operation: Operation) -> Seen {
        let mut attempts = 0;
        let mut inputs = GIVEN.to_owned();
        let result = self.guard(operation, &mut inputs, &mut attempts);
        if let (Operation::Run, Err(error)) = (operation, &result) {
            self.rails_at(HookPoint::Error, Some(&inputs), &mut error.clone(), attempts);
        }
        Seen { log: self.script.log(), end: result.unwrap_or_else(|error| error) }
    }

    /// The rails of one event. `given` is what they may only read, `part` what some events let them change.
    fn rails_at(&mut self, point: HookPoint, given: Option<&str>, part: &mut String, attempt: u32) -> Option<Stop> {
        for rail in self.rails.clone().into_iter().filter(|rail| rail.is_on(point)) {
            let seen = given.map_or_else(|| part.clone(), |given| format!("{given}|{part}"));
            let step = self.script.step(rail.name, point, attempt, &seen);
            if step.changes && rail.may_change(point) {
                part.push('+');
                part.push_str(rail.name);
            }
            if let Some(stop) = rail.stop(step.act, point) {
                return Some(stop);
            }
        }
        None
    }

    fn guard(&mut self, operation: Operation, inputs: &mut String, attempts: &mut u32) -> Result<String, String> {
        let original = inputs.clone();
        let mut used = HashMap::<_, u32>::new();
        loop {
            let (rail, max_retries, at) = match self.attempt(operation, inputs, *attempts)? {
                Attempt::Done(output) => return Ok(output),
                Attempt::Again { rail, max_retries, at } => (rail, max_retries, at),
            };
            let used = used.entry(rail).or_default();
            if *used >= max_retries {
                let tried = *attempts + 1;
                let error = format!("{rail} has used up {max_retries} retries at {at} after {tried} attempts: ");
                return Err(error + &reason(rail));
            }
            *used += 1;
            *attempts += 1;
            inputs.clone_from(&original);
        }
    }

    fn attempt(&mut self, operation: Operation, inputs: &mut String, attempt: u32) -> Result<Attempt, String> {
        let [pre, post, failed] = operation.points();
        let (stop, at) = match self.rails_at(pre, None, inputs, attempt) {
            Some(stop) => (Err(stop), pre),
            None => match self.perform(operation, inputs)? {
                Ok(output) => (Ok(output), post),
                Err(mut error) => match self.rails_at(failed, Some(inputs), &mut error, attempt) {
                    // A skip that brings nothing accepts what there is.
                    None | Some(Stop::Skip { substitute: None, .. }) => match operation {
                        // The model reads how a tool failed.
                        Operation::ToolCall => (Ok(format!("The call of `{inputs}` failed: {error} (failed)")), post),
                        _ => return Err(error),
                    },
                    Some(stop) => (Err(stop), failed),
                },
            },
        };
        let mut output = match stop {
            Ok(output) => output,
            Err(Stop::Skip { rail, substitute }) => substitute.unwrap_or_else(|| operation.skipped(inputs, rail)),
            Err(Stop::Retry { rail, max_retries }) => return Ok(Attempt::Again { rail, max_retries, at }),
            Err(Stop::End(error)) => return Err(error),
        };
        match self.rails_at(post, Some(inputs), &mut output, attempt) {
            None | Some(Stop::Skip { .. }) => Ok(Attempt::Done(output)),
            Some(Stop::Retry { rail, max_retries }) => Ok(Attempt::Again { rail, max_retries, at: post }),
            Some(Stop::End(error)) => Err(error),
        }
    }

    /// The operation: its failure is inside when its rails are asked about it, outside when it ends all.
    fn perform(&mut self, operation: Operation, inputs: &str) -> Result<Result<String, String>, String> {
        let Operation::Run = operation else { return Ok(self.script.perform(inputs)) };
        let response = self.guard(Operation::LlmCall, &mut inputs.to_owned(), &mut 0)?;
        let output = self.guard(Operation::ToolCall, &mut response.clone(), &mut 0)?;
        Ok(Ok(self.script.perform(&output)?))
    }
}

impl Operation {
    /// Its events: before it, after it, after its failure (which, for a run, is not reached from here).
    pub(crate) fn points(self) -> [HookPoint; 3] {
        match self {
            Self::Run => [HookPoint::Start, HookPoint::Finished, HookPoint::Error],
            Self::LlmCall => [HookPoint::PreLlmCall, HookPoint::PostLlmCall, HookPoint::LlmError],
            Self::ToolCall => [HookPoint::PreToolCall, HookPoint::PostToolCall, HookPoint::ToolError],
        }
    }

    /// Its output when it is skipped without a substitute.
    fn skipped(self, inputs: &str, rail: &str) -> String {
        match self {
            Self::Run | Self::LlmCall => String::new(),
            Self::ToolCall => format!("The call of `{inputs}` was skipped by the rail `{rail}`: {}", reason(rail)),
        }
    }
}
