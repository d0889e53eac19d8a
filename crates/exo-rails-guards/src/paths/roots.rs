//! The handle with which a tool opens files: free of races.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use cap_fs_ext::{DirExt as _, FollowSymlinks, OpenOptionsFollowExt as _, OpenOptionsSyncExt as _};
use cap_std::fs::{Dir, OpenOptions};
use exo_rails::{OperationError, OperationErrorKind, Provided};

use super::root::Root;
use super::sandbox::{LastLink, Located, Sandbox};
use super::{PathRefusal, PathRule, Rights};

/// The directories that a tool may use. [`PathSandbox`](super::PathSandbox) provides it to each tool call that it allows.
///
/// Give the methods the same text that the model wrote, or any other path. Each method checks the path as the guard does, and
/// then walks from the root's directory handle to the file without following links. So the file is in the root even if
/// another process replaces directories by links at the same time. The methods also refuse denied names and devices, and they
/// allow only what both the tool's rule ([`ToolPaths::needs`](super::ToolPaths::needs)) and the root grant.
///
/// The methods block. In async code, call them in `tokio::task::spawn_blocking`.
///
/// ```
/// use std::io::Read;
///
/// use exo_rails::prelude::*;
/// use exo_rails_guards::paths::{PathSandbox, Rights, SandboxRoots};
/// use serde_json::json;
///
/// /// A tool that never uses the path as a path: only the handle does.
/// async fn read_file(call: Permit<ToolCallInputs>) -> Result<ToolOutput, OperationError> {
///     let roots = call.provided::<SandboxRoots>().ok_or("no guard has checked the path")?;
///     let path = call.str_argument("path").ok_or("`path` is missing")?;
///     let mut content = String::new();
///     roots.open(path)?.read_to_string(&mut content)?;
///     Ok(ToolOutput::text(content))
/// }
///
/// rail_chain! {
///     struct Rails { paths: PathSandbox }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let dir = std::env::temp_dir().join(format!("exo-rails-roots-{}", std::process::id()));
/// # std::fs::create_dir_all(&dir)?;
/// std::fs::write(dir.join("notes.txt"), "hello")?;
/// let paths =
///     PathSandbox::builder().root("project", &dir, Rights::READ).tool("read_file", ["/path"], Rights::READ).build()?;
/// let rails = Rails { paths };
/// let mut ctx = RunContext::new("demo");
/// let mut read = async |path| {
///     let call = ToolCallInputs::new("read_file").with_arguments(json!({ "path": path }));
///     rails.guard_tool_call(call, &mut ctx, read_file).await
/// };
/// assert_eq!(read("notes.txt").await?.content, "hello");
/// assert!(read("../../etc/passwd").await?.content.contains("paths/outside"));
/// # std::fs::remove_dir_all(&dir)?;
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, Provided)]
pub struct SandboxRoots {
    sandbox: Arc<Sandbox>,
    needs: Rights,
}

/// The reason why a file could not be used through [`SandboxRoots`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    /// The sandbox refuses the path.
    #[error(transparent)]
    Refused(#[from] PathRefusal),
    /// The system cannot perform the operation. This also happens if a name was replaced by a link during the operation.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// A refusal becomes an error of the kind [`Denied`](OperationErrorKind::Denied).
impl From<PathError> for OperationError {
    fn from(error: PathError) -> Self {
        match error {
            PathError::Refused(refusal) => {
                Self::new(OperationErrorKind::Denied, refusal.to_string()).with_source(refusal)
            }
            PathError::Io(error) => error.into(),
        }
    }
}

/// An entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// The name in the directory.
    pub name: String,
    /// What the entry is.
    pub kind: EntryKind,
}

/// What an entry of a directory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EntryKind {
    /// An ordinary file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A device, a pipe or a socket, which the sandbox does not open.
    Special,
}

impl SandboxRoots {
    pub(super) const fn new(sandbox: Arc<Sandbox>, needs: Rights) -> Self {
        Self { sandbox, needs }
    }

    /// Returns the roots.
    #[must_use]
    pub fn roots(&self) -> &[Root] {
        &self.sandbox.roots
    }

    /// Opens a file for reading. It needs [`Rights::READ`].
    ///
    /// # Errors
    /// Returns an error if the sandbox refuses the path, or if the path is not an ordinary file that can be opened.
    pub fn open(&self, path: &str) -> Result<File, PathError> {
        let located = self.locate(path, Rights::READ, LastLink::Follow)?;
        self.open_existing(&located, OpenOptions::new().read(true))
    }

    /// Opens an existing file for reading and writing, and keeps its content. It needs [`Rights::READ`] and
    /// [`Rights::WRITE`].
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn edit(&self, path: &str) -> Result<File, PathError> {
        let located = self.locate(path, Rights::READ | Rights::WRITE, LastLink::Follow)?;
        self.open_existing(&located, OpenOptions::new().read(true).write(true))
    }

    /// Opens a file for writing, and empties it. If it does not exist, the method creates it. It needs [`Rights::WRITE`] for a
    /// file that exists, and [`Rights::CREATE`] for a new one.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn create(&self, path: &str) -> Result<File, PathError> {
        let wanted = self.some_of(Rights::WRITE | Rights::CREATE)?;
        let located = self.sandbox.locate(path, wanted, LastLink::Follow)?;
        let rights = wanted.common(located.root.rights);
        if rights.contains(Rights::WRITE) {
            match self.open_existing(&located, OpenOptions::new().write(true)) {
                Err(PathError::Io(error))
                    if error.kind() == io::ErrorKind::NotFound && rights.contains(Rights::CREATE) => {}
                opened => {
                    let file = opened?;
                    // Not before: a file is emptied only after it is known to be an ordinary one.
                    file.set_len(0)?;
                    return Ok(file);
                }
            }
        }
        // A new file is never a link.
        let (dir, name) = parent(&located)?;
        Ok(dir.open_with(name, OpenOptions::new().write(true).create_new(true))?.into_std())
    }

    /// Creates a directory, and the directories above it that do not exist. It needs [`Rights::CREATE`].
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn create_dir_all(&self, path: &str) -> Result<(), PathError> {
        let located = self.locate(path, Rights::CREATE, LastLink::Follow)?;
        let mut dir = located.root.dir.try_clone()?;
        for name in &located.path {
            match dir.create_dir(name) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error.into()),
                _ => dir = dir.open_dir_nofollow(name)?,
            }
        }
        Ok(())
    }

    /// Returns the entries of a directory, sorted by name. Denied names, and names that are not UTF-8, are left out. It needs
    /// [`Rights::READ`].
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn read_dir(&self, path: &str) -> Result<Vec<Entry>, PathError> {
        let located = self.locate(path, Rights::READ, LastLink::Follow)?;
        let mut entries = Vec::new();
        for entry in walk(&located.root.dir, &located.path)?.entries()? {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            if self.sandbox.denies(&located.path.join(&name)) {
                continue;
            }
            let kind = entry.file_type()?;
            let kind = match () {
                () if kind.is_file() => EntryKind::File,
                () if kind.is_dir() => EntryKind::Directory,
                () if kind.is_symlink() => EntryKind::Link,
                () => EntryKind::Special,
            };
            entries.push(Entry { name, kind });
        }
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }

    /// Deletes a file or a link. The target of a link stays. It needs [`Rights::DELETE`].
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn remove_file(&self, path: &str) -> Result<(), PathError> {
        let located = self.locate(path, Rights::DELETE, LastLink::Keep)?;
        let (dir, name) = parent(&located)?;
        Ok(dir.remove_file_or_symlink(name)?)
    }

    /// Deletes an empty directory. It needs [`Rights::DELETE`].
    ///
    /// # Errors
    /// As [`open`](Self::open). The directory must be empty.
    pub fn remove_dir(&self, path: &str) -> Result<(), PathError> {
        let located = self.locate(path, Rights::DELETE, LastLink::Keep)?;
        let (dir, name) = parent(&located)?;
        Ok(dir.remove_dir(name)?)
    }

    /// Renames a file, a link or a directory, also from one root to another. It needs [`Rights::DELETE`] for the old name and
    /// [`Rights::CREATE`] for the new one, and if the new name exists, [`Rights::WRITE`] and [`Rights::DELETE`] for it.
    ///
    /// # Errors
    /// As [`open`](Self::open). A directory with a denied name in it, such as `.git`, cannot be renamed, and nothing can get
    /// its name.
    pub fn rename(&self, from: &str, to: &str) -> Result<(), PathError> {
        let from = self.locate(from, Rights::DELETE, LastLink::Keep)?;
        let wanted = self.some_of(Rights::WRITE | Rights::CREATE)? | Rights::DELETE;
        let to = self.sandbox.locate(to, wanted, LastLink::Keep)?;
        let ((from_dir, from), (to_dir, to)) = (parent(&from)?, parent(&to)?);
        Ok(from_dir.rename(from, &to_dir, to)?)
    }

    fn locate(&self, path: &str, needs: Rights, last: LastLink) -> Result<Located<'_>, PathError> {
        if !self.needs.contains(needs) {
            return Err(PathRefusal::new(PathRule::ToolRights).missing(needs.without(self.needs)).into());
        }
        Ok(self.sandbox.locate(path, needs, last)?)
    }

    /// Returns those of the rights that the tool has, if it has one.
    fn some_of(&self, rights: Rights) -> Result<Rights, PathRefusal> {
        match rights.common(self.needs) {
            Rights::NONE => Err(PathRefusal::new(PathRule::ToolRights).missing(rights)),
            rights => Ok(rights),
        }
    }

    fn open_existing(&self, located: &Located<'_>, options: &mut OpenOptions) -> Result<File, PathError> {
        let (dir, name) = parent(located)?;
        // Without `nonblock`, opening a pipe would wait for its other end.
        let file = dir.open_with(name, options.follow(FollowSymlinks::No).nonblock(true))?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::Error::from(io::ErrorKind::IsADirectory).into());
        }
        let check = self.sandbox.check_kind(&metadata, LastLink::Follow);
        check.map_err(|rule| PathRefusal::new(rule).in_root(located.root))?;
        Ok(file.into_std())
    }
}

/// Opens the directory that has the last name of a path, and returns both.
fn parent<'l>(located: &'l Located<'_>) -> io::Result<(Dir, &'l OsStr)> {
    let name = located.path.file_name().ok_or(io::ErrorKind::IsADirectory)?;
    let parent = located.path.parent().unwrap_or(Path::new(""));
    Ok((walk(&located.root.dir, parent)?, name))
}

/// Walks from a directory to another one, name by name, and never through a link.
fn walk(dir: &Dir, path: &Path) -> io::Result<Dir> {
    path.iter().try_fold(dir.try_clone()?, |dir, name| dir.open_dir_nofollow(name))
}
