//! The files of a log.

use std::path::{self, Path, PathBuf};
use std::{fs, io};

/// Returns the path of a file of a log. File 0 has the path of the log, and file 2 of `audit.jsonl` is `audit.2.jsonl`.
pub(crate) fn file_path(log: &Path, number: u64) -> PathBuf {
    if number == 0 {
        return log.to_owned();
    }
    let mut name = log.file_stem().unwrap_or_default().to_owned();
    name.push(format!(".{number}"));
    if let Some(extension) = log.extension() {
        name.push(".");
        name.push(extension);
    }
    log.with_file_name(name)
}

/// Returns the absolute path of a log. If the path is a symbolic link, returns the path to which it leads: the further files of the
/// log are next to the first one, whatever its name is.
pub(crate) fn log_path(log: &Path) -> io::Result<PathBuf> {
    let path = path::absolute(log)?;
    match fs::symlink_metadata(&path) {
        Ok(found) if found.is_symlink() => match fs::canonicalize(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(io::Error::new(error.kind(), "it is a symbolic link to a file that does not exist"))
            }
            result => result,
        },
        _ => Ok(path),
    }
}

/// Returns the numbers of the files that exist, in their order.
pub(crate) fn existing(log: &Path) -> io::Result<Vec<u64>> {
    let folder = log.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut numbers = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = PathBuf::from(entry?.file_name());
        if let Some(number) = number_of(log, &name) {
            numbers.push(number);
        }
    }
    numbers.sort_unstable();
    Ok(numbers)
}

fn number_of(log: &Path, name: &Path) -> Option<u64> {
    if log.file_name()? == name.as_os_str() {
        return Some(0);
    }
    let stem = name.file_stem()?.to_str()?;
    let number = if log.extension().is_some() { stem.rsplit_once('.')?.1 } else { name.extension()?.to_str()? };
    let number = number.parse().ok().filter(|number| *number > 0)?;
    (file_path(log, number).file_name()? == name.as_os_str()).then_some(number)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may panic")]
mod tests {
    use super::*;

    #[test]
    fn a_log_recognises_its_files_by_their_numbers() {
        for (log, second) in [("logs/audit.jsonl", "logs/audit.2.jsonl"), ("audit", "audit.2"), ("a.b.c", "a.b.2.c")] {
            let log = Path::new(log);
            assert_eq!(file_path(log, 2), Path::new(second));
            assert_eq!(number_of(log, Path::new(Path::new(second).file_name().unwrap())), Some(2));
            assert_eq!(number_of(log, Path::new(log.file_name().unwrap())), Some(0));
        }
        let other =
            ["audit.0.jsonl", "audit.02.jsonl", "audit.x.jsonl", "audit.jsonl.lock", "audit.2.json", "audits.2.jsonl"];
        for other in other {
            assert_eq!(number_of(Path::new("audit.jsonl"), Path::new(other)), None, "{other}");
        }
    }
}
