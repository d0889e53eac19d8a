//! Searches for words as people read them: in any case, spelling of letters, and spacing.

mod finder;
pub(crate) mod phrasing;
mod places;

pub(crate) use finder::{Alike, Finder, View, Wording};
pub(crate) use phrasing::Phrasing;
pub(crate) use places::{Text, each_text, each_text_in, each_text_of};
