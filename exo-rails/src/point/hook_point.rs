//! The runtime value of an event.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use exo_rails_text::names::advice_or;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::event_table::event_table;
use super::text;

/// When an event fires, in the words of the table.
#[expect(non_camel_case_types, reason = "they are written so in the table")]
enum When {
    before,
    after,
    end,
}

macro_rules! hook_points {
    ($(
        $(#[$doc:meta])*
        $event:ident = $number:literal $name:literal $when:ident
            ($($mode:ident $part:ident: $type:ty),+) -> $substitute:ident, allows $allows:ident;
    )*) => {
        /// A point of an agent's lifecycle, as a value: the runtime side of an [event type](crate::events).
        ///
        /// `Display`, `FromStr` and serde use the event's name in snake case. `FromStr` and serde do not read custom
        /// events, because a name alone does not identify one.
        ///
        /// ```
        /// use exo_rails::HookPoint;
        ///
        /// assert_eq!(HookPoint::PreToolCall.to_string(), "pre_tool_call");
        /// assert_eq!("post_llm_call".parse(), Ok(HookPoint::PostLlmCall));
        /// let error = "pre_tool_cal".parse::<HookPoint>().unwrap_err();
        /// assert_eq!(error.to_string(), "unknown event `pre_tool_cal`; did you mean `pre_tool_call`?");
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        // The tag is as wide as the field beside it in decisions. With a narrower tag, the compiler copies the padding byte
        // by byte.
        #[repr(u64)]
        #[non_exhaustive]
        pub enum HookPoint {
            $($(#[$doc])* $event,)*
            /// A custom event: see [`#[derive(Event)]`](derive@crate::Event).
            Custom(&'static CustomPoint),
        }

        impl HookPoint {
            /// Every point of the library, in the order in which a session can reach them. Custom events are not in the
            /// list.
            pub const ALL: &'static [Self] = &[$(Self::$event,)*];

            /// Returns the name in snake case, as in `Display` and serde.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$event => $name,)*
                    Self::Custom(point) => point.name,
                }
            }

            /// Returns the name of the event type of this point, for the compiler's messages.
            pub(crate) const fn event_name(self) -> &'static str {
                match self {
                    $(Self::$event => stringify!($event),)*
                    Self::Custom(point) => point.event,
                }
            }

            /// Returns the index of this point in [`HookPoint::ALL`]. The number of a custom event is greater than these,
            /// and several custom events may share it.
            pub(crate) const fn number(self) -> u32 {
                match self {
                    $(Self::$event => $number,)*
                    Self::Custom(point) => point.number,
                }
            }

            /// Returns `true` if the event fires after the step that it reports. In an [onion](crate::Chain), the rails of
            /// such an event run in reverse order.
            #[must_use]
            pub const fn is_after(self) -> bool {
                match self {
                    $(Self::$event => !matches!(When::$when, When::before),)*
                    Self::Custom(point) => point.after,
                }
            }

            /// Returns `true` if the event reports the end of a run or a session. Its rails have nothing to stop.
            pub(crate) const fn is_the_end(self) -> bool {
                match self {
                    $(Self::$event => matches!(When::$when, When::end),)*
                    Self::Custom(_) => false,
                }
            }
        }
    };
}

event_table!(hook_points);

impl HookPoint {
    /// The number of points of the library.
    pub(crate) const COUNT: usize = Self::ALL.len();

    /// Returns `true` if both are the same point. The sorting in constants needs a `const fn`.
    pub(crate) const fn same(self, other: Self) -> bool {
        match (self, other) {
            (Self::Custom(one), Self::Custom(other)) => one.same(other),
            (Self::Custom(_), _) | (_, Self::Custom(_)) => false,
            _ => self.number() == other.number(),
        }
    }
}

/// A custom event, as a value. [`#[derive(Event)]`](derive@crate::Event) makes it from the name and the module of the
/// event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CustomPoint {
    name: &'static str,
    event: &'static str,
    module: &'static str,
    after: bool,
    number: u32,
    operation: Option<&'static str>,
}

impl CustomPoint {
    #[doc(hidden)]
    #[must_use]
    pub const fn new(name: &'static str, event: &'static str, module: &'static str, after: bool) -> Self {
        Self { name, event, module, after, number: number_of(name), operation: None }
    }

    /// Marks the point as an event of a custom operation. Messages tell the author of a chain to list this operation.
    #[doc(hidden)]
    #[must_use]
    pub const fn of_operation(mut self, operation: &'static str) -> Self {
        self.operation = Some(operation);
        self
    }

    /// The operation that this event belongs to. `None` if the event was declared alone.
    pub(crate) const fn operation(&self) -> Option<&'static str> {
        self.operation
    }

    /// The same as a bit; 0 for an event of no operation.
    pub(crate) const fn operation_bit(&self) -> u64 {
        match self.operation {
            Some(operation) => 1 << number_of(operation),
            None => 0,
        }
    }

    /// The name from `#[event(name = "…")]`, or else the name of the type in snake case.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The module that declares the event. It distinguishes events of the same name.
    #[must_use]
    pub const fn module(&self) -> &'static str {
        self.module
    }

    const fn same(&self, other: &Self) -> bool {
        self.number == other.number
            && text::same(self.name, other.name)
            && text::same(self.event, other.event)
            && text::same(self.module, other.module)
    }
}

/// Returns a number greater than those of the library's points and less than 64, so that it fits a set of bits. Different
/// names may get the same number: the number only speeds up the comparison of points.
const fn number_of(name: &str) -> u32 {
    let (bytes, mut sum, mut i) = (name.as_bytes(), 0_u32, 0);
    while i < bytes.len() {
        sum = sum.wrapping_mul(31).wrapping_add(bytes[i] as u32);
        i += 1;
    }
    let count = HookPoint::Dropped.number() + 1;
    count + sum % (u64::BITS - count)
}

impl Serialize for HookPoint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for HookPoint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name: Cow<'de, str> = Deserialize::deserialize(deserializer)?;
        name.parse().map_err(D::Error::custom)
    }
}

impl fmt::Display for HookPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// An error: the text is not the name of an event.
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

/// Returns a hint with the nearest name, or with all names if none is near.
fn hint(name: &str) -> String {
    let names: Vec<&str> = HookPoint::ALL.iter().map(|point| point.name()).collect();
    // Finds the event by the name of its type too: `PreToolCall`.
    advice_or(name, "expected one of", &names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_numbered_in_their_order() {
        let numbers: Vec<_> = HookPoint::ALL.iter().map(|point| point.number()).collect();
        assert_eq!(numbers, (0..).take(HookPoint::COUNT).collect::<Vec<_>>());
        for name in ["", "tick", "memories_recalled", "a name that is long"] {
            assert!((HookPoint::COUNT..64).contains(&(number_of(name) as usize)), "{name}");
        }
    }
}
