//! The words of a decision: permissions, modes, sources.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! names {
    ($type:ident: $($variant:ident => $name:literal),* $(,)?) => {
        impl $type {
            /// Returns the name in configuration files and messages.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

/// What may happen with a tool call. The order is from the mildest permission to the strictest.
///
/// ```
/// use exo_rails_policy::permissions::Permission;
///
/// assert!(Permission::Deny > Permission::Ask);
/// assert!(Permission::Notify.passes() && !Permission::Ask.passes());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Permission {
    /// The call runs.
    Allow,
    /// The call runs, and a finding with [`Severity::Info`](crate::Severity::Info) reports it.
    Notify,
    /// A person must agree first.
    Ask,
    /// The call does not run.
    Deny,
}

names!(Permission: Allow => "allow", Notify => "notify", Ask => "ask", Deny => "deny");

impl Permission {
    /// Returns whether the call runs without a question.
    #[must_use]
    pub const fn passes(self) -> bool {
        matches!(self, Self::Allow | Self::Notify)
    }
}

/// A permission that lets no call run without a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Caution {
    /// A person must agree first.
    #[default]
    Ask,
    /// The call does not run.
    Deny,
}

impl From<Caution> for Permission {
    fn from(caution: Caution) -> Self {
        match caution {
            Caution::Ask => Self::Ask,
            Caution::Deny => Self::Deny,
        }
    }
}

/// What the guard does with calls beyond the rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PermissionMode {
    /// The rules decide.
    #[default]
    Default,
    /// The agent may read, and change nothing.
    Plan,
    /// The agent may edit files without a question where no rule says otherwise.
    AcceptEdits,
    /// The agent may do everything that no rule denies.
    Bypass,
    /// Nobody can be asked: what needs a question is denied.
    DontAsk,
}

names!(PermissionMode:
    Default => "default", Plan => "plan", AcceptEdits => "accept-edits", Bypass => "bypass", DontAsk => "dont-ask");

/// Where a rule comes from. The order is from the lowest precedence to the highest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// The guard itself, such as its rules about shell commands.
    BuiltIn,
    /// The configuration of the user or of the deployment.
    Global,
    /// The configuration of the project in which the agent works.
    Project,
    /// The command line.
    Cli,
    /// The session, such as rules that the user adds in a conversation.
    Session,
}

names!(Source:
    BuiltIn => "built-in", Global => "global", Project => "project", Cli => "cli", Session => "session");

/// What a tool does. Modes distinguish tools by it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// It reads, and changes nothing.
    Read,
    /// It edits files.
    Edit,
    /// It runs shell commands.
    Execute,
    /// It sends requests.
    Network,
    /// Anything else, or not known.
    #[default]
    Other,
}

names!(Effect: Read => "read", Edit => "edit", Execute => "execute", Network => "network", Other => "other");

impl From<exo_rails_shell::ShellDecision> for Permission {
    fn from(decision: exo_rails_shell::ShellDecision) -> Self {
        use exo_rails_shell::ShellDecision;
        match decision {
            ShellDecision::Allow => Self::Allow,
            ShellDecision::Notify => Self::Notify,
            ShellDecision::Ask => Self::Ask,
            ShellDecision::Deny => Self::Deny,
        }
    }
}
