//! Pages to read; there is no code in here.

pub mod mistakes {
    #![doc = include_str!("mistakes.md")]
}
