//! The audit log, as somebody outside of the program sees it.

use std::fs;
use std::path::Path;

use exo_rails_guards::audit::{Head, Problem, Verify, VerifyError};
use serde::Deserialize;

use crate::Result;

/// What an intruder does to a log after the run.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Tampers {
    /// Writes another tool into a record.
    Edit,
    /// Removes the line of a record.
    Remove,
    /// Cuts off the last lines.
    Cut,
}

impl Tampers {
    /// Changes a log.
    pub(crate) fn change(self, log: &Path) -> Result<()> {
        let text = fs::read_to_string(log)?;
        let is_refund = |line: &&str| line.contains("refund");
        let changed = match self {
            Self::Edit => text.replacen("refund", "search", 1),
            Self::Remove => {
                let place = text.lines().position(|line| is_refund(&line)).ok_or("the log has no refund")?;
                let lines = text.split_inclusive('\n').enumerate();
                lines.filter(|(number, _)| *number != place).map(|(_, line)| line).collect()
            }
            Self::Cut => text.split_inclusive('\n').take_while(|line| !is_refund(line)).collect(),
        };
        if changed == text {
            return Err("the log has no record of the refund".into());
        }
        Ok(fs::write(log, changed)?)
    }
}

/// Checks a log against its head, which was kept elsewhere. Returns the name of what is wrong.
pub(crate) fn problem(log: &Path, head: Head) -> Option<String> {
    let problem = match Verify::new().expect(head).log(log) {
        Ok(_) => return None,
        Err(VerifyError::Log { problem, .. }) => problem,
        Err(error) => return Some(error.to_string()),
    };
    Some(match problem {
        Problem::Edited => "edited".to_owned(),
        Problem::Missing { .. } => "missing".to_owned(),
        Problem::Cut { .. } => "cut".to_owned(),
        other => other.to_string(),
    })
}
