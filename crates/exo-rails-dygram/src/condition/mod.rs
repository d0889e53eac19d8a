//! The conditions of edges, in the syntax of [CEL](https://github.com/google/cel-spec).
//!
//! This module checks the syntax of a condition, and finds the names that the condition reads. It also refuses a condition that
//! is certainly not a `bool`. It does not evaluate conditions. An executor does that with a CEL library, which would be larger
//! than the rest of this crate.

mod lexer;
mod parser;

use crate::diagnostic::Span;

/// A condition with valid syntax.
///
/// ```
/// use exo_rails_dygram::condition::Expression;
///
/// let expression = Expression::parse("metrics.quality > 0.9 && {{input.ready}} === true")?;
/// let names: Vec<_> = expression.reads().iter().map(|read| read.path.join(".")).collect();
/// assert_eq!(names, ["metrics.quality", "input.ready"]);
/// assert_eq!(expression.cel(), "metrics.quality > 0.9 && input.ready == true");
/// # Ok::<(), exo_rails_dygram::condition::ExpressionError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    cel: String,
    reads: Vec<Read>,
    height: usize,
    loops: usize,
    has_test: bool,
}

/// A name that a condition reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    /// The parts of the name, which are separated by dots in the text.
    pub path: Vec<String>,
    /// The bytes in the text of the condition.
    pub span: Span,
}

/// A mistake in a condition.
///
/// ```
/// use exo_rails_dygram::condition::Expression;
///
/// let mistake = Expression::parse("count = 3").unwrap_err();
/// assert_eq!(mistake.to_string(), "`=` is not an operator of a condition: write `==`");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpressionError {
    /// The bytes in the text of the condition.
    pub span: Span,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
}

impl std::fmt::Display for ExpressionError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)?;
        self.help.as_ref().map_or(Ok(()), |help| write!(f, ": {help}"))
    }
}

impl std::error::Error for ExpressionError {}

impl Expression {
    /// Reads a condition.
    ///
    /// It accepts CEL, and also forms from JavaScript and from templates: `===` and `!==` mean `==` and `!=`, and `{{a.b}}`
    /// means `a.b`.
    ///
    /// # Errors
    ///
    /// If the text is not an expression, or is certainly not a `bool`.
    pub fn parse(text: &str) -> Result<Self, ExpressionError> {
        parser::parse(text)
    }

    /// Returns the condition in plain CEL.
    #[must_use]
    pub fn cel(&self) -> &str {
        &self.cel
    }

    /// Returns the names that the condition reads, in the order of the text. The result does not include the variables of
    /// macros, such as `x` in `items.all(x, x > 0)`.
    #[must_use]
    pub fn reads(&self) -> &[Read] {
        &self.reads
    }

    /// Returns the height of the condition's tree. A single value has the height 1. The maximum is 64.
    #[must_use]
    pub const fn height(&self) -> usize {
        self.height
    }

    /// Returns how many levels of macros such as `all` are nested. Each macro can go through a list.
    #[must_use]
    pub const fn loops(&self) -> usize {
        self.loops
    }

    /// Returns whether the condition tests a field with `has`, such as `has(job.score)`.
    ///
    /// ```
    /// use exo_rails_dygram::condition::Expression;
    ///
    /// assert!(Expression::parse("has(job.score) && job.score > 3")?.has_test());
    /// assert!(!Expression::parse("job.score > 3")?.has_test());
    /// # Ok::<(), exo_rails_dygram::condition::ExpressionError>(())
    /// ```
    #[must_use]
    pub const fn has_test(&self) -> bool {
        self.has_test
    }
}
