//! Reads the file of a call, and the files that it imports.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::env;
use std::path::{Path, PathBuf};

use exo_rails_dygram::{Directory, LoadError, Loader, Machine, Reader, Report};
use syn::{Error, Result};

use super::input::Input;

/// The machine of a file.
pub(super) struct Read {
    pub(super) machine: Machine,
    /// The files of which the machine consists. The compiler watches them.
    pub(super) files: BTreeSet<PathBuf>,
}

/// Reads the file. Each mistake in it is an error of its own.
pub(super) fn read(input: &Input, file: Option<&Path>) -> Result<Read> {
    let path = input.path.value();
    let failed = |message: String| Error::new(input.path.span(), message);
    if Path::new(&path).is_absolute() {
        return Err(failed("write a path that is relative to this file".to_owned()));
    }
    // The text of the path is a token of the call. The macro itself is called in the library.
    let of_path = proc_macro::is_available().then(|| input.path.span().unwrap().local_file()).flatten();
    let folder = folder(file.or(of_path.as_deref()));
    // A path may lead out of the folder. Imports must not leave the folder of the file.
    let whole = folder.join(&path);
    let (Some(root), Some(name)) = (whole.parent(), whole.file_name().and_then(|name| name.to_str())) else {
        return Err(failed(format!("`{path}` is not the path of a file")));
    };
    let loader = Watched { directory: Directory::new(root), root, files: RefCell::default() };
    let mut reader = Reader::new().with_loader(&loader);
    if input.is_strict {
        reader = reader.strict();
    }
    let reading = reader
        .read_file(name)
        .map_err(|error| failed(format!("cannot read `{path}` in the folder `{}`: {error}", folder.display())))?;
    let errors = reading.report.errors().map(|error| {
        let sources = reading.report.sources().clone();
        let one = Report::new(sources, vec![error.clone()]).to_string();
        failed(format!("{}\n{}", error.message, one.trim_end()))
    });
    match errors.reduce(|mut all, error| {
        all.combine(error);
        all
    }) {
        Some(errors) => Err(errors),
        None => Ok(Read { machine: reading.machine, files: loader.files.into_inner() }),
    }
}

/// Returns the folder of the call, as for `include_str!`. If the compiler does not know it, as in an editor, the folder of the
/// package.
fn folder(file: Option<&Path>) -> PathBuf {
    let folder = file.and_then(Path::parent).filter(|folder| folder.is_dir()).map(Path::to_path_buf);
    folder.or_else(|| env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from)).unwrap_or_default()
}

/// Loads files of a directory, and notes which.
struct Watched<'a> {
    directory: Directory,
    root: &'a Path,
    files: RefCell<BTreeSet<PathBuf>>,
}

impl Loader for Watched<'_> {
    fn load(&self, name: &str) -> std::result::Result<String, LoadError> {
        let text = self.directory.load(name)?;
        if let Ok(path) = self.root.join(name.trim_start_matches('/')).canonicalize() {
            self.files.borrow_mut().insert(path);
        }
        Ok(text)
    }
}
