//! The arguments of tool calls, against the schemas of the tools.

use std::sync::Arc;

use exo_rails::prelude::*;
pub use exo_rails_policy::tool_schemas::ToolSchemasConfig;
use exo_rails_policy::{ConfigError, Severity};
use serde_json::Value;

use crate::config::makes;
use crate::finding::{Finding, Place};
use crate::kit_guard::needs_only_its_configuration;
use crate::shape::compiled::{Cache, Schema, ToolSet};
use crate::shape::feedback::refuse_call;
use crate::shape::offered::Offered;

const GUARD: &str = "tool_schemas";

/// Checks the arguments of each tool call against the JSON Schema of the tool.
///
/// The schemas are those of the last model call of the run, or those of [`schemas`](ToolSchemasConfig::schemas). A call that
/// does not fit is skipped, and the model reads the path, what was expected, and the kind of the value. It does not read the
/// value, because the same text reaches logs. After [`max_feedback`](ToolSchemasConfig::max_feedback) explanations in a run,
/// the model only reads that it must not repeat the call, or the run ends.
///
/// A tool without a schema may have any arguments. The guard for tools that do not exist is
/// [`CapabilityGap`](crate::CapabilityGap).
///
/// A schema is compiled when the model first calls its tool, and the schemas of the last 16 tool sets are kept. If a schema does
/// not compile, the guard refuses each call of its tool. A schema may refer to its own definitions, but to no file and no address: the
/// guard reads nothing from the disk or the network.
///
/// The guard runs on `PreToolCall`, and reads the tools at `PreLlmCall` and `PostLlmCall`. Its priority is 14, after guards
/// that change arguments. If a run was resumed in another process, the calls that were open have no request. They are
/// checked only against [`schemas`](ToolSchemasConfig::schemas).
///
/// # What it does not bound
///
/// The time of a check depends on the schema. Patterns take linear time, or stop after a number of steps. But a schema can
/// combine alternatives such that a check takes exponential time. Do not offer the tools of a server that you do not trust.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails_guards::ToolSchemas;
/// use serde_json::json;
///
/// rail_chain! { struct Guards { schemas: ToolSchemas } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let refund = json!({
///     "type": "object",
///     "properties": { "order_id": { "type": "string" }, "cents": { "type": "integer", "minimum": 1 } },
///     "required": ["order_id", "cents"],
///     "additionalProperties": false
/// });
/// let guards = Guards { schemas: ToolSchemas::builder().schema("refund", refund).build()? };
/// let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("paid")) };
///
/// let call = ToolCallInputs::new("refund").with_arguments(json!({ "order_id": "A7", "cents": "5" }));
/// let output = guards.guard_tool_call(call, &mut RunContext::new("demo"), tool).await?;
/// assert!(output.content.ends_with("at `/cents`: expected integer, found string"));
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct ToolSchemas {
    config: ToolSchemasConfig,
    named: ToolSet,
    cache: Cache,
}

impl ToolSchemas {
    /// Makes the guard.
    ///
    /// # Errors
    /// Returns an error if one of the [`schemas`](ToolSchemasConfig::schemas) is not a schema, or refers to something outside
    /// of it.
    pub fn new(config: ToolSchemasConfig) -> Result<Self, ConfigError> {
        let schema = |(tool, schema): (&String, &Value)| {
            let schema = Schema::of_config(schema.clone(), config.check_formats);
            Ok((tool.clone(), schema.map_err(|error| error.in_key(format!("schemas.{tool}")))?))
        };
        let named = config.schemas.iter().map(schema).collect::<Result<ToolSet, ConfigError>>()?;
        Ok(Self { config, named, cache: Cache::default() })
    }

    fn finding(&self, call: &ToolCallInputs, offered: &ToolSet) -> Option<Finding> {
        let schema = self.named.get(&call.tool_name).or_else(|| offered.get(&call.tool_name))?;
        if call.arguments.is_string() {
            let message = "the arguments are not a JSON object";
            return Some(Finding::new(GUARD, "not_json", Severity::Low, message));
        }
        let violation = match schema.check(&call.arguments) {
            Ok(violation) => violation?,
            Err(error) => {
                let message = format!("the schema of the tool cannot be used, so its calls do not run: {error}");
                return Some(Finding::new(GUARD, "bad_schema", Severity::Medium, message));
            }
        };
        let message = format!("the arguments do not fit the schema of the tool: {}", violation.text);
        Some(Finding::new(GUARD, "arguments", Severity::Low, message).at(Place::pointer(violation.pointer)))
    }
}

#[rail(priority = 14, name = "tool_schemas")]
impl ToolSchemas {
    #[on(PreLlmCall, PostLlmCall)]
    #[expect(clippy::unused_self, reason = "the method of a rail takes it")]
    fn remember(&self, request: &ModelCallInputs, ctx: &RailContext) {
        Offered::remember(request, ctx);
    }

    #[on(PreToolCall)]
    fn check(&self, call: &ToolCallInputs, ctx: &mut RailContext) -> RailAction {
        let tools = Offered::of(ctx);
        let offered = if tools.is_empty() { Arc::default() } else { self.cache.get(&tools, self.config.check_formats) };
        let Some(finding) = self.finding(call, &offered) else { return RailAction::Continue };
        refuse_call(GUARD, finding, self.config.max_feedback, self.config.after_feedback, ctx)
    }
}

makes!(ToolSchemas, ToolSchemasConfig);

needs_only_its_configuration!(ToolSchemas, ToolSchemasConfig);
