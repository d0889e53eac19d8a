//! Conditions of edges: CEL, with the values of contexts.

mod function;
mod names;
mod stack;
mod value;
mod variables;

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, LazyLock};

use cel::{Env, Program};
use exo_rails_dygram::condition::Expression;
use exo_rails_dygram::{ConditionKind, Machine, NodeId};
use serde_json::Value;

use crate::contexts::Contexts;
pub(crate) use function::Function;
pub(crate) use names::Name;
use variables::Variables;

/// The functions of CEL. To make them takes longer than to evaluate a condition.
static FUNCTIONS: LazyLock<Arc<Env>> = LazyLock::new(|| Arc::new(Env::stdlib()));

/// The condition of an edge, ready to be evaluated.
///
/// The result of a condition is true, false or an error. A mistake in a condition is always an error, and never counts as true.
///
/// ```
/// use exo_rails_machine::{Condition, Contexts, Facts};
///
/// let file = "Context job { score<number>: 0.4; } State check; State done; check -when: \"job.score > 0.9\"-> done;";
/// let machine = exo_rails_dygram::read("flow.dygram", file).machine;
/// let check = machine.find("check").expect("the file has the node");
/// let edge = &machine.edges()[0];
/// let condition = Condition::of(&machine, check, edge)?.expect("the edge has a condition");
///
/// let mut contexts = Contexts::first(&machine);
/// assert_eq!(condition.is_met(&contexts, &Facts::default())?, false);
/// contexts.set("job", "score", 0.95);
/// assert_eq!(condition.is_met(&contexts, &Facts::default())?, true);
///
/// contexts.set("job", "score", "high");
/// let error = condition.is_met(&contexts, &Facts::default()).unwrap_err();
/// assert!(error.to_string().starts_with("the condition `job.score > 0.9` cannot be evaluated:"));
/// # Ok::<(), exo_rails_machine::ConditionError>(())
/// ```
#[derive(Clone)]
pub struct Condition {
    text: Arc<str>,
    is_negated: bool,
    test: Test,
}

/// How a condition is evaluated.
#[derive(Clone)]
enum Test {
    /// CEL, with the names that it reads.
    Cel(Arc<Cel>),
    /// Rust.
    Function(fn(&Contexts) -> Result<bool, String>),
}

/// A compiled expression.
struct Cel {
    program: Program,
    names: Vec<Name>,
    /// The height of its tree.
    height: usize,
    /// How many macros are inside each other.
    loops: usize,
    /// The bytes of its text.
    length: usize,
    /// Whether it asks for a field with `has`.
    has_test: bool,
}

/// How many times the macros of a condition may evaluate what is in them. No time limit can interrupt them.
const MAX_WORK: usize = 1_000_000;

/// Values that conditions can read besides the contexts: `errorCount`, `errors`, `activeState` and `item`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Facts<'a> {
    /// The messages of all errors so far. Conditions read them as `errors`, and their number as `errorCount`.
    pub errors: &'a [String],
    /// The path of the current node. Conditions read it as `activeState`.
    pub node: &'a str,
    /// The item for which the current path was started by `@map`. Conditions read it as `item`.
    pub item: Option<&'a Value>,
}

/// Why a condition cannot be evaluated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the condition `{condition}` cannot be evaluated: {cause}")]
pub struct ConditionError {
    /// The text of the condition.
    pub condition: String,
    /// What is wrong.
    pub cause: String,
}

impl Condition {
    /// Compiles the condition of an edge that leaves `node`. Returns `None` if the edge has no condition.
    ///
    /// # Errors
    ///
    /// If the text of the condition is not valid.
    pub fn of(machine: &Machine, node: NodeId, edge: &exo_rails_dygram::Edge) -> Result<Option<Self>, ConditionError> {
        let Some(condition) = edge.condition() else { return Ok(None) };
        let is_negated = condition.kind == ConditionKind::Unless;
        let failed = |cause: String| ConditionError { condition: condition.text.to_owned(), cause };
        let expression = Expression::parse(condition.text).map_err(|error| failed(error.to_string()))?;
        let height = expression.height();
        let compiled = stack::with_height(height, || Program::compile(expression.cel())).map_err(failed)?;
        let program = compiled.map_err(|error| failed(error.to_string()))?;
        let names = expression.reads().iter().map(|read| Name::of(machine, node, &read.path)).collect();
        let cel = Cel {
            program,
            names,
            height,
            loops: expression.loops(),
            length: expression.cel().len(),
            has_test: expression.has_test(),
        };
        Ok(Some(Self { text: condition.text.into(), is_negated, test: Test::Cel(Arc::new(cel)) }))
    }

    /// Makes a condition of a function of the program.
    pub(crate) fn of_function(function: &Function) -> Self {
        Self { text: function.text.as_str().into(), is_negated: false, test: Test::Function(function.call) }
    }

    /// Returns the text, as the file writes it.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns whether the word before the condition is `unless`.
    #[must_use]
    pub const fn is_negated(&self) -> bool {
        self.is_negated
    }

    /// Evaluates the condition.
    ///
    /// # Errors
    ///
    /// If a name has no value, if the types do not fit, if the result is not a boolean, or if nested macros would take too
    /// long.
    pub fn is_met(&self, contexts: &Contexts, facts: &Facts<'_>) -> Result<bool, ConditionError> {
        let failed = |cause: String| ConditionError { condition: self.text.to_string(), cause };
        let cel = match &self.test {
            Test::Function(call) => return call(contexts).map_err(failed),
            Test::Cel(cel) => cel,
        };
        match cel.evaluate(contexts, facts).map_err(failed)? {
            Ok(cel::Value::Bool(is_true)) => Ok(is_true != self.is_negated),
            Ok(other) => Err(failed(format!("the result is a {}, not a boolean", other.type_of()))),
            Err(error) => Err(failed(error.to_string())),
        }
    }
}

impl Cel {
    fn evaluate(
        &self,
        contexts: &Contexts,
        facts: &Facts<'_>,
    ) -> Result<Result<cel::Value, cel::ExecutionError>, String> {
        let values = self.names.iter().map(|name| name.value(contexts, facts)).collect::<Result<Vec<_>, _>>()?;
        self.check_work(values.iter().flatten().map(Cow::as_ref))?;
        let mut nested = serde_json::Map::new();
        let variables = if self.has_test || values.contains(&None) {
            // `has(job.score)`, and the error about a field without a value, need `job` as an object.
            for name in &self.names {
                name.put(contexts, facts, &mut nested)?;
            }
            Variables::of(nested.iter().map(|(name, value)| (name.as_str(), value)))
        } else {
            // CEL finds the variable `job.score` before the field `score` of `job`, and `job` is not needed.
            let names = self.names.iter().map(Name::text);
            Variables::of(names.zip(&values).filter_map(|(name, value)| Some((name, value.as_deref()?))))
        };
        let mut context = cel::Context::with_env(Arc::clone(&FUNCTIONS));
        context.set_variable_resolver(&variables);
        stack::with_height(self.height, || self.program.execute(&context))
    }

    /// Checks that macros inside each other end soon. Each of them can go through all values, and through those of the text.
    fn check_work<'v>(&self, values: impl Iterator<Item = &'v Value>) -> Result<(), String> {
        if self.loops < 2 {
            return Ok(());
        }
        let values = values.map(value::count).sum::<usize>().saturating_add(self.length / 2);
        let loops = u32::try_from(self.loops).unwrap_or(u32::MAX);
        if values.saturating_pow(loops) <= MAX_WORK {
            return Ok(());
        }
        Err(format!("it has {loops} nested macros, which would take too long with {values} values"))
    }
}

impl fmt::Debug for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Condition")
            .field("text", &self.text)
            .field("is_negated", &self.is_negated)
            .finish_non_exhaustive()
    }
}
