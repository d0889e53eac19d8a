//! What commands do.

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

/// One thing that a command does, or may do.
///
/// ```
/// use exo_rails_shell::{EffectKind, EffectPlace, ShellRules};
///
/// let command = "cp a.txt ~/b.txt";
/// let effects = ShellRules::default().judge(command).effects;
/// let write = effects.iter().find(|effect| effect.kind == EffectKind::Writes).unwrap();
/// assert_eq!((write.object.as_str(), write.place), ("~/b.txt", Some(EffectPlace::InHome)));
/// assert_eq!(&command[write.span.clone()], "~/b.txt");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Effect {
    /// What is done.
    pub kind: EffectKind,
    /// To what: a path, a host, a program, a text. It is empty for effects without an object.
    ///
    /// `~` is the home directory, `$TMPDIR` the directory of temporary files, and `…` what is not known before the command runs.
    pub object: String,
    /// Where the object is, if it is a path.
    pub place: Option<EffectPlace>,
    /// Whether it is done to a directory with all that is in it.
    pub is_recursive: bool,
    /// Whether a command that this crate does not know may do it. Otherwise, the text says that it happens.
    pub is_possible: bool,
    /// The bytes of the words that cause the effect.
    pub span: Range<usize>,
    /// The number of the command that has the effect. `None` for what the shell itself does, such as a redirection.
    pub command: Option<usize>,
}

/// What an effect does to its object.
///
/// ```
/// use exo_rails_shell::EffectKind;
///
/// assert_eq!(EffectKind::SendsCredentials.name(), "sends credentials to");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum EffectKind {
    /// Reads a file or a directory.
    Reads,
    /// Takes a file away from its place.
    Moves,
    /// Creates or changes a file.
    Writes,
    /// Deletes a file, or a directory with what is in it.
    Deletes,
    /// Changes the rights or the owner of a file.
    ChangesRights,
    /// Runs code that is not in the text: the object says where it comes from.
    RunsCode,
    /// Runs code of the project, such as its build and its tests.
    RunsProject,
    /// Runs code that was downloaded just now.
    RunsDownload,
    /// Runs a package that it fetches from a registry.
    RunsPackage,
    /// Receives something from a host.
    Receives,
    /// Sends data to a host.
    Sends,
    /// Sends credentials to a host.
    SendsCredentials,
    /// Reads, prints or changes credentials.
    UsesCredentials,
    /// Runs something with more rights.
    GainsPrivilege,
    /// Installs packages into the project.
    Installs,
    /// Changes local history so that the old state can be found again.
    Rewrites,
    /// Loses local work, history or data for ever.
    Loses,
    /// Writes a comment or a review on a server.
    Comments,
    /// Changes something on a server so that it can be undone.
    ChangesRemote,
    /// Makes something public.
    Publishes,
    /// Changes or deletes something on a server so that it cannot be undone.
    Destroys,
    /// Changes the settings or the state of the machine.
    ChangesSystem,
    /// Changes what starts later.
    ChangesStartup,
    /// Destroys or stops the machine.
    StopsMachine,
    /// Ends processes.
    Kills,
    /// Opens a port for others.
    Listens,
    /// Does something that is not known: the object is the program, or what is not known about it.
    Unknown,
}

impl EffectKind {
    /// All kinds.
    pub const ALL: [Self; 27] = [
        Self::Reads,
        Self::Moves,
        Self::Writes,
        Self::Deletes,
        Self::ChangesRights,
        Self::RunsCode,
        Self::RunsProject,
        Self::RunsDownload,
        Self::RunsPackage,
        Self::Receives,
        Self::Sends,
        Self::SendsCredentials,
        Self::UsesCredentials,
        Self::GainsPrivilege,
        Self::Installs,
        Self::Rewrites,
        Self::Loses,
        Self::Comments,
        Self::ChangesRemote,
        Self::Publishes,
        Self::Destroys,
        Self::ChangesSystem,
        Self::ChangesStartup,
        Self::StopsMachine,
        Self::Kills,
        Self::Listens,
        Self::Unknown,
    ];

    /// Returns the verb of the effect, as explanations and examples write it: `reads`, `deletes`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reads => "reads",
            Self::Moves => "moves",
            Self::Writes => "writes",
            Self::Deletes => "deletes",
            Self::ChangesRights => "changes rights of",
            Self::RunsCode => "runs code from",
            Self::RunsProject => "runs the project",
            Self::RunsDownload => "runs a download",
            Self::RunsPackage => "runs a package",
            Self::Receives => "receives from",
            Self::Sends => "sends to",
            Self::SendsCredentials => "sends credentials to",
            Self::UsesCredentials => "uses credentials",
            Self::GainsPrivilege => "gains privilege",
            Self::Installs => "installs",
            Self::Rewrites => "rewrites history",
            Self::Loses => "loses",
            Self::Comments => "comments",
            Self::ChangesRemote => "changes remote",
            Self::Publishes => "publishes",
            Self::Destroys => "destroys",
            Self::ChangesSystem => "changes the system",
            Self::ChangesStartup => "changes startup",
            Self::StopsMachine => "stops the machine",
            Self::Kills => "kills",
            Self::Listens => "listens",
            Self::Unknown => "unknown",
        }
    }
}

/// Where the path of an effect is.
///
/// ```
/// use exo_rails_shell::{EffectPlace, ShellRules};
///
/// let rules = ShellRules::builder().working_directory("/home/dev/app").build()?;
/// let place = |path: &str| rules.judge(&format!("cat {path}")).effects[0].place.unwrap();
/// assert_eq!(place("src/main.rs"), EffectPlace::Project);
/// assert_eq!(place("/home/dev/app/.git/config"), EffectPlace::History);
/// assert_eq!(place("~/.ssh/id_ed25519"), EffectPlace::Credentials);
/// assert_eq!(place("/etc/hosts"), EffectPlace::System);
/// # Ok::<(), exo_rails_shell::ShellConfigError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum EffectPlace {
    /// In the project.
    Project,
    /// The project itself, or all of it.
    WholeProject,
    /// In the history of the project: `.git`.
    History,
    /// Build outputs of the project.
    Build,
    /// In a directory of temporary files.
    Temporary,
    /// A device that keeps nothing, such as `/dev/null`.
    Null,
    /// A file that holds credentials.
    Credentials,
    /// A file whose content runs when something starts.
    Startup,
    /// The home directory of a user, or all of it.
    Home,
    /// A file in the home directory of a user.
    InHome,
    /// The root of the file system, or a directory in it.
    Root,
    /// In a directory of the system.
    System,
    /// A device of the machine.
    Device,
    /// Another absolute path, or a path that leaves the project.
    Elsewhere,
    /// It depends on a variable that the text does not set.
    Variable,
    /// It depends on something else that is not known.
    Unknown,
}

impl Effect {
    /// An effect for tests of rules.
    #[cfg(test)]
    pub(crate) const fn at(kind: EffectKind, place: Option<EffectPlace>) -> Self {
        Self { kind, object: String::new(), place, is_recursive: false, is_possible: false, span: 0..0, command: None }
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_possible {
            f.write_str("perhaps ")?;
        }
        f.write_str(self.kind.name())?;
        if !self.object.is_empty() {
            write!(f, " {}", self.object)?;
        }
        Ok(())
    }
}
