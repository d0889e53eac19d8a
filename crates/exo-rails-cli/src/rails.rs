//! The rails of a machine that the program runs.

use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use exo_rails::prelude::*;
use exo_rails_guards::approval::visible;
use exo_rails_guards::audit::{Audit, Audited};
use exo_rails_guards::kit::PolicyConfig;
use exo_rails_guards::{ConfigError, Kit, config};
use exo_rails_machine::Transition;

use crate::failure::Failure;

rail_chain! {
    /// The guards of the policy file, and the line that shows what happens.
    #[chain(operations = [Transition])]
    pub(crate) struct MachineRails {
        status: StatusLine,
        kit: Kit,
    }
}

/// The rails, with the audit log of the policy around them.
pub(crate) type AuditedRails = Audited<MachineRails>;

/// The audit log of the policy. The page makes new rails for each execution, and a log has one writer at a time. So the log
/// outlives the rails.
#[derive(Debug, Default)]
pub(crate) struct AuditLog(Mutex<Option<Audit>>);

impl AuditLog {
    /// Opens the log that a policy file asks for, or returns the open one. Returns `None` if the file has no table `audit`.
    fn of_file(&self, file: &Path) -> Result<Option<Audit>, ConfigError> {
        // A mistake is reported with its place when the kit is made.
        let policy = config::read(file).ok().and_then(|text| config::from_toml::<PolicyConfig>(&text).ok());
        let Some(wanted) = policy.and_then(|policy| policy.audit) else { return Ok(None) };
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if log.is_none() {
            *log = Some(Audit::new(wanted).map_err(|error| error.in_key("audit").in_file(file))?);
        }
        Ok(log.clone())
    }
}

impl MachineRails {
    /// Reads the guards from a policy file. Without a file, the machine has no guards.
    pub(crate) fn read(policy: Option<&Path>, status: StatusLine, log: &AuditLog) -> Result<AuditedRails, Failure> {
        Self::made(policy, status, log).map_err(|error| Failure::Usage(error.to_string()))
    }

    fn made(policy: Option<&Path>, status: StatusLine, log: &AuditLog) -> Result<AuditedRails, ConfigError> {
        let audit = policy.map(|file| log.of_file(file)).transpose()?.flatten();
        let kit = match (policy, &audit) {
            (Some(file), Some(audit)) => Kit::builder().audit(audit.clone()).from_file(file)?,
            (Some(file), None) => Kit::from_file(file)?,
            (None, _) => Kit::default(),
        };
        // Without a log, the records go nowhere.
        let audit = audit.map_or_else(|| Audit::to_sink(Audit::builder(), io::sink()), Ok)?;
        Ok(audit.wrap(Self { status, kit }))
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
