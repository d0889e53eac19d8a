//! Programs inside allowed directories.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use exo_rails_policy::ConfigError;

use super::HandlerFault;

/// Returns the allowed directories without symbolic links.
pub(crate) fn allowed_dirs(dirs: &[PathBuf]) -> Result<Arc<[PathBuf]>, ConfigError> {
    let resolved = dirs.iter().map(|dir| {
        let wrong = |what: &str| ConfigError::new(format!("`{}` {what}", dir.display())).in_key("allowed_dirs");
        if !dir.is_absolute() {
            return Err(wrong("is relative: write an absolute path"));
        }
        let resolved = fs::canonicalize(dir).map_err(|error| wrong(&format!("cannot be read: {error}")))?;
        if resolved.is_dir() { Ok(resolved) } else { Err(wrong("is not a directory")) }
    });
    resolved.collect()
}

/// Checks the program of a configuration.
pub(super) fn check(program: &Path, allowed: &[PathBuf]) -> Result<(), ConfigError> {
    let wrong = |what: &str| ConfigError::new(format!("`{}` {what}", program.display()));
    if !program.is_absolute() {
        return Err(wrong("is relative: write the absolute path of the program"));
    }
    if allowed.is_empty() {
        return Err(wrong("is a program, and `allowed_dirs` is empty: name the directory of the program there"));
    }
    let resolved = fs::canonicalize(program).map_err(|error| wrong(&format!("cannot be found: {error}")))?;
    if !is_inside(&resolved, allowed) {
        let shown = resolved.display();
        return Err(wrong(&format!("is `{shown}`, which is in none of the `allowed_dirs`")));
    }
    let metadata = fs::metadata(&resolved).map_err(|error| wrong(&format!("cannot be read: {error}")))?;
    if !metadata.is_file() || metadata.permissions().mode() & 0o111 == 0 {
        return Err(wrong("is not an executable file: set its execute permission"));
    }
    Ok(())
}

/// Returns the path of the program without symbolic links.
pub(super) fn resolve(program: &Path, allowed: &[PathBuf]) -> Result<PathBuf, HandlerFault> {
    let resolved = fs::canonicalize(program).map_err(HandlerFault::Spawn)?;
    if !is_inside(&resolved, allowed) {
        return Err(HandlerFault::ProgramMoved);
    }
    if resolved.is_file() { Ok(resolved) } else { Err(HandlerFault::Spawn(io::ErrorKind::PermissionDenied.into())) }
}

/// Compares whole components, so `/hooks` does not admit `/hooks-evil`.
fn is_inside(resolved: &Path, allowed: &[PathBuf]) -> bool {
    allowed.iter().any(|dir| resolved.starts_with(dir))
}
