//! `exo-rails machine check`

use std::process::ExitCode;

use exo_rails_machine::Plan;

use crate::arguments::CheckOptions;
use crate::failure::{Failure, shown_lines};
use crate::source;

/// Reports all mistakes in files.
pub(crate) fn check(options: &CheckOptions) -> Result<ExitCode, Failure> {
    let mut wrong = Vec::new();
    let mut errors = 0;
    for file in &options.files {
        let reading = source::read(file, &options.source)?;
        source::print(&reading);
        let mut found = reading.report.errors().count();
        if found == 0
            && let Err(error) = Plan::new(&reading.machine)
        {
            for problem in &error.problems {
                let red = anstyle::AnsiColor::Red.on_default().bold();
                anstream::eprintln!("{red}error:{red:#} {}: {}", file.display(), shown_lines(problem));
            }
            found = error.problems.len();
        }
        if found > 0 {
            wrong.push(format!("`{}`", file.display()));
            errors += found;
        }
    }
    if wrong.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    Err(Failure::Mistakes { files: wrong.join(", "), errors })
}
