//! Reads the files of machines.

use std::path::{Path, PathBuf};

use exo_rails_dygram::{Directory, Machine, Reader, Reading};

use crate::arguments::SourceOptions;
use crate::failure::Failure;

/// Reads a file. Returns also the name of the file in mistakes.
pub(crate) fn read(file: &Path, options: &SourceOptions) -> Result<Reading, Failure> {
    let root = root(file, options)?;
    let root = root.canonicalize().map_err(|error| Failure::of_file(&root, error))?;
    let whole = file.canonicalize().map_err(|error| Failure::of_file(file, error))?;
    let Ok(inner) = whole.strip_prefix(&root) else {
        return Err(Failure::of_file(file, format_args!("the file is not in the directory {}", root.display())));
    };
    let name = inner.to_str().ok_or_else(|| Failure::of_file(file, "the name of the file is not Unicode"))?;
    let directory = Directory::new(&root);
    let reader = Reader::new().with_loader(&directory);
    let reader = if options.strict { reader.strict() } else { reader };
    reader.read_file(&name.replace(std::path::MAIN_SEPARATOR, "/")).map_err(|error| Failure::of_file(file, error))
}

fn root(file: &Path, options: &SourceOptions) -> Result<PathBuf, Failure> {
    if let Some(root) = &options.root {
        return Ok(root.clone());
    }
    let parent = file.parent().ok_or_else(|| Failure::of_file(file, "this is a directory"))?;
    Ok(if parent.as_os_str().is_empty() { PathBuf::from(".") } else { parent.to_owned() })
}

/// Reads a machine that can be used. Prints all mistakes and warnings.
pub(crate) fn machine(file: &Path, options: &SourceOptions) -> Result<Machine, Failure> {
    let reading = read(file, options)?;
    print(&reading);
    if reading.report.has_errors() {
        return Err(Failure::mistakes(&file.display().to_string(), &reading.report));
    }
    Ok(reading.machine)
}

/// Prints the mistakes and the warnings of a file.
pub(crate) fn print(reading: &Reading) {
    if !reading.report.diagnostics().is_empty() {
        anstream::eprintln!("{}", reading.report.to_coloured().trim_end());
    }
}
