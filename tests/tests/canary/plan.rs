//! What is drawn of a run.

use std::fmt;

use crate::random::Random;
use exo_rails::HookPoint;

/// What the secrets are in, sorted.
pub(crate) const NAMES: [&str; 12] = [
    "arguments",
    "beside the message",
    "content",
    "custom inputs",
    "input",
    "memory error",
    "model error",
    "output",
    "reasoning",
    "recalled",
    "refusal",
    "tool error",
];

/// The letters of secrets: no other text has eight of them in a row.
const LETTERS: &[u8; 8] = b"QXZJKVWY";

/// A secret for each input.
#[derive(Clone)]
pub(crate) struct Secrets(Vec<(&'static str, String)>);

impl Secrets {
    fn draw(random: &mut Random) -> Self {
        let mut secret = || (0..24).map(|_| char::from(LETTERS[random.below(8) as usize])).collect();
        Self(NAMES.iter().map(|name| (*name, secret())).collect())
    }

    /// The secret in this input.
    pub(crate) fn of(&self, name: &str) -> &str {
        self.0.iter().find(|(other, _)| *other == name).map(|(_, secret)| &**secret).unwrap()
    }

    pub(crate) fn all(&self) -> Vec<&str> {
        self.0.iter().map(|(_, secret)| &**secret).collect()
    }

    pub(crate) fn are_in(&self, text: &str) -> bool {
        self.0.iter().any(|(_, secret)| text.contains(secret.as_str()))
    }

    pub(crate) fn hide(&self, text: &mut String) {
        for (_, secret) in &self.0 {
            if text.contains(secret.as_str()) {
                *text = text.replace(secret.as_str(), "[hidden]");
            }
        }
    }

    /// What has eight bytes in a row in the text.
    pub(crate) fn leaked(&self, text: &str) -> Option<&'static str> {
        // Most texts have no candidate.
        let candidates = text.as_bytes().split(|byte| !LETTERS.contains(byte)).filter(|run| run.len() >= 8);
        candidates.flat_map(|run| run.windows(8)).find_map(|bytes| {
            let has = |secret: &str| secret.as_bytes().windows(8).any(|window| window == bytes);
            self.0.iter().find(|(_, secret)| has(secret)).map(|(name, _)| *name)
        })
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.0.iter().map(|(name, secret)| (name, secret))).finish()
    }
}

/// How a rail refuses what has a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    Skip,
    Retry,
    Abort,
    Answer,
    Fault,
    Panic,
    TakesTooLong,
}

/// How the run goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Called,
    Streamed,
}

/// A drawn run.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) seed: u64,
    pub(crate) secrets: Secrets,
    /// Whether the first rail does nothing.
    pub(crate) is_off: bool,
    pub(crate) mode: Mode,
    /// Which guard set.
    pub(crate) set: u32,
    /// How often, in a thousand, the other rails stop an event.
    pub(crate) stops: u32,
    /// How often the first rail refuses instead of redacting.
    pub(crate) refuses: u32,
    /// After how many events or milliseconds the run is dropped.
    pub(crate) dropped_after: Option<u32>,
    /// After how many milliseconds the run is cancelled.
    pub(crate) cancelled_after: Option<u32>,
    pub(crate) parallel_tools: u32,
    /// Whether the first rail replaces the errors of tools. Without that, it redacts the outputs that they become, and no rail
    /// stops the event of the error.
    pub(crate) replaces_tool_errors: bool,
}

impl Plan {
    pub(crate) fn draw(seed: u64) -> Self {
        let mut random = Random::of(&[seed]);
        Self {
            seed,
            secrets: Secrets::draw(&mut random),
            is_off: false,
            mode: if random.permille(600) { Mode::Streamed } else { Mode::Called },
            set: random.below(7),
            stops: [0, 20, 80][random.below(3) as usize],
            refuses: [0, 100, 400][random.below(3) as usize],
            dropped_after: random.permille(200).then(|| random.below(40)),
            cancelled_after: random.permille(150).then(|| random.below(30)),
            parallel_tools: 1 + random.below(3),
            replaces_tool_errors: random.permille(600),
        }
    }

    /// A generator for this place.
    pub(crate) fn random(&self, place: u64) -> Random {
        Random::of(&[self.seed, place])
    }

    /// How the first rail refuses at this event; `None` when it redacts.
    pub(crate) fn refusal(&self, event: HookPoint) -> Option<Refusal> {
        use Refusal::{Abort, Answer, Fault, Panic, Retry, Skip, TakesTooLong};
        let mut random = Random::of(&[self.seed, 1, number(event)]);
        let refusals: &[Refusal] = match event {
            HookPoint::Start | HookPoint::PreToolCall => &[Skip, Retry, Abort, Answer, Fault, Panic, TakesTooLong],
            HookPoint::MemoryRecalled | HookPoint::MemoryStored => &[Skip, Abort, Answer, Fault, Panic, TakesTooLong],
            // A retry keeps the failure, whose text the rail has not refused.
            HookPoint::LlmError | HookPoint::ToolError => &[Abort, Answer, Fault, Panic, TakesTooLong],
            // A skip accepts what is there.
            _ => &[Retry, Abort, Answer, Fault, Panic, TakesTooLong],
        };
        random.permille(self.refuses).then(|| refusals[random.below(u32::try_from(refusals.len()).unwrap()) as usize])
    }
}

fn number(event: HookPoint) -> u64 {
    event.name().bytes().fold(7, |sum, byte| sum * 31 % 1_000_003 + u64::from(byte))
}
