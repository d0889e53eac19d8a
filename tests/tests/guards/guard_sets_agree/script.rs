//! What the rails and operations of one case do: one step for each call, in the order of the calls.

use std::collections::VecDeque;

use exo_rails::prelude::*;
use proptest::collection::vec;
use proptest::prelude::*;

/// What the calls of rails do, one after the other, and which operations fail; then all goes well.
#[derive(Clone, Debug, Default)]
pub(crate) struct Script {
    steps: VecDeque<Step>,
    failures: VecDeque<bool>,
    /// What has happened.
    log: Vec<String>,
}

/// What one call of a rail does.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Step {
    /// Whether it changes what it may change.
    pub changes: bool,
    /// How often it has to wait.
    pub yields: usize,
    pub act: Act,
}

/// How the call ends, as far as the rail can.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Act {
    #[default]
    Continue,
    Skip,
    Substitute,
    Retry(u32),
    Abort,
    Fault,
}

impl Script {
    pub(crate) fn log(&self) -> Vec<String> {
        self.log.clone()
    }

    fn note(&mut self, entry: String) {
        self.log.push(entry);
    }

    /// What the next call of a rail does.
    pub(crate) fn step(&mut self, rail: &str, event: HookPoint, attempt: u32, seen: &str) -> Step {
        self.note(format!("{rail} at {event}, attempt {attempt}, sees {seen}"));
        self.steps.pop_front().unwrap_or_default()
    }

    /// What the next operation yields, or how it fails.
    pub(crate) fn perform(&mut self, inputs: &str) -> Result<String, String> {
        self.note(format!("operation with {inputs}"));
        match self.failures.pop_front() {
            Some(true) => Err(format!("{inputs} fails")),
            _ => Ok(format!("{inputs}!")),
        }
    }
}

pub(crate) fn any() -> impl Strategy<Value = Script> {
    (vec(step(), 0..60), vec(prop::bool::weighted(0.3), 0..8)).prop_map(|(steps, failures)| Script {
        steps: steps.into(),
        failures: failures.into(),
        log: Vec::new(),
    })
}

fn step() -> impl Strategy<Value = Step> {
    (prop::bool::ANY, 0..3_usize, act()).prop_map(|(changes, yields, act)| Step { changes, yields, act })
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        12 => Just(Act::Continue),
        1 => Just(Act::Skip),
        1 => Just(Act::Substitute),
        3 => (0..3_u32).prop_map(Act::Retry),
        1 => Just(Act::Abort),
        1 => Just(Act::Fault),
    ]
}
