//! The chain with all rails of the support agent.

use std::path::Path;

use exo_rails::prelude::*;

use crate::audit::audit;
use crate::files::{StayInside, keep_files, no_shell};
use crate::limits::{CallBudget, NoRepeats, back_off, input_length};
use crate::secrets::{KeepSecrets, RedactKeys};

rail_chain! {
    /// The rails on files. In the chain below, this chain runs as one rail.
    #[chain(priority = 20)]
    pub(crate) struct FileRails {
        no_shell,
        keep_files,
        stay_inside: StayInside,
    }
}

rail_chain! {
    /// All rails of the support agent. The order below is for reading; priorities decide.
    pub(crate) struct SupportRails {
        input_length,
        files: FileRails,
        redact_keys: RedactKeys,
        keep_secrets: KeepSecrets,
        no_repeats: NoRepeats,
        call_budget: CallBudget,
        back_off,
        audit,
    }
}

impl SupportRails {
    /// Makes the rails of an agent that works in the directory `root`.
    pub(crate) fn new(root: &Path) -> Self {
        Self {
            files: FileRails { stay_inside: StayInside::new(root) },
            redact_keys: RedactKeys::default(),
            keep_secrets: KeepSecrets::default(),
            no_repeats: NoRepeats { at_most: 2 },
            call_budget: CallBudget { at_most: 60 },
        }
    }
}
