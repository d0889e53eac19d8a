//! Searching texts for secrets and personal data.
//!
//! The guards [`Secrets`](crate::Secrets) and [`PersonalData`](crate::PersonalData) share this search. It has these parts:
//!
//! - A search for fixed texts finds the places where a match of any rule may begin. It runs once for all rules.
//! - A regex says what a match looks like. All regexes search in linear time.
//! - The entropy, a checksum and allowlists say whether a match is a secret.
//!
//! A text with codes, hidden characters or look-alikes has several readings, for example the strings of JSON. Each of them is searched.
//!
//! Each rule has a match or none at each place of a text, and that does not depend on where a search began. So the search in a
//! stream finds the same secrets as the search in the whole text. It holds back the text from the first place where a match may
//! begin or may still grow, in each reading. An unfinished match that is longer than [`LONGEST_UNFINISHED`] bytes leaves. A match
//! that is complete and still grows is held back until it ends.
//!
//! The text with its marks is searched again, because a mark may complete a match beside it. The search of a whole text and the
//! search in a stream do this at most eight times.

mod action;
mod built_in;
mod config;
mod cut_off;
mod engine;
mod entropy;
mod in_readings;
mod json;
mod literals;
mod places;
mod prefixes;
mod readings;
mod redactor;
mod rule;
mod starts;
mod syntax;

pub(crate) use action::chosen;
pub(crate) use built_in::{Begins, BuiltIn, Except};
pub(crate) use config::RuleFile;
pub(crate) use cut_off::CutOff;
pub use exo_rails_policy::Action;
pub use exo_rails_policy::Actions;
pub use exo_rails_policy::At;
pub use exo_rails_policy::Override;
pub use exo_rails_policy::secrets::AllowlistConfig;
pub use exo_rails_policy::secrets::RuleConfig;
pub(crate) use in_readings::InReadings;
pub(crate) use prefixes::is_word_byte;
pub(crate) use readings::of as readings_of;
pub(crate) use redactor::{Redactor, Settings, plain};
pub use rule::LONGEST_UNFINISHED;
pub(crate) use rule::{AfterWord, Candidate, Check, Judge, RecogniserRegex, Rule};
pub(crate) use starts::{FindStart, Start};
