//! The configuration of the guard.

use serde::{Deserialize, Deserializer, Serialize};

use super::Loops;
use super::levels::Levels;
use crate::config::{builder, one_or_many};
use crate::{ConfigError, ToolPattern};

/// The largest [`window`](field@LoopsConfig::window).
const MAX_WINDOW: usize = 4_096;

/// The configuration of [`Loops`].
///
/// ```
/// use exo_rails_guards::loops::{Levels, LoopsConfig};
///
/// let config: LoopsConfig = exo_rails_guards::config::from_toml(r#"
///     repetition = { abort = 20 }
///     drift = { warn = 0, refuse = 0, abort = 0 }
///     exempt = ["wait", "poll_*"]
/// "#)?;
/// assert_eq!(config.repetition, Levels::new(3, 5, 20));
/// assert_eq!(config.drift, Levels::OFF);
/// # Ok::<(), exo_rails_guards::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LoopsConfig {
    /// The calls that the guard looks at together: those of a run, which is the default, or those of a session.
    pub scope: LoopScope,
    /// The levels for the same call several times in a row with the same result. The numbers count calls. The default is
    /// `warn = 3`, `refuse = 5`, `abort = 8`.
    #[serde(deserialize_with = "repetition")]
    pub repetition: Levels,
    /// The levels for the same call many times in a row, even with different results. The numbers count calls. The default is
    /// `warn = 25`, and no other level.
    #[serde(deserialize_with = "polling")]
    pub polling: Levels,
    /// The levels for the same calls in turn with the same results. The numbers count rounds: A, B, A, B has two rounds. The
    /// default is `warn = 3`, `refuse = 4`, `abort = 6`.
    #[serde(deserialize_with = "oscillation")]
    pub oscillation: Levels,
    /// The levels for calls in a row, in any order, that were all made before with the same result. The numbers count calls.
    /// The default is `warn = 4`, `refuse = 8`, `abort = 12`.
    #[serde(deserialize_with = "stagnation")]
    pub stagnation: Levels,
    /// The levels for the same call in the [`window`](Self::window) with the same result, also with other calls in between. The
    /// numbers count calls. The default is `warn = 6`, and no other level, because such calls can be useful: an agent that
    /// edits files runs the same test after each edit.
    #[serde(deserialize_with = "redundancy")]
    pub redundancy: Levels,
    /// The levels for calls since the last progress. They have an effect only if your program sets a
    /// [`Progress`](super::Progress). The default is `warn = 10`, `refuse = 15`, `abort = 20`.
    #[serde(deserialize_with = "drift")]
    pub drift: Levels,
    /// The most calls in a round of an oscillation. At least 2. The default is 8.
    pub max_period: usize,
    /// The number of calls that the guard remembers. At most 4096. The default is 64. It must be at least the largest level of
    /// each pattern. For oscillation, it must be at least the largest level times `max_period`.
    pub window: usize,
    /// The tools whose calls the guard ignores, such as a tool that waits. The calls A, `wait`, A, `wait`, A are the call A
    /// three times in a row.
    #[serde(deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub exempt: Vec<ToolPattern>,
    /// The tools that reset the history, such as a tool that asks the user. The guard forgets all calls after a call of such a
    /// tool. So it never finds a loop that contains such a call.
    #[serde(deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub resets: Vec<ToolPattern>,
}

/// Whose calls [`Loops`] looks at together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoopScope {
    /// The calls of one run.
    #[default]
    Run,
    /// The calls of all runs of a session. Use it for agents with short runs. In a run without a session, the guard faults. If
    /// your users ask the same question in several runs, the equal calls look like a loop. In this case, use
    /// [`Run`](Self::Run).
    Session,
}

const REPETITION: Levels = Levels::new(3, 5, 8);
const POLLING: Levels = Levels::new(25, 0, 0);
const OSCILLATION: Levels = Levels::new(3, 4, 6);
const STAGNATION: Levels = Levels::new(4, 8, 12);
const REDUNDANCY: Levels = Levels::new(6, 0, 0);
const DRIFT: Levels = Levels::new(10, 15, 20);

fn repetition<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Levels, D::Error> {
    Levels::read(deserializer, REPETITION)
}

fn polling<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Levels, D::Error> {
    Levels::read(deserializer, POLLING)
}

fn oscillation<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Levels, D::Error> {
    Levels::read(deserializer, OSCILLATION)
}

fn stagnation<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Levels, D::Error> {
    Levels::read(deserializer, STAGNATION)
}

fn redundancy<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Levels, D::Error> {
    Levels::read(deserializer, REDUNDANCY)
}

fn drift<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Levels, D::Error> {
    Levels::read(deserializer, DRIFT)
}

impl Default for LoopsConfig {
    fn default() -> Self {
        Self {
            scope: LoopScope::default(),
            repetition: REPETITION,
            polling: POLLING,
            oscillation: OSCILLATION,
            stagnation: STAGNATION,
            redundancy: REDUNDANCY,
            drift: DRIFT,
            max_period: 8,
            window: 64,
            exempt: Vec::new(),
            resets: Vec::new(),
        }
    }
}

builder!(
    Loops,
    LoopsConfig {
        scope: LoopScope,
        repetition: Levels,
        polling: Levels,
        oscillation: Levels,
        stagnation: Levels,
        redundancy: Levels,
        drift: Levels,
        max_period: usize,
        window: usize,
        exempt: [ToolPattern],
        resets: [ToolPattern],
    }
);

impl LoopsConfig {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        let patterns = [
            ("repetition", self.repetition, 1),
            ("polling", self.polling, 1),
            ("oscillation", self.oscillation, self.max_period),
            ("stagnation", self.stagnation, 1),
            ("redundancy", self.redundancy, 1),
        ];
        for (key, levels, _) in patterns.into_iter().chain([("drift", self.drift, 0)]) {
            levels.check().map_err(|error| error.in_key(key))?;
        }
        if self.oscillation != Levels::OFF && self.max_period < 2 {
            let message = "an oscillation has at least 2 calls: write at least 2, or `oscillation = { warn = 0, refuse = 0, abort = 0 }`";
            return Err(ConfigError::new(message).in_key("max_period"));
        }
        if self.window > MAX_WINDOW {
            return Err(ConfigError::new(format!("write at most {MAX_WINDOW}")).in_key("window"));
        }
        for (key, levels, calls) in patterns {
            let needed = (levels.largest() as usize).saturating_mul(calls);
            if self.window < needed {
                let window = self.window;
                let message =
                    format!("{window} calls have no room for `{key}`, which needs {needed}: write at least {needed}");
                return Err(ConfigError::new(message).in_key("window"));
            }
        }
        Ok(())
    }
}
