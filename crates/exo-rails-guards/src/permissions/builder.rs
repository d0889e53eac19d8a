//! Building the guard from the configurations of several sources.

use std::collections::{BTreeMap, BTreeSet};

use exo_rails_policy::permissions::ToolConfig;
use exo_rails_policy::{ConfigError, TextList, ToolPattern};
use exo_rails_policy::{Precision, ToolName};
use exo_rails_text::spelling::folded;

use super::Permissions;
use super::evaluate::{Index, Policy};
use super::grant::ExecutionGrant;
use super::{OnDeny, Permission, PermissionMode, PermissionRule, PermissionsConfig, Source};
use crate::approval::{Asker, IntoAsker, SuspendRun};
use crate::kit_guard::{KitGuard, KnownTools};
use crate::places::path::Places;
use crate::rules::rule::{Rule, RuleId};
use crate::rules::tools::Tools;

/// Builds a [`Permissions`] guard from rules and configurations of several [sources](Source).
///
/// A setting comes from the source with the highest precedence that has it. The limits of all sources apply together.
///
/// ```
/// use exo_rails::ToolCallInputs;
/// use exo_rails_guards::permissions::{Permission, PermissionRule, Permissions, PermissionsConfig, Source};
///
/// let global = PermissionsConfig::from_toml("[[rules]]\ntool = \"deploy\"\ndecision = \"ask\"")?;
/// let permissions = Permissions::builder()
///     .config(Source::Global, global)
///     .rule(Source::Session, PermissionRule::allow("deploy"))
///     .known_tools(["deploy", "rollback"])
///     .build()?;
/// assert_eq!(permissions.judge(&ToolCallInputs::new("deploy")).permission, Permission::Allow);
/// # Ok::<(), exo_rails_guards::ConfigError>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "a builder does nothing before `build`"]
pub struct PermissionsBuilder {
    configs: Vec<(Source, PermissionsConfig)>,
    mode: Option<PermissionMode>,
    known_tools: Vec<String>,
    asker: Asker,
}

impl Default for PermissionsBuilder {
    fn default() -> Self {
        Self { configs: Vec::new(), mode: None, known_tools: Vec::new(), asker: SuspendRun.into() }
    }
}

impl PermissionsBuilder {
    /// Adds the configuration of a source.
    ///
    /// The rules of a project can allow calls. Load the configuration of a project only if the user trusts the project.
    pub fn config(mut self, source: Source, config: PermissionsConfig) -> Self {
        self.configs.push((source, config));
        self
    }

    /// Adds a rule.
    pub fn rule(self, source: Source, rule: PermissionRule) -> Self {
        self.config(source, PermissionsConfig { rules: vec![rule], ..PermissionsConfig::default() })
    }

    /// Sets the mode of permissions, over that of every configuration.
    pub fn permission_mode(mut self, mode: PermissionMode) -> Self {
        self.mode = Some(mode);
        self
    }

    /// Sets the names of all tools. A rule about a tool with another name is then an error.
    pub fn known_tools(mut self, names: impl TextList) -> Self {
        self.known_tools.extend(names.texts());
        self
    }

    /// Sets how people are asked. Default: [`SuspendRun`].
    pub fn asker(mut self, asker: impl IntoAsker) -> Self {
        self.asker = asker.into_asker();
        self
    }

    /// Builds the guard.
    ///
    /// # Errors
    /// Returns an error that names the rule and the key in these cases:
    ///
    /// - A pattern, a condition, a host or a command cannot be read.
    /// - Two rules of a source have the same name.
    /// - A rule is about a tool that is not one of the [known tools](Self::known_tools).
    /// - A rule has commands, and none of its tools runs shell commands.
    /// - The configuration of a project sets the mode `bypass`.
    /// - A directory is not an absolute path.
    pub fn build(self) -> Result<Permissions, ConfigError> {
        let Self { mut configs, mode, known_tools, asker } = self;
        // The highest precedence first. Configurations of one source stay in their order.
        configs.sort_by_key(|(source, _)| std::cmp::Reverse(*source));
        for (source, config) in &configs {
            if *source == Source::Project && config.permission_mode == Some(PermissionMode::Bypass) {
                let message = "a project cannot switch its rules off: set `bypass` on the command line or in the code";
                return Err(located(ConfigError::new(message).in_key("permission_mode"), config));
            }
        }
        let places = places(&configs)?;
        let tools = Tools::new(tool_configs(&configs))?;
        let mut rules: Vec<Rule> = Vec::new();
        for (source, config) in &configs {
            add_rules(&mut rules, *source, config, &places, &tools, &known_tools)?;
        }
        let index = Index::new(&rules);
        let grant = configs
            .iter()
            .fold(ExecutionGrant::default(), |grant, (_, config)| grant.intersection(&config.grant.clone().into()));
        let on_deny = first(&configs, |config| config.on_deny).unwrap_or(OnDeny::Skip);
        let policy = Policy {
            mode: mode.or_else(|| first(&configs, |config| config.permission_mode)).unwrap_or_default(),
            default: first(&configs, |config| config.default).unwrap_or(Permission::Ask),
            unknown: first(&configs, |config| config.unknown).unwrap_or_default(),
            plan: first(&configs, |config| config.plan).unwrap_or(super::Caution::Deny),
            judge: judge(&configs)?,
            shell_source: configs
                .iter()
                .find(|(_, config)| config.shell.is_some())
                .map_or(Source::Global, |(source, _)| *source),
            grant,
            places,
            tools,
            rules,
            index,
        };
        Ok(Permissions { policy, asker, on_deny, known_tools })
    }
}

impl Permissions {
    /// Makes the guard from the configuration of one file, with the source [`Source::Global`].
    ///
    /// # Errors
    /// Returns the errors of [`PermissionsBuilder::build`].
    pub fn new(config: PermissionsConfig) -> Result<Self, ConfigError> {
        Self::builder().config(Source::Global, config).build()
    }

    /// Begins a guard with rules of several sources.
    pub fn builder() -> PermissionsBuilder {
        PermissionsBuilder::default()
    }
}

impl KitGuard for Permissions {
    type Config = PermissionsConfig;
    type Needs = (PermissionsBuilder, Asker, KnownTools);

    const ASKS: bool = true;

    fn make(
        config: PermissionsConfig,
        (in_code, asker, known): (PermissionsBuilder, Asker, KnownTools),
    ) -> Result<Self, ConfigError> {
        in_code.config(Source::Global, config).known_tools(known.0.iter()).asker(asker).build()
    }
}

/// Returns the facts about each tool from the source with the highest precedence, in whatever spelling. Two spellings in one
/// source are left in, for the error.
fn tool_configs(configs: &[(Source, PermissionsConfig)]) -> BTreeMap<String, ToolConfig> {
    let (mut tools, mut known) = (BTreeMap::new(), BTreeSet::new());
    for (_, config) in configs {
        let is_new = |(name, _): &(&String, &ToolConfig)| !known.contains(&folded(name).remove(0));
        tools.extend(config.tools.iter().filter(is_new).map(|(name, tool)| (name.clone(), tool.clone())));
        known.extend(config.tools.keys().map(|name| folded(name).remove(0)));
    }
    tools
}

/// Returns the setting of the source with the highest precedence.
fn first<T>(configs: &[(Source, PermissionsConfig)], get: impl Fn(&PermissionsConfig) -> Option<T>) -> Option<T> {
    configs.iter().find_map(|(_, config)| get(config))
}

#[cfg(feature = "shell")]
fn judge(configs: &[(Source, PermissionsConfig)]) -> Result<crate::rules::command::Judge, ConfigError> {
    let working_directory = first(configs, |config| config.working_directory.clone());
    let home = first(configs, |config| config.home.clone());
    let shell = first(configs, |config| config.shell.clone());
    if working_directory.is_none() && home.is_none() && shell.is_none() {
        // The shipped rule set is built once.
        return Ok(crate::rules::command::Judge::default());
    }
    let mut shell = shell.unwrap_or_default();
    shell.places.working_directory = shell.places.working_directory.or(working_directory);
    shell.places.home = shell.places.home.or(home);
    crate::rules::command::Judge::new(shell).map_err(|error| ConfigError::from(error).in_key("shell"))
}

#[cfg(not(feature = "shell"))]
fn judge(configs: &[(Source, PermissionsConfig)]) -> Result<crate::rules::command::Judge, ConfigError> {
    if configs.iter().any(|(_, config)| config.shell.is_some()) {
        let message = "rules about shell commands need the feature `shell` of `exo-rails-guards`: enable it";
        return Err(ConfigError::new(message).in_key("shell"));
    }
    Ok(crate::rules::command::Judge)
}

fn places(configs: &[(Source, PermissionsConfig)]) -> Result<Places, ConfigError> {
    let absolute = |key: &str, path: Option<String>| match path {
        Some(path) if !path.starts_with('/') => {
            Err(ConfigError::new(format!("`{path}` is not an absolute path: write a path that begins with `/`"))
                .in_key(key))
        }
        Some(path) => Ok(Some(path.trim_end_matches('/').to_owned())),
        None => Ok(None),
    };
    Ok(Places {
        working_directory: absolute("working_directory", first(configs, |config| config.working_directory.clone()))?,
        home: absolute("home", first(configs, |config| config.home.clone()))?,
    })
}

fn add_rules(
    rules: &mut Vec<Rule>,
    source: Source,
    config: &PermissionsConfig,
    places: &Places,
    tools: &Tools,
    known_tools: &[String],
) -> Result<(), ConfigError> {
    let of_source = rules.iter().filter(|rule| rule.id.source == source);
    let mut names: BTreeSet<String> = of_source.map(|rule| rule.id.name.clone()).collect();
    for rule in &config.rules {
        let number = names.len() + 1;
        let name = rule.name.clone().unwrap_or_else(|| format!("rule-{number}"));
        let at_line = |mut error: ConfigError| {
            error.position = error.position.or(rule.line.map(|line| (line, 1)));
            located(error, config)
        };
        if !names.insert(name.clone()) {
            let error = ConfigError::new(format!("two rules have the name `{name}`: change one of them"));
            return Err(at_line(error.in_key(format_args!("rules.{name}.name"))));
        }
        let id = RuleId { source, name, line: rule.line, file: config.file.clone() };
        let rule = Rule::new(rule.clone(), id, places).map_err(at_line)?;
        check_tools(&rule, tools, known_tools).map_err(at_line)?;
        rules.push(rule);
    }
    Ok(())
}

fn located(error: ConfigError, config: &PermissionsConfig) -> ConfigError {
    match (&error.file, &config.file) {
        (None, Some(file)) => error.in_file(file),
        _ => error,
    }
}

fn check_tools(rule: &Rule, tools: &Tools, known_tools: &[String]) -> Result<(), ConfigError> {
    let error = |key: &str, message: String| {
        Err(ConfigError::new(message).in_key(format_args!("rules.{}.{key}", rule.id.name)))
    };
    let known: Vec<&str> = known_tools.iter().map(String::as_str).collect();
    let names = || rule.tools.iter().filter(|tool| tool.precision() == Precision::Name).map(ToolPattern::as_str);
    exo_rails_policy::check_tools(names(), &known)
        .map_err(|error| error.in_key(format_args!("rules.{}.tool", rule.id.name)))?;
    for tool in names() {
        if rule.commands.is_some() && !tools.facts(&ToolName::new(tool)).is_shell() {
            let message = format!(
                "`{tool}` does not run shell commands: remove `command`, or set `tools.{tool}.commands` to the names of its arguments that are commands"
            );
            return error("command", message);
        }
    }
    Ok(())
}
