//! JSON Schema of tool calls and answers.

mod compiled;
mod structured_answer;
mod tool_schemas;
mod violation;

pub use structured_answer::StructuredAnswer;
pub use tool_schemas::ToolSchemas;
