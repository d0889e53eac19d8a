//! Asks another model or calls another tool after a failure.

pub use exo_rails_policy::fallback::FallbackConfig;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use exo_rails::prelude::*;
use exo_rails::{NoRails, RailContext};
use exo_rails_policy::{ConfigError, Severity};

use crate::finding::Finding;
use crate::kit_guard::KitGuard;
use crate::limits::call_id::{Fallbacks, Operation};
use crate::limits::failure::core_kind;

const GUARD: &str = "fallback";

type Calling<T> = Pin<Box<dyn Future<Output = Result<T, OperationError>> + Send>>;
type Caller<I, T> = Arc<dyn Fn(Permit<I>) -> Calling<T> + Send + Sync>;

/// Asks another model, or calls another tool, when a call has failed and no retry is left.
///
/// The guard tries the fallbacks in the order in which you added them. The first result replaces the failure. If all fallbacks
/// fail, the call fails with the error of the first model or tool.
///
/// The rails of the chain do not see the call of a fallback before it runs. So add only fallback tools that may run whenever
/// the first tool may run. The rails see the result of the fallback: see [`substituted_by`](RailContext::substituted_by).
///
/// A fallback tool receives the arguments of the first tool. [`DataFlow`](crate::DataFlow) taints its result with the labels of both
/// tools. The tokens of a fallback model count for
/// [`ctx.usage`](exo_rails::RunScope::usage). [`Budgets`](crate::Budgets) counts the calls and tokens of fallbacks, and
/// [`Sequence`](crate::Sequence) counts a call whose fallback has succeeded. In shadow, the guard calls no fallback.
///
/// Fallbacks are functions, so a configuration only names them: see [`KitBuilder::fallback`](crate::kit::KitBuilder::fallback). The
/// priority is 70, after [`Retry`](crate::Retry).
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails_guards::{Fallback, Retry};
///
/// rail_chain! { struct Guards { retry: Retry, fallback: Fallback } }
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let small = |_request: Permit<ModelCallInputs>| async { Ok(ModelResponse::text("from the small model")) };
/// let cached = |call: Permit<ToolCallInputs>| async move { Ok(ToolOutput::text(format!("{}: cached", call.tool_name))) };
/// let fallback = Fallback::new().model("small", small).tool("search_web", "search_cache", cached);
/// let guards = Guards { retry: Retry::builder().build()?, fallback };
///
/// let down = |_| async { Err::<ModelResponse, _>(OperationError::new(OperationErrorKind::Unavailable, "no connection")) };
/// let mut ctx = RunContext::new("demo");
/// let answer = guards.guard_llm_call(ModelCallInputs::default(), &mut ctx, down).await?;
/// assert_eq!(answer.message.text(), "from the small model");
///
/// let down = |_| async { Err::<ToolOutput, _>(OperationError::from("no connection")) };
/// let output = guards.guard_tool_call(ToolCallInputs::new("search_web"), &mut ctx, down).await?;
/// assert_eq!(output.content, "search_cache: cached");
/// # Ok(()) }
/// ```
#[derive(Clone, Default)]
#[must_use = "a fallback does nothing before it is in a chain"]
pub struct Fallback {
    models: Vec<Other<ModelCallInputs, ModelResponse>>,
    tools: Vec<(String, Other<ToolCallInputs, ToolOutput>)>,
    kinds: Option<Vec<OperationErrorKind>>,
}

struct Other<I, T> {
    name: String,
    call: Caller<I, T>,
}

/// Each call runs a clone of the function.
fn caller<I: 'static, T: 'static, F, Fut>(call: F) -> Caller<I, T>
where
    F: FnOnce(Permit<I>) -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = Result<T, OperationError>> + Send + 'static,
{
    Arc::new(move |inputs| Box::pin(call.clone()(inputs)))
}

impl<I, T> Clone for Other<I, T> {
    fn clone(&self) -> Self {
        Self { name: self.name.clone(), call: Arc::clone(&self.call) }
    }
}

impl Fallback {
    /// Makes a guard without fallbacks. Add them with [`model`](Self::model) and [`tool`](Self::tool).
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a model that answers if a model call has failed. `name` is the name in findings. `call` receives the request
    /// without its field `model`, because that name belongs to the first provider. Each call runs a clone of `call`.
    pub fn model<F, Fut>(mut self, name: impl Into<String>, call: F) -> Self
    where
        F: FnOnce(Permit<ModelCallInputs>) -> Fut + Clone + Send + Sync + 'static,
        Fut: Future<Output = Result<ModelResponse, OperationError>> + Send + 'static,
    {
        self.models.push(Other { name: name.into(), call: caller(call) });
        self
    }

    /// Adds a tool that runs if a call of `tool` has failed. The name must be exactly that of the call. `call` receives the
    /// call with the name `other`. Each call runs a clone of it.
    pub fn tool<F, Fut>(mut self, tool: impl Into<String>, other: impl Into<String>, call: F) -> Self
    where
        F: FnOnce(Permit<ToolCallInputs>) -> Fut + Clone + Send + Sync + 'static,
        Fut: Future<Output = Result<ToolOutput, OperationError>> + Send + 'static,
    {
        self.tools.push((tool.into(), Other { name: other.into(), call: caller(call) }));
        self
    }

    /// Sets the kinds of failures after which the guard tries the fallbacks. The default is all kinds except `invalid_request`
    /// and `denied`, because another service must not do what the first one has refused.
    ///
    /// # Errors
    /// Returns an error if `kinds` is empty.
    pub fn kinds(mut self, kinds: impl IntoIterator<Item = OperationErrorKind>) -> Result<Self, ConfigError> {
        let kinds: Vec<_> = kinds.into_iter().collect();
        if kinds.is_empty() {
            return Err(ConfigError::new("without kinds, no fallback is tried: name some").in_key("kinds"));
        }
        self.kinds = Some(kinds);
        Ok(self)
    }

    fn applies(&self, error: &OperationError) -> bool {
        use OperationErrorKind::{Denied, InvalidRequest};
        match &self.kinds {
            Some(kinds) => kinds.contains(&error.kind),
            None => !matches!(error.kind, InvalidRequest | Denied),
        }
    }
}

impl fmt::Debug for Fallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let models: Vec<_> = self.models.iter().map(|other| &other.name).collect();
        let tools: Vec<_> = self.tools.iter().map(|(tool, other)| (tool, &other.name)).collect();
        f.debug_struct("Fallback").field("models", &models).field("tools", &tools).field("kinds", &self.kinds).finish()
    }
}

fn finding(rule: &'static str, other: &str, error: &OperationError) -> Finding {
    let message = format!("the call failed ({}), and `{other}` has taken its place", error.kind);
    Finding::new(GUARD, rule, Severity::Low, message)
}

/// Returns whether nobody knows how a call has ended.
fn is_unknown(output: Result<&ToolOutput, &RunError>) -> bool {
    output.is_ok_and(|output| output.error_kind == Some(OperationErrorKind::Timeout))
}

#[rail(priority = 70, name = "fallback")]
impl Fallback {
    #[on(LlmError)]
    async fn other_model(
        &self,
        request: &ModelCallInputs,
        error: &OperationError,
        ctx: &mut RailContext,
    ) -> RailAction<ModelResponse> {
        if !self.applies(error) || ctx.is_shadow() {
            return RailAction::Continue;
        }
        let (mut fallbacks, mut decision) = (Fallbacks::default(), RailAction::Continue);
        for other in &self.models {
            fallbacks.ran += 1;
            let request = ModelCallInputs { model: None, ..request.clone() };
            let answer = NoRails.guard_llm_call(request, &mut ctx.child(), |request| (other.call)(request)).await;
            let Ok(answer) = answer else { continue };
            (fallbacks.has_succeeded, fallbacks.used) = (true, Some(other.name.as_str().into()));
            let finding = finding("model", &other.name, error);
            let reason = finding.reason();
            finding.report(ctx);
            decision = RailAction::skip_with(answer, reason);
            break;
        }
        fallbacks.note(Operation::Model, ctx);
        decision
    }

    #[on(ToolError)]
    async fn other_tool(
        &self,
        call: &ToolCallInputs,
        error: &OperationError,
        ctx: &mut RailContext,
    ) -> RailAction<ToolOutput> {
        if !self.applies(error) || ctx.is_shadow() {
            return RailAction::Continue;
        }
        let (mut fallbacks, mut decision) = (Fallbacks::default(), RailAction::Continue);
        for (_, other) in self.tools.iter().filter(|(tool, _)| *tool == call.tool_name) {
            fallbacks.ran += 1;
            let call = ToolCallInputs { tool_name: other.name.clone(), ..call.clone() };
            let mut child = ctx.child();
            let output = NoRails.guard_tool_call(call, &mut child, |call| (other.call)(call)).await;
            fallbacks.unknown += u32::from(is_unknown(output.as_ref()));
            // A failed tool call returns an output with an error for the model.
            let Some(output) = output.ok().filter(|output| output.error_kind.is_none()) else { continue };
            (fallbacks.has_succeeded, fallbacks.used) = (!output.is_error, Some(other.name.as_str().into()));
            let finding = finding("tool", &other.name, error);
            let reason = finding.reason();
            finding.report(ctx);
            decision = RailAction::skip_with(output, reason);
            break;
        }
        fallbacks.note(Operation::Tool, ctx);
        decision
    }
}

impl KitGuard for Fallback {
    type Config = FallbackConfig;
    type Needs = Fallback;

    fn make(config: FallbackConfig, in_code: Fallback) -> Result<Self, ConfigError> {
        let FallbackConfig { models, tools, kinds } = config;
        let mut fallback = Self::new();
        for name in models {
            let model = in_code.models.iter().find(|model| model.name == name).cloned().ok_or_else(|| {
                ConfigError::new(format!(
                    "no model `{name}` is there: add it in code, with `Fallback::new().model(\"{name}\", …)`"
                ))
                .in_key("models")
            })?;
            fallback.models.push(model);
        }
        for (tool, others) in tools {
            for name in others {
                let is_it = |(of, other): &&(String, Other<_, _>)| *of == tool && other.name == name;
                let other = in_code.tools.iter().find(is_it).cloned().ok_or_else(|| {
                    ConfigError::new(format!(
                        "`{name}` does not stand in for `{tool}`: add it in code, with `Fallback::new().tool(\"{tool}\", \"{name}\", …)`"
                    ))
                    .in_key(format_args!("tools.{tool}"))
                })?;
                fallback.tools.push(other);
            }
        }
        if fallback.models.is_empty() && fallback.tools.is_empty() {
            let message = "nothing stands in for a model or a tool: write `models = [\"…\"]` or `tools = { … }`";
            return Err(ConfigError::new(message).in_key("models"));
        }
        match kinds {
            Some(kinds) => fallback.kinds(kinds.into_iter().map(core_kind)),
            None => Ok(fallback),
        }
    }
}
