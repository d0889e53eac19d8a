//! The runtime value of an event.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

macro_rules! hook_points {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// A point of an agent's lifecycle, as a value: the runtime side of an [event type](crate::events).
        ///
        /// Its name, in `Display`, `FromStr` and serde, is the event's name in snake case.
        ///
        /// ```
        /// use exo_rails::HookPoint;
        ///
        /// assert_eq!(HookPoint::PreToolCall.to_string(), "pre_tool_call");
        /// assert_eq!("post_llm_call".parse(), Ok(HookPoint::PostLlmCall));
        /// let error = "pre_tool_cal".parse::<HookPoint>().unwrap_err();
        /// assert_eq!(error.to_string(), "unknown event `pre_tool_cal`; did you mean `pre_tool_call`?");
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        // As wide as what stands beside it in decisions: narrower, the padding after it is copied byte by byte.
        #[repr(u64)]
        #[non_exhaustive]
        pub enum HookPoint {
            $($(#[$doc])* $variant,)*
        }

        impl HookPoint {
            /// Every point, in the order in which a run can reach them.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name in snake case, as in `Display` and serde.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The name of the event type of this point, for the compiler's messages.
            pub(crate) const fn event_name(self) -> &'static str {
                match self { $(Self::$variant => stringify!($variant),)* }
            }
        }
    };
}

hook_points! {
    /// A run begins.
    Start = "start",
    /// The model is about to be called.
    PreLlmCall = "pre_llm_call",
    /// The model has answered.
    PostLlmCall = "post_llm_call",
    /// The call of the model has failed.
    LlmError = "llm_error",
    /// A tool is about to be called.
    PreToolCall = "pre_tool_call",
    /// A tool has returned.
    PostToolCall = "post_tool_call",
    /// A tool has failed.
    ToolError = "tool_error",
    /// A run has its answer.
    Finished = "finished",
    /// A run ends with an error.
    Error = "error",
}

impl HookPoint {
    /// How many points there are.
    pub(crate) const COUNT: usize = Self::ALL.len();

    /// The place of this point in [`HookPoint::ALL`].
    pub(crate) const fn index(self) -> usize {
        self as usize
    }

    /// Whether the two are the same point, for the sorting in constants.
    pub(crate) const fn same(self, other: Self) -> bool {
        self as u8 == other as u8
    }
}

impl fmt::Display for HookPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A text that names no event.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown event `{name}`; {hint}")]
pub struct UnknownHookPoint {
    /// The text.
    pub name: String,
    hint: String,
}

impl FromStr for HookPoint {
    type Err = UnknownHookPoint;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .iter()
            .copied()
            .find(|point| point.name() == name)
            .ok_or_else(|| UnknownHookPoint { name: name.to_owned(), hint: hint(name) })
    }
}

/// The nearest name, when one is near; otherwise all of them.
fn hint(name: &str) -> String {
    // Also for the name of the type: `PreToolCall`.
    let plain = |name: &str| name.replace('_', "").to_lowercase();
    let distance = |point: &HookPoint| strsim::damerau_levenshtein(&plain(point.name()), &plain(name));
    match HookPoint::ALL.iter().min_by_key(|point| distance(point)) {
        Some(nearest) if distance(nearest) <= 3 => format!("did you mean `{nearest}`?"),
        _ => {
            let names: Vec<_> = HookPoint::ALL.iter().map(|point| format!("`{point}`")).collect();
            format!("expected one of {}", names.join(", "))
        }
    }
}
