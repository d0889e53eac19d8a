//! Tools by their names, prefixes and regular expressions.

mod pattern;

use std::pin::Pin;
use std::sync::Arc;

use exo_rails::{
    GuardedResult, IntoFailure, IntoOutput, OperationError, OperationErrorKind, Permit, Tool, ToolCallInputs,
    ToolFunction, ToolOutput,
};

pub use pattern::NamePattern;

type Handled = Pin<Box<dyn Future<Output = Result<ToolOutput, OperationError>> + Send>>;
type Handler = Arc<dyn Fn(Permit<ToolCallInputs>) -> Handled + Send + Sync>;

/// Finds the tool for a call. It looks for the exact name first, then tries the patterns in the order in which they were added.
///
/// The registry refuses a pattern if an earlier pattern matches all its names, because the new pattern would never be used.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::NoRails;
/// use exo_rails_machine::{NamePattern, ToolRegistry};
/// use serde_json::{Value, json};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut registry = ToolRegistry::new();
/// registry.add(Tool::new("search", "Finds.", json!({}), |_: Value| async { Ok::<_, OperationError>("found") }))?;
/// registry.add_pattern(NamePattern::prefix("read_"), |call| async move {
///     Ok::<_, OperationError>(format!("reads {}", call.tool_name.trim_start_matches("read_")))
/// })?;
/// assert!(registry.has("read_notes") && !registry.has("searching"));
///
/// let run = |call| registry.call(call);
/// let output = NoRails.guard_tool_call(ToolCallInputs::new("read_notes"), &mut RunContext::new("demo"), run).await?;
/// assert_eq!(output.content, "reads notes");
///
/// let hidden = registry.add_pattern(NamePattern::prefix("read_file_"), |_| async { Ok::<_, OperationError>("") });
/// assert_eq!(hidden.unwrap_err().to_string(), "the pattern `read_file_*` is never reached: `read_*` matches all its names");
/// # Ok(()) }
/// ```
#[derive(Clone, Default)]
pub struct ToolRegistry {
    tools: Vec<Tool>,
    patterns: Vec<(NamePattern, Handler)>,
}

/// Why a tool or a pattern is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// There is already a tool with this name.
    #[error("there is a tool `{name}` already")]
    Duplicate {
        /// The name.
        name: String,
    },
    /// An earlier pattern matches everything that this one matches.
    #[error("the pattern `{pattern}` is never reached: `{by}` matches all its names")]
    Unreachable {
        /// The pattern.
        pattern: String,
        /// The earlier pattern.
        by: String,
    },
    /// The text is not a regular expression.
    #[error("`{pattern}` is not a regular expression: {problem}")]
    Regex {
        /// The text.
        pattern: String,
        /// What is wrong.
        problem: String,
    },
}

/// The contents of a registry.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RegistryDiagnostics {
    /// The names of the tools with exact names.
    pub tools: Vec<String>,
    /// The patterns, in their order.
    pub patterns: Vec<String>,
}

impl ToolRegistry {
    /// Makes a registry without tools.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tool under its exact name.
    ///
    /// # Errors
    ///
    /// If there is already a tool with this name.
    pub fn add(&mut self, tool: impl Into<Tool>) -> Result<(), RegistryError> {
        let tool = tool.into();
        if self.tool(tool.name()).is_some() {
            return Err(RegistryError::Duplicate { name: tool.name().to_owned() });
        }
        self.tools.push(tool);
        Ok(())
    }

    /// Adds a function for all tool names that match a pattern, except the exact names in the registry. Each call runs a clone
    /// of the function.
    ///
    /// # Errors
    ///
    /// If an earlier pattern matches all these names.
    pub fn add_pattern<F>(&mut self, pattern: NamePattern, run: F) -> Result<(), RegistryError>
    where
        F: ToolFunction<Permit<ToolCallInputs>>,
        F: FnOnce(Permit<ToolCallInputs>) -> <F as ToolFunction<Permit<ToolCallInputs>>>::Future,
    {
        if let Some((earlier, _)) = self.patterns.iter().find(|(earlier, _)| earlier.covers(&pattern)) {
            let (pattern, by) = (pattern.to_string(), earlier.to_string());
            return Err(RegistryError::Unreachable { pattern, by });
        }
        let handler = move |call: Permit<ToolCallInputs>| -> Handled {
            let call = run.clone()(call);
            Box::pin(
                async move { call.await.into_result().map(IntoOutput::into_output).map_err(IntoFailure::into_failure) },
            )
        };
        self.patterns.push((pattern, Arc::new(handler)));
        Ok(())
    }

    /// Removes the tool with an exact name, and returns it. A pattern may still match the name.
    ///
    /// To replace a tool, remove it and add the new one.
    pub fn remove(&mut self, name: &str) -> Option<Tool> {
        let at = self.tools.iter().position(|tool| tool.name() == name)?;
        Some(self.tools.remove(at))
    }

    /// Removes a pattern. Returns whether it was there.
    pub fn remove_pattern(&mut self, pattern: &NamePattern) -> bool {
        let before = self.patterns.len();
        self.patterns.retain(|(other, _)| other != pattern);
        self.patterns.len() < before
    }

    /// Removes all tools and patterns.
    pub fn clear(&mut self) {
        self.tools.clear();
        self.patterns.clear();
    }

    /// Returns the tool with an exact name.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name() == name)
    }

    /// Returns all tools with exact names.
    #[must_use]
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// Returns whether there is a tool or a pattern for this name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.tool(name).is_some() || self.patterns.iter().any(|(pattern, _)| pattern.matches(name))
    }

    /// Runs the tool for a call.
    ///
    /// # Errors
    ///
    /// If there is no tool or pattern for the name, or if the tool fails.
    pub async fn call(&self, call: Permit<ToolCallInputs>) -> Result<ToolOutput, OperationError> {
        if let Some(tool) = self.tool(&call.tool_name) {
            return tool.call(call).await;
        }
        if let Some((_, handler)) = self.patterns.iter().find(|(pattern, _)| pattern.matches(&call.tool_name)) {
            return handler(call).await;
        }
        let message = format!("there is no tool `{}`", call.tool_name);
        Err(OperationError::new(OperationErrorKind::NotFound, message))
    }

    /// Returns the contents of the registry.
    #[must_use]
    pub fn diagnostics(&self) -> RegistryDiagnostics {
        RegistryDiagnostics {
            tools: self.tools.iter().map(|tool| tool.name().to_owned()).collect(),
            patterns: self.patterns.iter().map(|(pattern, _)| pattern.to_string()).collect(),
        }
    }
}

impl std::fmt::Debug for ToolRegistry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.diagnostics().fmt(f)
    }
}
