//! Finds the fixtures of a package, in `fail/<topic>/<rule>.rs`.
//!
//! A fixture that no test runs is lost without a trace. So a file at another depth is an error.

use std::fs;
use std::path::{Path, PathBuf};

/// How many parts the path of a program has.
const PARTS: usize = 3;

/// The programs in `fail`, sorted, as paths from the root of the package.
///
/// # Errors
/// The files that are neither a program nor the message of one. Without any program, the list is empty.
pub(crate) fn programs(package: &Path) -> Result<Vec<PathBuf>, Vec<PathBuf>> {
    let mut files = Vec::new();
    walk(package, Path::new("fail"), &mut files);
    files.sort();
    let is_program = |file: &Path| has_extension(file, "rs") && file.components().count() == PARTS;
    let (programs, others): (Vec<_>, Vec<_>) = files.into_iter().partition(|file| is_program(file));
    let is_message = |file: &Path| programs.contains(&file.with_extension("rs"));
    let is_stray = |file: &PathBuf| has_extension(file, "rs") || has_extension(file, "stderr") && !is_message(file);
    let strays: Vec<_> = others.into_iter().filter(is_stray).collect();
    if strays.is_empty() && !programs.is_empty() { Ok(programs) } else { Err(strays) }
}

fn has_extension(file: &Path, extension: &str) -> bool {
    file.extension().is_some_and(|found| found == extension)
}

/// Collects all files below a folder. A folder that cannot be read has none.
fn walk(root: &Path, folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(root.join(folder)).into_iter().flatten().flatten() {
        let path = folder.join(entry.file_name());
        if root.join(&path).is_dir() { walk(root, &path, files) } else { files.push(path) }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use std::fs;
    use std::path::PathBuf;

    use tempfile::TempDir;

    use super::programs;

    /// A folder with these files, which are empty.
    fn folder_with(files: &[&str]) -> TempDir {
        let root = tempfile::tempdir().unwrap();
        for file in files {
            let file = root.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        root
    }

    #[test]
    fn each_program_of_a_new_folder_is_found_in_order() {
        let root =
            folder_with(&["fail/old/b.rs", "fail/old/b.stderr", "fail/old/a.rs", "fail/new/c.rs", "fail/new/notes.md"]);
        let found = programs(root.path());
        assert_eq!(found, Ok(["fail/new/c.rs", "fail/old/a.rs", "fail/old/b.rs"].map(PathBuf::from).to_vec()));
    }

    #[test]
    fn a_file_that_no_test_would_run_is_an_error() {
        for stray in ["fail/a.rs", "fail/old/deep/a.rs", "fail/old/no_program.stderr", "fail/old/deep/a.stderr"] {
            let root = folder_with(&["fail/old/a.rs", "fail/old/a.stderr", stray]);
            assert_eq!(programs(root.path()), Err(vec![PathBuf::from(stray)]));
        }
    }

    #[test]
    fn a_folder_without_programs_is_an_error() {
        let root = folder_with(&["fail/old/notes.md"]);
        assert_eq!(programs(root.path()), Err(Vec::new()));
    }
}
