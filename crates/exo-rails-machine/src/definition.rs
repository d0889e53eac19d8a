//! A machine with the Rust code that belongs to it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::conditions::Function;
use crate::contexts::{ContextType, Contexts, TypedContext};
use exo_rails_dygram::Machine;

/// A machine that an executor can run.
///
/// A [`Machine`] from a file can be converted into a definition. The macro [`machine!`](crate::machine) makes a definition
/// whose conditions are Rust, and whose contexts are types of the program.
///
/// ```
/// use exo_rails_machine::Definition;
///
/// let machine = exo_rails_dygram::read("flow.dygram", "State idle; End done; idle -> done;").into_result()?;
/// let definition = Definition::from(&machine);
/// assert_eq!(definition.machine(), &machine);
/// # Ok::<(), exo_rails_dygram::Report>(())
/// ```
#[derive(Clone)]
pub struct Definition {
    machine: Machine,
    code: Code,
}

/// The Rust code of a machine.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    pub(crate) functions: Arc<BTreeMap<String, Function>>,
    pub(crate) contexts: Arc<BTreeMap<String, TypedContext>>,
    /// The names of the tools that nodes use, beside those to which they have edges.
    pub(crate) tools: Arc<BTreeMap<String, Vec<String>>>,
}

impl Definition {
    /// Returns the machine.
    #[must_use]
    pub const fn machine(&self) -> &Machine {
        &self.machine
    }

    pub(crate) const fn code(&self) -> &Code {
        &self.code
    }
}

impl AsRef<Machine> for Definition {
    fn as_ref(&self) -> &Machine {
        self.machine()
    }
}

impl From<Machine> for Definition {
    fn from(machine: Machine) -> Self {
        Self { machine, code: Code::default() }
    }
}

impl From<&Machine> for Definition {
    fn from(machine: &Machine) -> Self {
        machine.clone().into()
    }
}

impl fmt::Debug for Definition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Definition").field("machine", &self.machine.title).finish_non_exhaustive()
    }
}

/// The attribute of an edge that has the text of a condition in Rust.
pub(crate) const RUST: &str = "rust";

/// Builds the definition of `machine!`.
#[doc(hidden)]
#[derive(Debug)]
pub struct Typed {
    machine: Machine,
    functions: BTreeMap<String, Function>,
    contexts: BTreeMap<String, TypedContext>,
    tools: BTreeMap<String, Vec<String>>,
}

impl Typed {
    /// Begins with the text that the macro has printed.
    #[must_use]
    pub fn new(source: &str) -> Self {
        Self { machine: machine(source), functions: BTreeMap::new(), contexts: BTreeMap::new(), tools: BTreeMap::new() }
    }

    /// Adds the type and the first value of a context, and the fields that the machine names in JSON.
    #[must_use]
    pub fn context<T: ContextType>(mut self, name: &str, first: &T, fields: &[&str]) -> Self {
        self.contexts.insert(name.to_owned(), TypedContext::new(first, fields));
        self
    }

    /// Adds a condition. Edges name it by its text.
    #[must_use]
    pub fn condition(mut self, text: &str, function: fn(&Contexts) -> Result<bool, String>) -> Self {
        self.functions.insert(text.to_owned(), Function::new(text, function));
        self
    }

    /// Lets a node use a tool.
    #[must_use]
    pub fn uses(mut self, node: &str, tool: &exo_rails::Tool) -> Self {
        self.tools.entry(node.to_owned()).or_default().push(tool.name().to_owned());
        self
    }

    /// Ends the definition.
    #[must_use]
    pub fn finish(self) -> Definition {
        let code = Code {
            functions: Arc::new(self.functions),
            contexts: Arc::new(self.contexts),
            tools: Arc::new(self.tools),
        };
        Definition { machine: self.machine, code }
    }
}

/// Reads the text that a macro has printed. The macro has checked it.
#[doc(hidden)]
#[must_use]
pub fn machine(source: &str) -> Machine {
    exo_rails_dygram::read("machine", source).machine
}
