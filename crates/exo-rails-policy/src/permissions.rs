//! The table `permissions`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::list::one_or_many;
use crate::table::Table;
use crate::{ConfigError, PointerPattern, Sections, Severity};

pub use crate::condition::{ArgumentCondition, IfMissing};
pub use crate::grant::{GrantConfig, Rights, Root};
pub use crate::permission::{Caution, Effect, Permission, PermissionMode, Source};

/// The configuration of the guard `Permissions`.
///
/// ```
/// use exo_rails_policy::permissions::PermissionsConfig;
///
/// let config = PermissionsConfig::from_toml(r#"
///     default = "ask"
///     working_directory = "/projects/app"
///
///     [[rules]]
///     tool = ["read_file", "list_files"]
///     path = "/projects/app/**"
///     decision = "allow"
///
///     [[rules]]
///     name = "large-refunds"
///     tool = "refund"
///     arguments = { amount = { min = 100 } }
///     decision = "ask"
///     because = "a person approves refunds from 100 euros"
///
///     [[rules]]
///     name = "secrets"
///     tool = "*"
///     path = ["**/.env", "~/.ssh/**"]
///     decision = "deny"
///     because = "files with secrets are off limits"
/// "#)?;
/// assert_eq!(config.rules.len(), 3);
///
/// let error = PermissionsConfig::from_toml("[[rules]]\ntool = \"x\"\ndecision = \"alow\"").unwrap_err();
/// assert_eq!(error.to_string(), "line 3, column 12: unknown value `alow`: did you mean `allow`?");
/// # Ok::<(), exo_rails_policy::ConfigError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PermissionsConfig {
    /// The mode of permissions. Default: [`PermissionMode::Default`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permission_mode: Option<PermissionMode>,
    /// The permission of a call that no rule matches. Default: [`Permission::Ask`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Permission>,
    /// What happens if a rule that denies may match, but that cannot be known before the call runs. Default:
    /// [`Caution::Ask`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown: Option<Caution>,
    /// What happens in plan mode with calls of tools that do more than read. Default: [`Caution::Deny`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<Caution>,
    /// What happens with a denied call. Default: [`OnDeny::Skip`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_deny: Option<OnDeny>,
    /// The absolute path of the directory in which tools work. Patterns of paths match a path in its absolute and in its
    /// relative form. Without it, relative paths match relative patterns only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub working_directory: Option<String>,
    /// The home directory, for `~` in patterns and paths.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub home: Option<String>,
    /// What tools do, and which of their arguments are commands, paths and hosts. A key is the name of a tool, or a glob.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tools: BTreeMap<String, ToolConfig>,
    /// The limits of every call: see [`GrantConfig`].
    pub grant: GrantConfig,
    /// The rules about shell commands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shell: Option<exo_rails_shell::ShellConfig>,
    /// The rules. Their order does not matter.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<PermissionRule>,
    /// The file, for explanations.
    #[serde(skip)]
    pub file: Option<PathBuf>,
}

/// What the guard does with a denied call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnDeny {
    /// It skips the call. The model reads why, and goes on.
    #[default]
    Skip,
    /// It ends the run.
    Abort,
}

impl PermissionsConfig {
    /// Reads a configuration from TOML. Explanations then name the lines of its rules.
    ///
    /// # Errors
    /// Returns the errors of [`from_toml`](crate::from_toml).
    pub fn from_toml(text: &str) -> Result<Self, ConfigError> {
        let sections = Sections::parse(text)?;
        Ok(sections.read::<Self>()?.with_places(&sections, None))
    }

    /// Adds the places of the rules, for explanations. `sections` has the text from which the configuration was read. The rules
    /// are in the list `rules`, or in the list `permissions.rules`.
    #[must_use]
    pub fn with_places(mut self, sections: &Sections<'_>, file: Option<&Path>) -> Self {
        self.file = file.map(Path::to_owned);
        let lines = sections.lines_of(&["rules"]).or_else(|| sections.lines_of(&["permissions", "rules"]));
        for (rule, line) in self.rules.iter_mut().zip(lines.unwrap_or_default()) {
            rule.line = Some(line);
        }
        self
    }
}

/// A rule about tool calls. A rule matches a call if the tool and all conditions match.
///
/// In code, make it with [`allow`](Self::allow), [`notify`](Self::notify), [`ask`](Self::ask) or [`deny`](Self::deny):
///
/// ```
/// use exo_rails_policy::permissions::{ArgumentCondition, Permission, PermissionRule};
///
/// let read = PermissionRule::allow("read_*").path("/projects/app/**");
/// let refund = PermissionRule::ask("refund").argument("amount", ArgumentCondition::min(100.0));
/// let drop = PermissionRule::deny("drop_table").named("no-drops").because("tables stay");
/// assert_eq!([read.decision, refund.decision, drop.decision], [Permission::Allow, Permission::Ask, Permission::Deny]);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PermissionRule {
    /// The name, for findings and explanations. Default: `rule-1` and so on, by its place in the list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The tools: names, or globs such as `mcp__github__*`, as [`ToolPattern`](crate::ToolPattern) reads them. In a
    /// configuration, one text or a list.
    ///
    /// A rule that lets calls run matches exactly these names. A rule that stops calls also matches other spellings.
    #[serde(deserialize_with = "one_or_many")]
    pub tool: Vec<String>,
    /// Conditions about arguments. A key is the name of an argument, or a JSON pointer such as `/customer/id` or
    /// `/items/*/price`, as [`PointerPattern`] reads it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub arguments: BTreeMap<String, ArgumentCondition>,
    /// Patterns of paths. In a rule that lets calls run, every path of the call must match one of them. In a rule that stops
    /// calls, one path is enough.
    ///
    /// `*` matches within a name, and `**` matches any number of directories. `dir/**` also matches `dir`. In rules that stop
    /// calls, a pattern without `/` matches in every directory.
    #[serde(default, deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<String>,
    /// Hosts: `example.com`, all hosts below a domain (`*.example.com`), or `*`. In a rule that lets calls run, every host of
    /// the call must match one of them. In a rule that stops calls, one host is enough. Needs the feature `urls`.
    #[serde(default, deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub host: Vec<String>,
    /// Shell commands by their first words, such as `git push` or `tar -xzf *`. The rule is about each command with these words, and not
    /// about the others in the same text. An option stands for all of its spellings, `*` in a word is any characters, and `-*` is all
    /// options. Needs the feature `shell`.
    ///
    /// A rule that lets calls run lifts questions and denials of the shipped policy about the words that it names: the command, the options
    /// in the pattern, and all operands. `git push` does not name `--force`. A pattern that is only a program names all of its words.
    #[serde(default, deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// What happens with calls that match.
    pub decision: Permission,
    /// Why, for people and for the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// How serious a match is. Default: info for `notify`, low for `ask`, medium for `deny`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    /// The time for the reply to a question, in milliseconds. Default: what the type that asks sets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_in_ms: Option<u64>,
    /// The limits of calls that this rule lets run: see [`GrantConfig`].
    #[serde(default)]
    pub grant: GrantConfig,
    /// The line in the file, from 1.
    #[serde(skip)]
    pub line: Option<usize>,
}

impl PermissionRule {
    fn new(decision: Permission, tool: impl Into<String>) -> Self {
        Self {
            name: None,
            tool: vec![tool.into()],
            arguments: BTreeMap::new(),
            path: Vec::new(),
            host: Vec::new(),
            command: Vec::new(),
            decision,
            because: None,
            severity: None,
            expires_in_ms: None,
            grant: GrantConfig::default(),
            line: None,
        }
    }

    /// Lets calls of the tool run.
    #[must_use]
    pub fn allow(tool: impl Into<String>) -> Self {
        Self::new(Permission::Allow, tool)
    }

    /// Lets calls of the tool run, and reports them.
    #[must_use]
    pub fn notify(tool: impl Into<String>) -> Self {
        Self::new(Permission::Notify, tool)
    }

    /// Asks a person before calls of the tool.
    #[must_use]
    pub fn ask(tool: impl Into<String>) -> Self {
        Self::new(Permission::Ask, tool)
    }

    /// Denies calls of the tool.
    #[must_use]
    pub fn deny(tool: impl Into<String>) -> Self {
        Self::new(Permission::Deny, tool)
    }

    /// Sets the name.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets the reason, for people and for the model.
    #[must_use]
    pub fn because(mut self, reason: impl Into<String>) -> Self {
        self.because = Some(reason.into());
        self
    }

    /// Adds a condition about an argument: its name, or a JSON pointer.
    #[must_use]
    pub fn argument(mut self, place: impl Into<String>, condition: ArgumentCondition) -> Self {
        self.arguments.insert(place.into(), condition);
        self
    }

    /// Adds a [pattern of paths](Self::path).
    #[must_use]
    pub fn path(mut self, pattern: impl Into<String>) -> Self {
        self.path.push(pattern.into());
        self
    }

    /// Adds a [host](Self::host).
    #[must_use]
    pub fn host(mut self, host: impl Into<String>) -> Self {
        self.host.push(host.into());
        self
    }

    /// Adds a [command](Self::command).
    #[must_use]
    pub fn command(mut self, words: impl Into<String>) -> Self {
        self.command.push(words.into());
        self
    }

    /// Sets how serious a match is.
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = Some(severity);
        self
    }

    /// Sets the limits of calls that this rule lets run.
    #[must_use]
    pub fn grant(mut self, grant: impl Into<GrantConfig>) -> Self {
        self.grant = grant.into();
        self
    }
}

/// What a tool does, and which of its arguments mean something to rules.
///
/// An argument is a name, or a JSON pointer such as `/request/url` or `/files/*/path`: see [`PointerPattern`]. What is not set has a
/// default that fits the usual tools of agents.
///
/// ```
/// use exo_rails_policy::permissions::{Effect, PermissionsConfig};
///
/// let config = PermissionsConfig::from_toml(r#"
///     [tools.upload]
///     effect = "network"
///     paths = ["what"]
///
///     [[rules]]
///     tool = "upload"
///     path = "/srv/public/**"
///     decision = "allow"
/// "#)?;
/// assert_eq!(config.tools["upload"].effect, Some(Effect::Network));
/// # Ok::<(), exo_rails_policy::ConfigError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ToolConfig {
    /// What the tool does. Default: by its name, otherwise [`Effect::Other`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<Effect>,
    /// The arguments that are shell commands. A list of texts in such an argument is read as a program with its arguments,
    /// and also as one command. Default for tools that execute: `command`, `cmd`, `script`, `commands`, `shell_command`,
    /// `bash`, `argv`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commands: Option<Vec<PointerPattern>>,
    /// The arguments that are a list of a program and its arguments, which run without a shell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argv: Option<Vec<PointerPattern>>,
    /// The arguments that are paths. Default: the usual names, such as `path` and `file_path`. Without this setting, rules
    /// that stop calls look for paths in all arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paths: Option<Vec<PointerPattern>>,
    /// The arguments that are hosts or URLs. Default: the usual names, such as `url` and `host`. Without this setting, rules
    /// that stop calls look for hosts in all arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hosts: Option<Vec<PointerPattern>>,
}

impl Table for PermissionsConfig {
    const KEY: &'static str = "permissions";
}
