//! Text as people, models and tools read it.
//!
//! A rule that compares texts byte by byte is easy to evade: `delete\u{200b}_file` looks like `delete_file`, and so does a name
//! with a Cyrillic `е` in it. The functions of this crate read such texts as people do.
//!
//! | module | what |
//! |---|---|
//! | [`invisible`] | the characters that people do not see |
//! | [`look`] | single characters as they look: without case, accents and variants |
//! | [`spelling`] | whole names and texts in all the ways in which they can be read |
//! | [`percent`] | percent codes, as in URLs |
//! | [`names`] | names in messages: "did you mean" |

pub mod invisible;
#[cfg(feature = "unicode")]
pub mod look;
pub mod names;
pub mod percent;
#[cfg(feature = "unicode")]
pub mod spelling;
