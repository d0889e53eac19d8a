//! The numbers of calls at which the guard acts.

use serde::{Deserialize, Deserializer, Serialize};

use crate::ConfigError;

/// The numbers of calls at which [`Loops`](super::Loops) warns, refuses and ends the run. 0 means never, and 1 is an error.
///
/// The call that is about to begin counts too: with `refuse = 5`, four calls run, and the guard refuses the fifth. For
/// oscillation, the numbers count rounds instead of calls.
///
/// In a configuration, a missing key has the default of its pattern. So `repetition = { abort = 20 }` changes only one number.
///
/// ```
/// use exo_rails_guards::loops::{Levels, Loops};
///
/// let loops = Loops::builder().repetition(Levels::new(2, 3, 6)).oscillation(Levels::OFF).build()?;
/// # Ok::<(), exo_rails_guards::ConfigError>(())
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
pub(super) enum Level {
    Warn,
    Refuse,
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
    pub(super) fn of(self, count: u32) -> Option<Level> {
        let levels = [(self.abort, Level::Abort), (self.refuse, Level::Refuse), (self.warn, Level::Warn)];
        levels.into_iter().find(|(from, _)| *from > 0 && count >= *from).map(|(_, level)| level)
    }

    /// Returns the largest number, or 0 if the pattern is off.
    pub(super) fn largest(self) -> u32 {
        self.warn.max(self.refuse).max(self.abort)
    }

    pub(super) fn check(self) -> Result<(), ConfigError> {
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
    pub(super) fn read<'de, D: Deserializer<'de>>(deserializer: D, default: Self) -> Result<Self, D::Error> {
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
