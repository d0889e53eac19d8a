//! Rails on what the agent does with files.

use std::ffi::OsStr;
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};

use exo_rails::prelude::*;
use tokio::fs;

/// Ends a run that asks for a shell: whoever gets one needs none of the other tools.
#[rail(priority = 5, on = [PreToolCall])]
pub(crate) fn no_shell(call: &ToolCallInputs) -> Verdict {
    match call.tool_name.as_str() {
        shell @ ("run_shell" | "shell" | "bash" | "exec") => {
            Verdict::abort(format!("`{shell}` could do anything, so no agent gets it"))
        }
        _ => Verdict::Continue,
    }
}

/// Lets no file be deleted. The run goes on, and the model reads why.
#[rail(priority = 10, on = [PreToolCall])]
pub(crate) fn keep_files(call: &ToolCallInputs) -> RailAction {
    if call.tool_name == "delete_file" {
        return RailAction::skip("files are deleted by people, not by agents");
    }
    RailAction::Continue
}

/// Refuses paths that lead out of the agent's directory: by `..`, from the root, or through a link.
pub(crate) struct StayInside {
    root: PathBuf,
}

#[rail(name = "stay_inside", priority = 20)]
impl StayInside {
    /// Tools with a path call it `path`. It is rewritten to the plain path below the root, so that the tool
    /// opens what was looked at, and the rails behind know the same file by one name.
    #[on(PreToolCall)]
    async fn check(&self, call: &mut ToolCallInputs) -> RailAction {
        // A list could fit a tool by its order, and the path in it would not be seen here.
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
            // Not an `Err`, which would be a fault and end the run: a path that leads nowhere is the model's mistake.
            Err(error) => RailAction::skip(format!("it is not clear where `{path}` leads: {error}")),
        }
    }
}

impl StayInside {
    /// `root` is canonical.
    pub(crate) fn new(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    /// The path relative to the root, without links and dots; `None` when it leads out.
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

/// The canonical path of something that need not exist: of the nearest ancestor that does, and what follows.
///
/// A link that leads nowhere exists, so it is an error: writing through it would create what it names.
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

/// Whether something is there, be it a link.
async fn exists(path: &Path) -> Result<bool, Error> {
    match fs::symlink_metadata(path).await {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// The last part of a path that does not exist; `..` behind such a path means nothing.
fn plain_name(path: &Path) -> Result<&OsStr, Error> {
    path.file_name().ok_or_else(|| Error::new(ErrorKind::NotFound, "it goes back from what does not exist"))
}
