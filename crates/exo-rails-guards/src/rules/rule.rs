//! Rules that are ready to match.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use exo_rails_policy::Precision;
use exo_rails_policy::permissions::{Permission, Source};
use exo_rails_policy::{ConfigError, Severity, ToolPattern};
use serde::{Deserialize, Serialize};

use super::call::Call;
use super::command::CommandPatterns;
use super::condition::Argument;
use crate::places::host::HostPattern;
use crate::places::path::{Match, PathPatterns, Places};
use exo_rails_policy::permissions::PermissionRule;

/// The identity of a rule: where it comes from, and its name.
///
/// ```
/// use exo_rails_guards::permissions::{PermissionRule, Permissions, Source};
/// use exo_rails::ToolCallInputs;
///
/// let rule = PermissionRule::deny("drop_table").named("no-drops");
/// let permissions = Permissions::builder().rule(Source::Project, rule).build()?;
/// let decision = permissions.judge(&ToolCallInputs::new("drop_table"));
/// assert_eq!(decision.rule.unwrap().to_string(), "`no-drops` (project)");
/// # Ok::<(), exo_rails_guards::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RuleId {
    /// The source.
    pub source: Source,
    /// The name.
    pub name: String,
    /// The line in the file, from 1, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The file, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
}

impl RuleId {
    pub(crate) fn built_in(name: impl Into<String>) -> Self {
        Self { source: Source::BuiltIn, name: name.into(), line: None, file: None }
    }
}

impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` ({}", self.name, self.source)?;
        match (&self.file, self.line) {
            (Some(file), Some(line)) => write!(f, ", {}, line {line}", file.display())?,
            (Some(file), None) => write!(f, ", {}", file.display())?,
            (None, Some(line)) => write!(f, ", line {line}")?,
            (None, None) => {}
        }
        f.write_str(")")
    }
}

/// How specific a rule is. The greatest decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank {
    pub(crate) about: About,
    pub(crate) tool: Precision,
    pub(crate) conditions: usize,
    pub(crate) fixed: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum About {
    None,
    Arguments,
    Command,
}

#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) id: Arc<RuleId>,
    pub(crate) permission: Permission,
    pub(crate) because: Option<String>,
    pub(crate) severity: Severity,
    pub(crate) expires_in_ms: Option<u64>,
    pub(crate) rank: Rank,
    pub(crate) tools: Vec<ToolPattern>,
    arguments: Vec<Argument>,
    paths: Option<PathPatterns>,
    hosts: Vec<HostPattern>,
    pub(crate) commands: Option<CommandPatterns>,
    /// The rule as it was configured.
    pub(crate) config: PermissionRule,
}

impl Rule {
    pub(crate) fn new(config: PermissionRule, id: RuleId, places: &Places) -> Result<Self, ConfigError> {
        let error =
            |key: &str, message: String| ConfigError::new(message).in_key(format_args!("rules.{}.{key}", id.name));
        if config.tool.is_empty() {
            return Err(error("tool", "the list is empty: write the name of a tool, or `*` for all tools".to_owned()));
        }
        let tools: Vec<_> = config
            .tool
            .iter()
            .map(|name| ToolPattern::new(name).map_err(|wrong| error("tool", wrong.message)))
            .collect::<Result<_, _>>()?;
        let mut arguments = Vec::new();
        for (place, condition) in &config.arguments {
            let argument = Argument::new(place, condition);
            arguments.push(argument.map_err(|message| error(&format!("arguments.{place}"), message))?);
        }
        let paths = match config.path.as_slice() {
            [] => None,
            patterns => Some(PathPatterns::new(patterns, places).map_err(|message| error("path", message))?),
        };
        let hosts: Vec<_> = config
            .host
            .iter()
            .map(|host| HostPattern::new(host).map_err(|message| error("host", message)))
            .collect::<Result<_, _>>()?;
        if cfg!(not(feature = "urls")) && !hosts.is_empty() {
            return Err(error(
                "host",
                "rules about hosts need the feature `urls` of exo-rails-guards: enable it".to_owned(),
            ));
        }
        let commands = match config.command.as_slice() {
            [] => None,
            patterns => Some(CommandPatterns::new(patterns).map_err(|message| error("command", message))?),
        };
        let severity = config.severity.unwrap_or(match config.decision {
            Permission::Allow | Permission::Notify => Severity::Info,
            Permission::Ask => Severity::Low,
            Permission::Deny => Severity::Medium,
        });
        let conditions = [paths.is_some(), !hosts.is_empty(), commands.is_some()].iter().filter(|has| **has).count()
            + arguments.len();
        let about = match (&commands, conditions) {
            (Some(_), _) => About::Command,
            (None, 0) => About::None,
            (None, _) => About::Arguments,
        };
        let fixed = tools.iter().map(ToolPattern::fixed).min().unwrap_or(0)
            + arguments.iter().map(|argument| argument.fixed).sum::<usize>()
            + paths.as_ref().map_or(0, |paths| paths.fixed)
            + hosts.iter().map(HostPattern::fixed).min().unwrap_or(0)
            + commands.as_ref().map_or(0, |commands| commands.fixed);
        let precision = tools.iter().map(ToolPattern::precision).min().unwrap_or(Precision::Any);
        Ok(Self {
            permission: config.decision,
            because: config.because.clone(),
            severity,
            expires_in_ms: config.expires_in_ms,
            rank: Rank { about, tool: precision, conditions, fixed },
            tools,
            arguments,
            paths,
            hosts,
            commands,
            config,
            id: Arc::new(id),
        })
    }

    /// Returns whether the rule matches the call, apart from its patterns of commands.
    pub(crate) fn matches(&self, call: &Call<'_>) -> Match {
        if self.permission.passes() {
            return self.allows(call).into();
        }
        if !self.tools.iter().any(|tool| tool.catches(&call.tool)) {
            return Match::No;
        }
        let arguments = &call.inputs.arguments;
        let mut found = Match::Yes;
        for argument in &self.arguments {
            found = found.min(argument.catches(arguments));
        }
        if let Some(paths) = self.paths.as_ref().filter(|_| found > Match::No) {
            let caught = call.possible_paths().iter().map(|path| paths.catches(path)).max();
            found = found.min(caught.unwrap_or(Match::No));
        }
        if !self.hosts.is_empty() && found > Match::No {
            let is_caught = call
                .possible_hosts()
                .iter()
                .any(|host| self.hosts.iter().any(|pattern| pattern.matches_canonical(host)));
            found = found.min(is_caught.into());
        }
        found
    }

    fn allows(&self, call: &Call<'_>) -> bool {
        self.tools.iter().any(|tool| tool.allows(&call.tool))
            && self.arguments.iter().all(|argument| argument.allows(&call.inputs.arguments))
            && self.paths.as_ref().is_none_or(|paths| {
                call.certain_paths().is_some_and(|found| found.iter().all(|path| paths.allows(path, call.places)))
            })
            && (self.hosts.is_empty()
                || call.certain_hosts().is_some_and(|found| {
                    found.iter().all(|host| self.hosts.iter().any(|pattern| pattern.matches_canonical(host)))
                }))
    }

    /// Returns the reason of a decision of the rule.
    pub(crate) fn reason(&self) -> String {
        self.because.clone().unwrap_or_else(|| {
            match self.permission {
                Permission::Allow => "a rule allows this call",
                Permission::Notify => "a rule reports this call",
                Permission::Ask => "a rule requires that a person agrees to this call",
                Permission::Deny => "a rule denies this call",
            }
            .to_owned()
        })
    }
}
