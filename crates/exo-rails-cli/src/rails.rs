//! The rails of a machine that the program runs.

use std::io::IsTerminal;
use std::path::Path;

use exo_rails::prelude::*;
use exo_rails_guards::Kit;
use exo_rails_guards::approval::visible;
use exo_rails_machine::Transition;

use crate::failure::Failure;

rail_chain! {
    /// The guards of the configuration file, and the line that shows what happens.
    #[chain(operations = [Transition])]
    pub(crate) struct MachineRails {
        status: StatusLine,
        kit: Kit,
    }
}

impl MachineRails {
    /// Reads the guards from a file. Without one, there are none.
    pub(crate) fn read(guards: Option<&Path>, status: StatusLine) -> Result<Self, Failure> {
        let kit = guards.map_or_else(|| Ok(Kit::default()), Kit::from_file);
        Ok(Self { status, kit: kit.map_err(|error| Failure::Usage(error.to_string()))? })
    }
}

/// A line at the bottom of a terminal that says what is under way. Each later line overwrites it.
#[derive(Clone, Debug)]
pub(crate) struct StatusLine {
    is_shown: bool,
}

impl StatusLine {
    /// Shows the line if the standard error is a terminal.
    pub(crate) fn on_terminals() -> Self {
        Self { is_shown: std::io::stderr().is_terminal() }
    }

    /// Shows nothing.
    pub(crate) const fn hidden() -> Self {
        Self { is_shown: false }
    }

    fn show(&self, text: &str) {
        if self.is_shown {
            let dim = anstyle::Style::new().dimmed();
            anstream::eprint!("\r\x1b[K{dim}{text} …{dim:#}");
        }
    }

    /// Removes the line, before another one is printed.
    pub(crate) fn clear(&self) {
        if self.is_shown {
            anstream::eprint!("\r\x1b[K");
        }
    }
}

// It runs after the guards, so it shows the calls that they let pass.
#[rail(priority = 90)]
impl StatusLine {
    #[on(PreLlmCall)]
    fn asks(&self) {
        self.show("asking the model");
    }

    #[on(PreToolCall)]
    fn calls(&self, call: &ToolCallInputs) {
        self.show(&format!("calling {}", visible(&call.tool_name)));
    }
}
