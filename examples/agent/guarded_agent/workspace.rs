//! The copy of the files on which the agent works.

use std::collections::BTreeMap;
use std::fs::{self, FileType};
use std::hash::{DefaultHasher, Hasher};
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};

/// A copy of a directory. It is removed when the workspace is dropped.
pub(crate) struct Workspace {
    /// The canonical path, to compare other paths with.
    root: PathBuf,
    before: Contents,
}

/// The changes to the files.
pub(crate) struct Changes {
    pub(crate) added: Vec<String>,
    pub(crate) changed: Vec<String>,
    pub(crate) deleted: Vec<String>,
}

/// The files by their paths relative to the root, each with a hash of its content.
type Contents = BTreeMap<PathBuf, u64>;

impl Workspace {
    pub(crate) fn copy_of(files: &Path) -> Result<Self, String> {
        let told = |error: Error| format!("cannot copy the files in {}: {error}", files.display());
        let files = files.canonicalize().map_err(told)?;
        let temporary = std::env::temp_dir().canonicalize().map_err(told)?;
        if !files.is_dir() {
            return Err(told(ErrorKind::NotADirectory.into()));
        }
        if temporary.starts_with(&files) {
            return Err(told(Error::other(format!("its copy, in {}, would be inside", temporary.display()))));
        }
        // The workspace exists before it is filled, so a failed copy is removed too.
        let mut workspace = Self { root: new_directory(&temporary).map_err(told)?, before: Contents::new() };
        copy(&files, &workspace.root).map_err(told)?;
        workspace.before = contents(&workspace.root).map_err(told)?;
        Ok(workspace)
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Makes a link in the workspace that leads out of it, to the directory above.
    pub(crate) fn link_out(&self, name: &str) -> Result<(), Error> {
        link(Path::new(".."), &self.root.join(name))
    }

    /// Returns the differences between the files and their originals. The tools and rails have no influence on this
    /// check.
    pub(crate) fn changes(&self) -> Result<Changes, Error> {
        let (before, after) = (&self.before, contents(&self.root)?);
        let names = |paths: Vec<&PathBuf>| paths.iter().map(|path| path.display().to_string()).collect();
        let changed = |path: &&PathBuf| before.get(*path).is_some_and(|hash| after.get(*path) != Some(hash));
        Ok(Changes {
            added: names(after.keys().filter(|path| !before.contains_key(*path)).collect()),
            changed: names(after.keys().filter(changed).collect()),
            deleted: names(before.keys().filter(|path| !after.contains_key(*path)).collect()),
        })
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        // If the removal fails, the system removes its temporary files later.
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// Creates a directory that did not exist before. Another process may have left a directory with the same name.
fn new_directory(parent: &Path) -> Result<PathBuf, Error> {
    let process = std::process::id();
    for number in 0..u32::MAX {
        let path = parent.join(format!("guarded-agent-{process}-{number}"));
        match fs::create_dir(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            result => return result.map(|()| path),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

/// Copies files and directories. Links stay links. Other kinds of files, such as pipes and sockets, are not copied.
fn copy(from: &Path, to: &Path) -> Result<(), Error> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (source, target, kind) = (entry.path(), to.join(entry.file_name()), entry.file_type()?);
        copy_entry(&source, &target, kind).map_err(|error| at(&source, &error))?;
    }
    Ok(())
}

fn copy_entry(source: &Path, target: &Path, kind: FileType) -> Result<(), Error> {
    if kind.is_dir() {
        fs::create_dir(target)?;
        copy(source, target)
    } else if kind.is_file() {
        fs::copy(source, target).map(drop)
    } else if cfg!(unix) && kind.is_symlink() {
        link(&fs::read_link(source)?, target)
    } else {
        Ok(())
    }
}

/// Makes a link at `path` that leads to `target`.
#[cfg(unix)]
fn link(target: &Path, path: &Path) -> Result<(), Error> {
    std::os::unix::fs::symlink(target, path)
}

/// On other systems, users may not have the right to make links.
#[cfg(not(unix))]
fn link(_: &Path, _: &Path) -> Result<(), Error> {
    Err(Error::new(ErrorKind::Unsupported, "this example makes links on Unix only"))
}

fn at(path: &Path, error: &Error) -> Error {
    Error::new(error.kind(), format!("{}: {error}", path.display()))
}

fn contents(root: &Path) -> Result<Contents, Error> {
    let mut contents = Contents::new();
    for path in files_below(root)? {
        let mut hasher = DefaultHasher::new();
        hasher.write(&fs::read(&path)?);
        contents.insert(path.strip_prefix(root).unwrap_or(&path).to_owned(), hasher.finish());
    }
    Ok(contents)
}

/// Returns all files below a directory, sorted. Does not follow links.
pub(crate) fn files_below(directory: &Path) -> Result<Vec<PathBuf>, Error> {
    let (mut files, mut directories) = (Vec::new(), vec![directory.to_owned()]);
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory)? {
            let entry = entry?;
            match entry.file_type()? {
                kind if kind.is_dir() => directories.push(entry.path()),
                kind if kind.is_file() => files.push(entry.path()),
                _ => {}
            }
        }
    }
    files.sort();
    Ok(files)
}
