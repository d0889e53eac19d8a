//! The table `loops`.

use serde::{Deserialize, Deserializer, Serialize};

use crate::builder::setters;
use crate::list::one_or_many;
use crate::table::{Table, named};
use crate::{ConfigError, ToolPattern};

/// The largest [`window`](field@LoopsConfig::window).
const MAX_WINDOW: usize = 4_096;

/// The configuration of `Loops`.
///
/// ```
/// use exo_rails_policy::loops::{Levels, LoopsConfig};
///
/// let config: LoopsConfig = exo_rails_policy::from_toml(r#"
///     repetition = { abort = 20 }
///     drift = { warn = 0, refuse = 0, abort = 0 }
///     exempt = ["wait", "poll_*"]
/// "#)?;
/// assert_eq!(config.repetition, Levels::new(3, 5, 20));
/// assert_eq!(config.drift, Levels::OFF);
/// # Ok::<(), exo_rails_policy::ConfigError>(())
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
    /// `Progress`. The default is `warn = 10`, `refuse = 15`, `abort = 20`.
    #[serde(deserialize_with = "drift")]
    pub drift: Levels,
    /// The levels for calls of tools that [wait](Self::waits), with the same arguments and the same result in a row, if they come
    /// faster than [`wait_ms`](Self::wait_ms). The numbers count calls. The default is `warn = 25`, `refuse = 50`, `abort = 100`.
    #[serde(deserialize_with = "waiting")]
    pub waiting: Levels,
    /// The time from one call of a tool that waits to the next after which the next one does not count, in milliseconds. The
    /// default is 1000.
    pub wait_ms: u64,
    /// The most calls in a round of an oscillation. At least 2. The default is 8.
    pub max_period: usize,
    /// The number of calls that the guard remembers. At most 4096. The default is 64. It must be at least the largest level of
    /// each pattern. For oscillation, it must be at least the largest level times `max_period`.
    pub window: usize,
    /// The tools whose calls the guard ignores, such as a tool that waits. The calls A, `wait`, A, `wait`, A are the call A
    /// three times in a row.
    #[serde(deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub exempt: Vec<ToolPattern>,
    /// The tools that wait: they look after a job, read a terminal, or press a key. The other patterns ignore their calls, as those
    /// of [`exempt`](Self::exempt), and [`waiting`](Self::waiting) limits them. By default, these are `wait`, `wait_*`, `*_wait`,
    /// `*_wait_*`, `sleep`, `poll`, `poll_*`, `*_poll`, `*_status`, `*_output`, `press_key`, `*_press_key`, `send_keys`,
    /// `write_stdin`, `BashOutput` and `TaskOutput`. Names in another case are not meant.
    #[serde(deserialize_with = "one_or_many")]
    pub waits: Vec<ToolPattern>,
    /// The tools that reset the history, such as a tool that asks the user. The guard forgets all calls after a call of such a
    /// tool. So it never finds a loop that contains such a call.
    #[serde(deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub resets: Vec<ToolPattern>,
}

/// Whose calls `Loops` looks at together.
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

const WAITING: Levels = Levels::new(25, 50, 100);

/// Tools of well-known agents that wait, and usual names.
const WAITS: [&str; 16] = [
    "wait",
    "wait_*",
    "*_wait",
    "*_wait_*",
    "sleep",
    "poll",
    "poll_*",
    "*_poll",
    "*_status",
    "*_output",
    "press_key",
    "*_press_key",
    "send_keys",
    "write_stdin",
    "BashOutput",
    "TaskOutput",
];

fn waiting<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Levels, D::Error> {
    Levels::read(deserializer, WAITING)
}

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
            waiting: WAITING,
            wait_ms: 1_000,
            max_period: 8,
            window: 64,
            exempt: Vec::new(),
            // Each of them is a pattern: a test says so.
            waits: WAITS.iter().filter_map(|name| ToolPattern::new(*name).ok()).collect(),
            resets: Vec::new(),
        }
    }
}

setters!(LoopsConfig {
    scope: LoopScope,
    repetition: Levels,
    polling: Levels,
    oscillation: Levels,
    stagnation: Levels,
    redundancy: Levels,
    drift: Levels,
    waiting: Levels,
    wait_ms: u64,
    max_period: usize,
    window: usize,
    exempt: [ToolPattern],
    waits: [ToolPattern],
    resets: [ToolPattern],
});

impl LoopsConfig {
    /// Checks the values that need no engine.
    ///
    /// # Errors
    /// Returns an error that names the key, and says what to write.
    pub fn check(&self) -> Result<(), ConfigError> {
        let patterns = [
            ("repetition", self.repetition, 1),
            ("polling", self.polling, 1),
            ("oscillation", self.oscillation, self.max_period),
            ("stagnation", self.stagnation, 1),
            ("redundancy", self.redundancy, 1),
        ];
        for (key, levels, _) in patterns.into_iter().chain([("drift", self.drift, 0), ("waiting", self.waiting, 0)]) {
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

/// The numbers of calls at which `Loops` warns, refuses and ends the run. 0 means never, and 1 is an error.
///
/// The call that is about to begin counts too: with `refuse = 5`, four calls run, and the guard refuses the fifth. For
/// oscillation, the numbers count rounds instead of calls.
///
/// In a configuration, a missing key has the default of its pattern. So `repetition = { abort = 20 }` changes only one number.
///
/// ```
/// use exo_rails_policy::loops::{Levels, LoopsConfig};
///
/// let config: LoopsConfig = exo_rails_policy::from_toml("repetition = { warn = 2, refuse = 3, abort = 6 }")?;
/// assert_eq!(config.repetition, Levels::new(2, 3, 6));
/// # Ok::<(), exo_rails_policy::ConfigError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[non_exhaustive]
pub struct Levels {
    /// From this number on, the model reads a warning. It reads one warning for each loop.
    pub warn: u32,
    /// From this number on, the guard skips the calls, and the model reads the reason.
    pub refuse: u32,
    /// At this number, the run ends.
    pub abort: u32,
}

/// A consequence of a loop. The mildest is the smallest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The guard warns.
    Warn,
    /// It refuses the call.
    Refuse,
    /// It ends the run.
    Abort,
}

impl Levels {
    /// Turns a pattern off.
    pub const OFF: Self = Self::new(0, 0, 0);

    /// Makes levels. See the fields for the numbers.
    #[must_use]
    pub const fn new(warn: u32, refuse: u32, abort: u32) -> Self {
        Self { warn, refuse, abort }
    }

    /// Returns the consequence of a number of calls.
    #[must_use]
    pub fn of(self, count: u32) -> Option<Level> {
        let levels = [(self.abort, Level::Abort), (self.refuse, Level::Refuse), (self.warn, Level::Warn)];
        levels.into_iter().find(|(from, _)| *from > 0 && count >= *from).map(|(_, level)| level)
    }

    /// Returns the largest number, or 0 if the pattern is off.
    #[must_use]
    pub fn largest(self) -> u32 {
        self.warn.max(self.refuse).max(self.abort)
    }

    /// Checks the values that need no engine.
    ///
    /// # Errors
    /// Returns an error that names the key, and says what to write.
    pub fn check(self) -> Result<(), ConfigError> {
        let steps = [("warn", self.warn), ("refuse", self.refuse), ("abort", self.abort)];
        if let Some((key, _)) = steps.iter().find(|(_, count)| *count == 1) {
            return Err(ConfigError::new("a first call is not a loop: write at least 2, or 0 for never").in_key(key));
        }
        let mut before = ("", 0);
        for (key, count) in steps.into_iter().filter(|(_, count)| *count > 0) {
            if count < before.1 {
                let message = format!("{count} is less than `{}`, which is {}: write at least {1}", before.0, before.1);
                return Err(ConfigError::new(message).in_key(key));
            }
            before = (key, count);
        }
        Ok(())
    }

    /// Reads levels. A missing key has the default.
    ///
    /// # Errors
    /// A key is unknown, or a value is not a number of calls.
    pub fn read<'de, D: Deserializer<'de>>(deserializer: D, default: Self) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Given {
            warn: Option<u32>,
            refuse: Option<u32>,
            abort: Option<u32>,
        }

        let Given { warn, refuse, abort } = Given::deserialize(deserializer)?;
        Ok(Self::new(warn.unwrap_or(default.warn), refuse.unwrap_or(default.refuse), abort.unwrap_or(default.abort)))
    }
}

impl Table for LoopsConfig {
    const KEY: &'static str = "loops";

    fn tools(&self) -> Vec<(String, &str)> {
        [named("exempt", &self.exempt), named("resets", &self.resets)].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tool_that_waits_by_default_is_a_pattern() {
        let waits: Vec<String> = LoopsConfig::default().waits.iter().map(ToString::to_string).collect();
        assert_eq!(waits, WAITS);
    }
}
