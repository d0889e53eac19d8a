//! `exo-rails machine fmt`

use std::io::{Read, Write};
use std::path::Path;
use std::process::ExitCode;
use std::{fs, io};

use crate::arguments::FmtOptions;
use crate::failure::Failure;

/// Formats files.
pub(crate) fn fmt(options: &FmtOptions) -> Result<ExitCode, Failure> {
    let mut others = Vec::new();
    let mut failure = None;
    for file in &options.files {
        match format_one(file, options.check) {
            Ok(true) => {}
            Ok(false) => others.push(format!("`{}`", file.display())),
            // The other files are formatted, too.
            Err(error) => drop(failure.get_or_insert(error)),
        }
    }
    match failure {
        Some(failure) => Err(failure),
        None if options.check && !others.is_empty() => Err(Failure::NotFormatted { files: others }),
        None => Ok(ExitCode::SUCCESS),
    }
}

/// Formats a file. Returns whether it was formatted before.
fn format_one(file: &Path, only_checks: bool) -> Result<bool, Failure> {
    let is_input = file == Path::new("-");
    let text = if is_input {
        let mut text = String::new();
        io::stdin().read_to_string(&mut text).map(|_| text)
    } else {
        fs::read_to_string(file)
    };
    let text = text.map_err(|error| Failure::of_file(file, error))?;
    let name = if is_input { "<stdin>".to_owned() } else { file.display().to_string() };
    let formatted = exo_rails_dygram::format(&name, &text).map_err(|report| {
        anstream::eprintln!("{}", report.to_coloured().trim_end());
        Failure::mistakes(&name, &report)
    })?;
    let result = match (only_checks, is_input) {
        (true, _) => Ok(()),
        (false, true) => io::stdout().write_all(formatted.as_bytes()),
        (false, false) if formatted == text => Ok(()),
        (false, false) => fs::write(file, &formatted),
    };
    result.map_err(|error| Failure::of_file(file, error))?;
    Ok(formatted == text)
}
