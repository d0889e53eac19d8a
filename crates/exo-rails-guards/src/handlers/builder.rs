//! The construction of the handlers, with all checks of the configuration.

#[cfg(feature = "agent")]
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

#[cfg(feature = "agent")]
use exo_rails::{GuardSet, NoRails, Tool};
#[cfg(feature = "agent")]
use exo_rails_agent::Model;
use exo_rails_policy::{ConfigError, ToolPattern};

#[cfg(feature = "agent")]
use super::asked::{ARGUMENTS, Asked};
#[cfg(unix)]
use super::command::{self, Command};
use super::handler::{External, Handler, Runner};
#[cfg(feature = "http")]
use super::http::Endpoint;
use super::output::Limits;
use super::{HandlerConfig, HandlerEvent, HookHandlers, HookHandlersConfig, Run};
use crate::kit_guard::KitGuard;

/// The largest number of steps of an agent.
#[cfg(feature = "agent")]
const MAX_STEPS: u32 = 50;

/// The longest time for an answer: a day.
const MAX_TIMEOUT_MS: u64 = 86_400_000;

/// Builds [`HookHandlers`] from a configuration and from what a configuration file cannot hold: models, tools and rails.
///
/// ```
/// use exo_rails_guards::handlers::HookHandlers;
///
/// let error = HookHandlers::builder().allowed_dir("hooks").build().unwrap_err();
/// assert_eq!(error.to_string(), "`allowed_dirs`: `hooks` is relative: write an absolute path");
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "the guard does not exist before `build()`"]
pub struct HookHandlersBuilder {
    config: HookHandlersConfig,
    #[cfg(feature = "agent")]
    known: Known,
}

/// What the program has registered for prompts and agents.
#[cfg(feature = "agent")]
#[derive(Clone)]
struct Known {
    models: HashMap<String, Arc<dyn Model>>,
    tools: Vec<Tool>,
    rails: Arc<dyn GuardSet>,
}

#[cfg(feature = "agent")]
impl Default for Known {
    fn default() -> Self {
        Self { models: HashMap::new(), tools: Vec::new(), rails: Arc::new(NoRails) }
    }
}

#[cfg(feature = "agent")]
impl std::fmt::Debug for Known {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let tools: Vec<&str> = self.tools.iter().map(Tool::name).collect();
        f.debug_struct("Known").field("models", &self.models.keys()).field("tools", &tools).finish_non_exhaustive()
    }
}

impl From<HookHandlersConfig> for HookHandlersBuilder {
    fn from(config: HookHandlersConfig) -> Self {
        Self {
            config,
            #[cfg(feature = "agent")]
            known: Known::default(),
        }
    }
}

impl HookHandlersBuilder {
    /// Sets the whole configuration. What the program has registered stays.
    pub fn config(mut self, config: HookHandlersConfig) -> Self {
        self.config = config;
        self
    }

    /// Adds a handler.
    pub fn handler(mut self, handler: HandlerConfig) -> Self {
        self.config.handlers.push(handler);
        self
    }

    /// Adds a directory that may hold programs.
    pub fn allowed_dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.config.allowed_dirs.push(dir.into());
        self
    }

    /// Registers a model under the name that prompts and agents use.
    #[cfg(feature = "agent")]
    pub fn model(mut self, name: impl Into<String>, model: impl Model + 'static) -> Self {
        self.known.models.insert(name.into(), Arc::new(model));
        self
    }

    /// Registers a tool that agents may use.
    #[cfg(feature = "agent")]
    pub fn tool(mut self, tool: impl Into<Tool>) -> Self {
        self.known.tools.push(tool.into());
        self
    }

    /// Sets the rails of the prompts and agents. Without this method, nothing guards the tool calls of an agent.
    #[cfg(feature = "agent")]
    pub fn agent_rails(mut self, rails: impl GuardSet + 'static) -> Self {
        self.known.rails = Arc::new(rails);
        self
    }

    /// Makes the guard.
    ///
    /// # Errors
    /// Returns the errors of [`HookHandlers::new`].
    pub fn build(self) -> Result<HookHandlers, ConfigError> {
        #[cfg(unix)]
        let allowed = command::allowed_dirs(&self.config.allowed_dirs)?;
        let make = |(number, config): (usize, &HandlerConfig)| {
            let place = format!("handlers[{number}]");
            let external = |config: &HandlerConfig| match &config.run {
                #[cfg(unix)]
                Run::Command(run) => {
                    Command::new(run.clone(), &allowed, &self.config.inherit_env).map(External::Command).map(Some)
                }
                #[cfg(not(unix))]
                Run::Command(_) => Err(ConfigError::new("commands need a Unix system").in_key("run.command")),
                #[cfg(feature = "http")]
                Run::Http(run) => Endpoint::new(run).map(External::Http).map(Some),
                #[cfg(not(feature = "http"))]
                Run::Http(_) => Err(missing_feature("http").in_key("run.http")),
                Run::Prompt(_) | Run::Agent(_) => Ok(None),
            };
            self.handler_of(config, &place, external).map_err(|error| error.in_key(&place))
        };
        let handlers = self.config.handlers.iter().enumerate().map(make).collect::<Result<_, _>>()?;
        Ok(HookHandlers::of(handlers, self.config.max_background))
    }

    fn handler_of(
        &self,
        config: &HandlerConfig,
        place: &str,
        external: impl FnOnce(&HandlerConfig) -> Result<Option<External>, ConfigError>,
    ) -> Result<Handler, ConfigError> {
        check_events(config)?;
        let runner = match external(config)?.map(Arc::new) {
            Some(external) if config.background => Runner::Background(external),
            Some(external) => Runner::External(external),
            None => self.model_of(&config.run)?,
        };
        Ok(Handler {
            name: config.name.clone().unwrap_or_else(|| place.to_owned()),
            events: config.events.clone(),
            tools: tools(config)?,
            runner,
            limits: limits(config)?,
            fail_mode: config.fail_mode,
            on_block: config.on_block,
        })
    }

    #[cfg(not(feature = "agent"))]
    #[expect(clippy::unused_self, reason = "with the feature, it finds models and tools here")]
    fn model_of(&self, run: &Run) -> Result<Runner, ConfigError> {
        Err(missing_feature("agent").in_key(if matches!(run, Run::Agent(_)) { "run.agent" } else { "run.prompt" }))
    }

    #[cfg(feature = "agent")]
    fn model_of(&self, run: &Run) -> Result<Runner, ConfigError> {
        let (key, text, model, tools, max_steps) = match run {
            Run::Agent(run) => ("run.agent", &run.text, &run.model, run.tools.as_slice(), run.max_steps),
            Run::Prompt(run) => ("run.prompt", &run.text, &run.model, [].as_slice(), 1),
            Run::Command(_) | Run::Http(_) => return Err(ConfigError::new("this handler asks no model")),
        };
        let asked = self.known.asked(text, model, tools, max_steps).map_err(|error| error.in_key(key))?;
        Ok(Runner::Model(Box::new(asked)))
    }
}

#[cfg(feature = "agent")]
impl Known {
    fn asked(&self, text: &str, model: &str, tools: &[String], max_steps: u32) -> Result<Asked, ConfigError> {
        if !text.contains(ARGUMENTS) {
            let message = format!("the model would not see the event: write `{ARGUMENTS}` where the event belongs");
            return Err(ConfigError::new(message).in_key("text"));
        }
        if !(1..=MAX_STEPS).contains(&max_steps) {
            let message = format!("an agent takes at least one step: write a number from 1 to {MAX_STEPS}");
            return Err(ConfigError::new(message).in_key("max_steps"));
        }
        let find = |name: &String| {
            let tool = self.tools.iter().find(|tool| tool.name() == name).cloned();
            tool.ok_or_else(|| {
                let message = format!("the program has registered no tool `{name}`: call `.tool(…)` of the builder");
                ConfigError::new(message).in_key("tools")
            })
        };
        let tools = tools.iter().map(find).collect::<Result<_, _>>()?;
        let model = self.model(model).map_err(|error| error.in_key("model"))?;
        Ok(Asked::new(model, text.to_owned(), tools, max_steps, Arc::clone(&self.rails)))
    }

    fn model(&self, name: &str) -> Result<Arc<dyn Model>, ConfigError> {
        if let Some(model) = self.models.get(name) {
            return Ok(Arc::clone(model));
        }
        if !name.contains(':') {
            let message = format!("the program has registered no model `{name}`: call `.model(…)` of the builder");
            return Err(ConfigError::new(message));
        }
        <dyn Model>::from_spec(name).map(Arc::from).map_err(|error| ConfigError::new(error.to_string()))
    }
}

#[cfg(not(all(feature = "http", feature = "agent")))]
fn missing_feature(feature: &str) -> ConfigError {
    ConfigError::new(format!("this kind of handler needs the feature `{feature}` of `exo-rails-guards`"))
}

fn check_events(config: &HandlerConfig) -> Result<(), ConfigError> {
    if config.events.is_empty() {
        return Err(ConfigError::new("the handler never runs: name at least one event").in_key("events"));
    }
    let asks_model = matches!(config.run, Run::Prompt(_) | Run::Agent(_));
    let reports = |event: &&HandlerEvent| !event.can_decide();
    if let Some(event) = config.events.iter().find(reports).filter(|_| asks_model) {
        let message = format!("`{event}` only reports, so a model has nothing to decide: use a command or a request");
        return Err(ConfigError::new(message).in_key("events"));
    }
    if asks_model && config.background {
        let message = "a model in the background decides nothing: use a command or a request";
        return Err(ConfigError::new(message).in_key("background"));
    }
    Ok(())
}

fn tools(config: &HandlerConfig) -> Result<Vec<ToolPattern>, ConfigError> {
    let other = config.events.iter().find(|event| !event.has_tool());
    if let Some(event) = other.filter(|_| !config.tool.is_empty()) {
        let message = format!("`{event}` is not about a tool: remove `tool`");
        return Err(ConfigError::new(message).in_key("tool"));
    }
    Ok(config.tool.clone())
}

fn limits(config: &HandlerConfig) -> Result<Limits, ConfigError> {
    let default = match config.run {
        Run::Command(_) | Run::Http(_) => 5_000,
        Run::Prompt(_) => 30_000,
        Run::Agent(_) => 120_000,
    };
    let time = config.timeout_ms.unwrap_or(default);
    if !(1..=MAX_TIMEOUT_MS).contains(&time) {
        let message = format!("write a number of milliseconds from 1 to {MAX_TIMEOUT_MS}");
        return Err(ConfigError::new(message).in_key("timeout_ms"));
    }
    if config.max_output_bytes == 0 {
        return Err(ConfigError::new("0 would refuse every answer: write at least 1").in_key("max_output_bytes"));
    }
    Ok(Limits { time: Duration::from_millis(time), bytes: config.max_output_bytes })
}

impl HookHandlers {
    /// Makes the guard.
    ///
    /// # Errors
    /// Returns an error in each of these cases:
    ///
    /// - A handler has no events, or a prompt or an agent is at an event that only reports.
    /// - A handler names tools, and an event is not about a tool.
    /// - A program does not exist, is relative, or is outside of the allowed directories.
    /// - A URL or a header is wrong, or a variable of the environment is missing.
    /// - A model or a tool is not known, or the feature for the handler is off.
    pub fn new(config: HookHandlersConfig) -> Result<Self, ConfigError> {
        HookHandlersBuilder::from(config).build()
    }

    /// Starts without handlers.
    pub fn builder() -> HookHandlersBuilder {
        HookHandlersBuilder::default()
    }
}

impl KitGuard for HookHandlers {
    type Config = HookHandlersConfig;
    type Needs = HookHandlersBuilder;

    fn make(config: HookHandlersConfig, builder: HookHandlersBuilder) -> Result<Self, ConfigError> {
        builder.config(config).build()
    }
}
