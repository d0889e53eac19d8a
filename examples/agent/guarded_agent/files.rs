//! Rails on the files that the agent reads and writes.

use std::ffi::OsStr;
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};

use exo_rails::prelude::*;
use tokio::fs;

/// Ends a run that asks for a shell. A shell could do everything that the other rails forbid.
#[rail(priority = 5, on = [PreToolCall])]
pub(crate) fn no_shell(call: &ToolCallInputs) -> Verdict {
    match call.tool_name.as_str() {
        shell @ ("run_shell" | "shell" | "bash" | "exec") => {
            Verdict::abort(format!("`{shell}` could do anything, so no agent gets it"))
        }
        _ => Verdict::Continue,
    }
}

/// Skips calls that delete a file. The run continues, and the model reads the reason.
#[rail(priority = 10, on = [PreToolCall])]
pub(crate) fn keep_files(call: &ToolCallInputs) -> RailAction {
    if call.tool_name == "delete_file" {
        return RailAction::skip("files are deleted by people, not by agents");
    }
    RailAction::Continue
}

/// Refuses paths that lead out of the agent's directory: through `..`, from the root, or through a link.
pub(crate) struct StayInside {
    root: PathBuf,
}

#[rail(name = "stay_inside", priority = 20)]
impl StayInside {
    /// Every tool with a path has the argument `path`. The rail replaces it with the plain path below the root. So the
    /// tool opens the file that the rail checked, and later rails know each file by one name.
    #[on(PreToolCall)]
    async fn check(&self, call: &mut ToolCallInputs) -> RailAction {
        // A tool may accept a list as its arguments, by their order. This rail would not find the path in a list.
        if call.arguments.is_array() {
            return RailAction::skip("arguments without names cannot be looked at");
        }
        let Some(path) = call.str_argument("path") else { return RailAction::Continue };
        match self.plain_path(path).await {
            Ok(Some(plain)) => {
                call.arguments["path"] = plain.into();
                RailAction::Continue
            }
            Ok(None) => RailAction::skip(format!("`{path}` leads out of the directory of this agent")),
            // This is a skip and not an `Err`. An `Err` would be a fault and end the run, but a wrong path is a mistake
            // of the model.
            Err(error) => RailAction::skip(format!("it is not clear where `{path}` leads: {error}")),
        }
    }
}

impl StayInside {
    /// `root` must be canonical.
    pub(crate) fn new(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    /// Returns the path relative to the root, without links and dots. Returns `None` if the path leads out of the root.
    async fn plain_path(&self, path: &str) -> Result<Option<String>, Error> {
        let target = canonical(&self.root.join(path)).await?;
        let Ok(inside) = target.strip_prefix(&self.root) else { return Ok(None) };
        match inside.to_str() {
            Some("") => Ok(Some(".".to_owned())),
            Some(inside) => Ok(Some(inside.to_owned())),
            None => Err(ErrorKind::InvalidFilename.into()),
        }
    }
}

/// Returns the canonical path of a file that may not exist yet: the canonical path of the nearest ancestor that exists,
/// and the rest of `path`.
///
/// A link without a target is an error, because a write through the link would create the target.
async fn canonical(path: &Path) -> Result<PathBuf, Error> {
    let (mut existing, mut missing) = (path, Vec::new());
    while !exists(existing).await? {
        missing.push(plain_name(existing)?);
        existing = existing.parent().ok_or(ErrorKind::NotFound)?;
    }
    let mut canonical = fs::canonicalize(existing).await?;
    canonical.extend(missing.iter().rev());
    Ok(canonical)
}

/// Returns `true` if the path exists, even as a link without a target.
async fn exists(path: &Path) -> Result<bool, Error> {
    match fs::symlink_metadata(path).await {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Returns the last part of a path that does not exist. Behind such a path, `..` has no meaning and is an error.
fn plain_name(path: &Path) -> Result<&OsStr, Error> {
    path.file_name().ok_or_else(|| Error::new(ErrorKind::NotFound, "it goes back from what does not exist"))
}
