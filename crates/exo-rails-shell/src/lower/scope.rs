//! What a shell knows while it runs a text: variables, functions, descriptors, directories, files.

use std::collections::HashMap;
use std::rc::Rc;

use super::field::Field;
use super::path::Directory;
use crate::read::Command;
use crate::word::mark;

/// What a command prints, or what another one reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Stream {
    pub(super) kind: StreamKind,
    pub(super) taint: Taint,
}

/// Where a value or a stream comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Taint {
    /// A part of it holds credentials.
    pub(super) is_secret: bool,
    /// A part of it was downloaded.
    pub(super) is_downloaded: bool,
    /// A command of the text has made it, and what it made is not known. A variable that the text does not set is not such a value.
    pub(super) is_made: bool,
}

impl Taint {
    pub(super) const fn and(self, other: Self) -> Self {
        Self {
            is_secret: self.is_secret || other.is_secret,
            is_downloaded: self.is_downloaded || other.is_downloaded,
            is_made: self.is_made || other.is_made,
        }
    }

    /// Returns the taint of all fields.
    pub(super) fn of<'f>(fields: impl IntoIterator<Item = &'f Field>) -> Self {
        fields.into_iter().fold(Self::default(), |taint, field| taint.and(field.taint))
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum StreamKind {
    /// What the shell itself reads.
    #[default]
    Inherited,
    Text(String),
    /// Names of files below these places.
    Places(Vec<String>),
    /// A number, or a name without a `/`.
    Name,
    /// The content of a file that is not in the text.
    File(String),
    Unknown,
}

impl Stream {
    pub(super) const fn of(kind: StreamKind) -> Self {
        Self { kind, taint: Taint { is_secret: false, is_downloaded: false, is_made: false } }
    }

    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::of(StreamKind::Text(text.into()))
    }

    pub(super) const fn unknown() -> Self {
        Self::of(StreamKind::Unknown)
    }

    /// Joins what two commands print.
    pub(super) fn and(self, other: Self) -> Self {
        let kind = match (self.kind, other.kind) {
            (StreamKind::Text(mut a), StreamKind::Text(b)) => {
                a.push_str(&b);
                StreamKind::Text(a)
            }
            (StreamKind::Places(mut a), StreamKind::Places(b)) => {
                a.extend(b);
                StreamKind::Places(a)
            }
            (StreamKind::Name, StreamKind::Name) => StreamKind::Name,
            (StreamKind::Text(text), other) | (other, StreamKind::Text(text)) if text.is_empty() => other,
            _ => StreamKind::Unknown,
        };
        Self { kind, taint: self.taint.and(other.taint) }
    }
}

/// The values of a variable: one, or the elements of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Variable {
    Value(String),
    Array(Vec<String>),
    /// It was set to something that is not known.
    Unknown,
}

/// The state of a shell. A subshell works on a clone.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    pub(super) variables: HashMap<String, Variable>,
    /// Where the values of variables come from.
    pub(super) taints: HashMap<String, Taint>,
    pub(super) functions: HashMap<String, Rc<Command>>,
    pub(super) aliases: HashMap<String, String>,
    /// `$1`, `$2` and so on, if they are known.
    pub(super) arguments: Option<Vec<String>>,
    pub(super) directory: Directory,
    /// The directory before the last `cd`, if the text goes on where `cd` has failed.
    pub(super) before: Option<Directory>,
    /// The text ends where a command fails: `set -e`.
    pub(super) stops_at_errors: bool,
    /// A command of the text has made the name of the directory.
    pub(super) is_directory_made: bool,
    /// What descriptors read.
    pub(super) descriptors: HashMap<u32, Stream>,
    /// The files that the text has written, by their path.
    pub(super) files: HashMap<String, Stream>,
    /// The links that the text has made: their path, and where they lead.
    pub(super) links: HashMap<String, String>,
}

impl Default for Scope {
    fn default() -> Self {
        Self {
            variables: HashMap::new(),
            taints: HashMap::new(),
            functions: HashMap::new(),
            aliases: HashMap::new(),
            arguments: None,
            directory: Directory::Project(String::new()),
            before: None,
            stops_at_errors: false,
            is_directory_made: false,
            descriptors: HashMap::new(),
            files: HashMap::new(),
            links: HashMap::new(),
        }
    }
}

impl Scope {
    /// Sets a variable.
    pub(super) fn set(&mut self, name: impl Into<String>, variable: Variable, taint: Taint) {
        let name = name.into();
        self.taints.insert(name.clone(), taint);
        self.variables.insert(name, variable);
    }

    /// Returns where the value of a variable comes from.
    pub(super) fn taint(&self, name: &str) -> Taint {
        self.taints.get(name).copied().unwrap_or_default()
    }
}

/// Returns the working directory as a value.
pub(super) fn working_directory(scope: &Scope) -> String {
    match &scope.directory {
        Directory::Project(path) if path.is_empty() => mark::PWD.to_string(),
        Directory::Project(path) => format!("{}/{path}", mark::PWD),
        Directory::At(path) => {
            path.strip_prefix('~').map_or_else(|| path.clone(), |rest| format!("{}{rest}", mark::HOME))
        }
        Directory::Outside => "..".to_owned(),
        Directory::Unknown => mark::UNKNOWN.to_string(),
    }
}
