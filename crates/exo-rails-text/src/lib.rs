//! Text as people, models and tools read it.
//!
//! A rule that compares texts byte by byte is easy to evade: `delete\u{200b}_file` looks like `delete_file`, and so does a name
//! with a Cyrillic `е` in it. The functions of this crate read such texts as people do.
//!
//! | module | what | feature |
//! |---|---|---|
//! | [`invisible`] | the characters that people do not see | |
//! | [`names`] | names in messages: "did you mean" | |
//! | [`reading`] | a text with other characters, and the places of its source | |
//! | [`codes`] | escapes, percent codes and character references | `codes` |
//! | [`json`] | JSON with one text for each value | `json` |
//! | [`views`] | the texts inside of a text: in codes, base64 and hexadecimal | `unicode` |
//! | [`look`] | characters as they look: without case, accents and variants | `unicode` |
//! | [`spelling`] | whole names and texts in all the ways in which they can be read | `unicode` |

#[cfg(feature = "codes")]
pub mod codes;
pub mod invisible;
#[cfg(feature = "json")]
pub mod json;
#[cfg(feature = "unicode")]
pub mod look;
pub mod names;
pub mod reading;
#[cfg(feature = "unicode")]
pub mod spelling;
#[cfg(feature = "unicode")]
pub mod views;
