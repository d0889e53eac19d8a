//! Pages to read; there is no code in here.
// The pages name other pages by their files. Of two definitions of a link the first counts.

pub mod mistakes {
    #![doc = include_str!("mistakes.md")]
}
