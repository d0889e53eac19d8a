//! Pages to read; there is no code in here.
// The pages name other pages by their files. Of two definitions of a link the first counts.

pub mod lifecycle_hooks {
    #![doc = include_str!("lifecycle_hooks.md")]
}

pub mod mistakes {
    //! [events]: super::tour#events
    #![doc = include_str!("mistakes.md")]
}

pub mod redaction {
    #![doc = include_str!("redaction.md")]
}

pub mod tour {
    //! [mistakes]: super::mistakes
    //! [hooks]: super::lifecycle_hooks
    //! [redaction]: super::redaction
    //! [faults]: crate::OnFault
    //! [readme]: crate
    #![doc = include_str!("tour.md")]
}
