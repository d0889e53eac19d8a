//! Pages to read; there is no code in here.

pub mod lifecycle_hooks {
    #![doc = include_str!("lifecycle_hooks.md")]
}

pub mod mistakes {
    #![doc = include_str!("mistakes.md")]
}
