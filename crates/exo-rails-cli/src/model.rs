//! Who decides: a script, or a live model.

use std::env;
use std::sync::Arc;

use exo_rails::{ModelCallInputs, ModelResponse, OperationError, OperationErrorKind, Permit};
use exo_rails_agent::anthropic::MessagesModel;
use exo_rails_agent::openai::ChatModel;
use exo_rails_agent::{Model, ScriptedModel};

use crate::arguments::ModelOptions;
use crate::failure::Failure;

/// The model for a key without a name.
const ANTHROPIC: &str = "claude-sonnet-4-5";

/// The model of an execution.
pub(crate) struct Chosen {
    pub(crate) model: Arc<dyn Model>,
    /// The same model, if it is a script.
    pub(crate) script: Option<Arc<ScriptedModel>>,
}

impl Chosen {
    /// Makes the model that the options or the environment name. A script begins after `turns` turns.
    pub(crate) fn by(options: &ModelOptions, turns: usize) -> Result<Self, Failure> {
        if let Some(file) = &options.script {
            let script = ScriptedModel::from_file(file).map_err(|error| Failure::Usage(error.to_string()))?;
            let script = Arc::new(script.skip_turns(turns));
            return Ok(Self { model: Arc::<ScriptedModel>::clone(&script), script: Some(script) });
        }
        Self::live(options.model.clone().or_else(named_by_environment), None)
    }

    /// Makes a live model with this key, or with the key of the environment. Without a name, each call of the model fails.
    pub(crate) fn live(name: Option<String>, key: Option<String>) -> Result<Self, Failure> {
        let Some(name) = name else { return Ok(Self { model: Arc::new(NoModel), script: None }) };
        let wrong = |error: &dyn std::fmt::Display| Failure::Usage(format!("the model: {error}"));
        let model: Arc<dyn Model> = match (key, name.split_once(':')) {
            (Some(key), Some(("anthropic", model))) if !model.is_empty() => {
                Arc::new(MessagesModel::builder(model).api_key(key).build().map_err(|error| wrong(&error))?)
            }
            (Some(key), Some(("openai", model))) if !model.is_empty() => {
                Arc::new(ChatModel::builder(model).api_key(key).build().map_err(|error| wrong(&error))?)
            }
            _ => Arc::from(<dyn Model>::from_spec(&name).map_err(|error| wrong(&error))?),
        };
        Ok(Self { model, script: None })
    }
}

/// Returns the name of the model that the variables of the environment name.
pub(crate) fn named_by_environment() -> Option<String> {
    let variable = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    let has_any = |names: [&str; 2]| names.into_iter().any(|name| variable(name).is_some());
    if has_any(["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"]) {
        let model = variable("ANTHROPIC_MODEL").unwrap_or_else(|| ANTHROPIC.to_owned());
        return Some(format!("anthropic:{model}"));
    }
    // Servers of this protocol have models of many names, so there is no default.
    let model = variable("OPENAI_MODEL").filter(|_| has_any(["OPENAI_API_KEY", "OPENAI_BASE_URL"]))?;
    Some(format!("openai:{model}"))
}

/// Stands in for a missing model. A machine whose steps are all automatic needs none.
struct NoModel;

impl Model for NoModel {
    async fn call(&self, _: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
        let message =
            "there is no model: set ANTHROPIC_API_KEY, or OPENAI_API_KEY and OPENAI_MODEL, or use `--script FILE`";
        Err(OperationError::new(OperationErrorKind::Other, message))
    }
}
