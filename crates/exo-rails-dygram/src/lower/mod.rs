//! Makes a machine from the trees of files: names are resolved, and imports are followed.

mod edges;
mod imports;
mod loader;
mod nodes;
mod values;

use std::collections::{HashMap, HashSet};

pub use self::loader::{Directory, LoadError, Loader, NoImports};
use crate::diagnostic::{Diagnostic, FileId, Place, Severity, Sources, Span};
use crate::model::{Machine, NodeId};
use crate::syntax::{self, File, parse};

/// The machine of a file, with what is wrong in the file and in those that it imports.
pub(crate) struct Lowered {
    pub(crate) machine: Machine,
    pub(crate) sources: Sources,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Whether the caller or the file asks for strictness.
    pub(crate) is_strict: bool,
}

/// Reads a file and what it imports.
pub(crate) fn lower(name: &str, text: &str, loader: &dyn Loader, is_strict: bool) -> Lowered {
    let mut files = Files {
        loader,
        is_strict,
        sources: Sources::new(),
        diagnostics: Vec::new(),
        open: Vec::new(),
        done: HashMap::new(),
        broken: HashSet::new(),
    };
    let machine = files.file(name, text);
    let is_strict = is_strict || machine.is_strict();
    Lowered { machine, sources: files.sources, diagnostics: files.diagnostics, is_strict }
}

/// All files of a machine.
struct Files<'a> {
    loader: &'a dyn Loader,
    is_strict: bool,
    sources: Sources,
    diagnostics: Vec<Diagnostic>,
    /// The files that are being read: each imports the next one.
    open: Vec<String>,
    /// Imported files that are read.
    done: HashMap<String, Machine>,
    /// Imported files with mistakes. Nodes may be missing in them. That is not a further mistake.
    broken: HashSet<String>,
}

impl Files<'_> {
    fn file(&mut self, name: &str, text: &str) -> Machine {
        let known = self.diagnostics.len();
        let id = self.sources.add(name, text);
        let parsed = parse(id, text);
        self.diagnostics.extend(parsed.diagnostics);
        self.open.push(name.to_owned());
        let machine = self.machine(id, name, &parsed.file);
        self.open.pop();
        if self.diagnostics.iter().skip(known).any(|found| found.severity == Severity::Error) {
            self.broken.insert(name.to_owned());
        }
        machine
    }

    fn machine(&mut self, id: FileId, name: &str, file: &File) -> Machine {
        let mut builder = Builder::new(id, self.is_strict);
        builder.head(file);
        self.imports(&mut builder, name, file);
        builder.items(file);
        self.diagnostics.append(&mut builder.diagnostics);
        builder.machine
    }
}

/// The machine of one file, while it is made.
struct Builder<'a> {
    file: FileId,
    is_strict: bool,
    machine: Machine,
    diagnostics: Vec<Diagnostic>,
    /// Nodes that only the paths of other nodes declare. A later statement may declare them.
    namespaces: HashSet<NodeId>,
    /// Nodes that a statement names with their path. Further statements may say more about them.
    with_path: HashSet<NodeId>,
    /// Edges and notes, each with the node around it. They are read when all nodes are known.
    edges: Vec<(Option<NodeId>, &'a syntax::Edge)>,
    notes: Vec<(Option<NodeId>, &'a syntax::Node)>,
    /// Nodes that imports declare.
    imported: HashSet<NodeId>,
    /// How many bytes of labels and attributes were copied to edges.
    copied: usize,
    /// How often a similar name was searched.
    searches: usize,
}

/// How many similar names are searched in a file. Each search compares all names.
const MAX_SEARCHES: usize = 20;

impl<'a> Builder<'a> {
    fn new(file: FileId, is_strict: bool) -> Self {
        Self {
            file,
            is_strict,
            machine: Machine::new(),
            diagnostics: Vec::new(),
            namespaces: HashSet::new(),
            with_path: HashSet::new(),
            edges: Vec::new(),
            notes: Vec::new(),
            imported: HashSet::new(),
            copied: 0,
            searches: 0,
        }
    }

    fn head(&mut self, file: &File) {
        let Some(head) = &file.head else { return };
        self.machine.title = Some(head.title.value.clone()).filter(|title| !title.is_empty());
        self.machine.annotations = self.annotations(&head.annotations);
        self.machine.attributes = self.attributes(&head.attributes);
        self.is_strict |= self.machine.is_strict();
    }

    fn items(&mut self, file: &'a File) {
        let own = self.declare(None, &file.items);
        self.machine.attributes.extend(own);
        self.check_attributes(&self.machine.attributes.clone(), "the machine");
        self.connect();
        self.attach_notes();
    }

    fn place(&self, span: Span) -> Place {
        Place::new(self.file, span)
    }

    fn severity(&self) -> Severity {
        if self.is_strict { Severity::Error } else { Severity::Warning }
    }
}
