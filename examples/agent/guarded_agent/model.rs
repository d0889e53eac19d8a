//! The model of the agent: a script or a live model.

use std::error::Error;

use exo_rails_agent::{Model, ScriptedModel};

use crate::options::Options;

/// Returns the script that the options name. Otherwise, returns the live model that the environment names, or the default
/// script.
pub(crate) fn chosen_by(options: &Options) -> Result<Box<dyn Model>, Box<dyn Error>> {
    #[cfg(feature = "live-http")]
    if options.script.is_none() && names_a_model() {
        return Ok(Box::new(exo_rails_agent::openai::ChatModel::from_env()?));
    }
    Ok(Box::new(ScriptedModel::from_file(options.script_or_default())?))
}

/// Returns `true` if the environment names a live model.
#[cfg(feature = "live-http")]
fn names_a_model() -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    ["OPENAI_BASE_URL", "OPENAI_API_KEY"].into_iter().any(set)
}
