//! JSON Schema of tool calls and answers.

mod compiled;
mod structured_answer;
mod tool_schemas;
mod violation;

pub use exo_rails_policy::structured_answer::StructuredAnswerConfig;
pub use exo_rails_policy::tool_schemas::ToolSchemasConfig;
pub use structured_answer::StructuredAnswer;
pub use tool_schemas::ToolSchemas;
