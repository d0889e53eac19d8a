//! The table `paths`.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::list::one_or_many;
pub use crate::rights::Rights;
use crate::table::{Table, named};
use crate::{OnRefusal, PointerPattern, Severity, ToolPattern};

/// The configuration of a `PathSandbox`.
///
/// ```
/// use exo_rails_policy::from_toml;
/// use exo_rails_policy::paths::{PathSandboxConfig, Rights};
///
/// let config: PathSandboxConfig = from_toml(r#"
///     denied = [".git/config", ".env", "*.pem", "/secrets"]
///
///     [[roots]]
///     name = "project"
///     path = "/projects/project"
///
///     [[roots]]
///     name = "manuals"
///     path = "/usr/share/doc"
///     rights = ["read"]
///
///     [[tools]]
///     tool = "read_*"
///     paths = ["/path", "/files/*/path"]
///     needs = ["read"]
/// "#)?;
/// assert_eq!(config.roots[1].rights, Rights::READ);
/// # Ok::<(), exo_rails_policy::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PathSandboxConfig {
    /// The directories that tools may use. At least one.
    pub roots: Vec<RootConfig>,
    /// The directory to which relative paths are relative. It must be in a root, and it must be the working directory of the
    /// tools. Default: the first root.
    pub base: Option<PathBuf>,
    /// The tools whose arguments are paths. The first rule that matches exactly the name of a tool counts. Other tools are
    /// checked by the names of their arguments, if [`detect`](Self::detect) is `true`, and by all rules that match another
    /// spelling of their name.
    pub tools: Vec<ToolPaths>,
    /// Whether the guard finds the paths of tools without a rule by the names of the arguments, such as `path`, `file_path`,
    /// `outputDir` or `cwd`. For tools whose names say that they work with files, such as `copy_file`, names such as `from`,
    /// `to` and `name` count too. Default: `true`.
    pub detect: bool,
    /// The rights that tools without a rule need. Default: read, write and create.
    pub detected_needs: Rights,
    /// Names that no tool may use inside a root, as globs: see [`DEFAULT_DENIED`], which is the
    /// default. A glob without `/` is the name of a file or a directory at any depth. One that begins with `/` begins at the
    /// root. A denied directory includes everything in it.
    pub denied: Vec<String>,
    /// Whether the case of letters matters in denied names. Default: `false`, because the file systems of macOS and Windows
    /// ignore the case.
    pub case_sensitive: bool,
    /// How careful the guard is with names that have a meaning on other systems, or for tools that decode paths. Default:
    /// `portable`, and on Windows `windows`.
    pub names: Names,
    /// Whether files with several names (hard links) are refused. Another name of such a file may be outside of the root.
    /// Default: `false`, because build tools and package managers use hard links.
    pub refuse_hard_links: bool,
    /// The severity from which on a broken rule refuses the call: see `PathRule::severity`. A broken
    /// rule below it is only reported. Default: `info`, so that every broken rule refuses the call.
    pub enforce_from: Severity,
    /// What happens to a refused call. Default: `skip`.
    pub on_refusal: OnRefusal,
}

impl Default for PathSandboxConfig {
    fn default() -> Self {
        Self {
            roots: Vec::new(),
            base: None,
            tools: Vec::new(),
            detect: true,
            detected_needs: default_rights(),
            denied: DEFAULT_DENIED.iter().map(|&name| name.to_owned()).collect(),
            case_sensitive: false,
            names: Names::default(),
            refuse_hard_links: false,
            enforce_from: Severity::default(),
            on_refusal: OnRefusal::default(),
        }
    }
}

fn default_rights() -> Rights {
    Rights::READ | Rights::WRITE | Rights::CREATE
}

/// A directory that tools may use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RootConfig {
    /// The name in messages and findings.
    pub name: String,
    /// The directory. It must exist.
    pub path: PathBuf,
    /// What tools may do there. Default: read, write and create.
    #[serde(default = "default_rights")]
    pub rights: Rights,
}

/// The arguments of a tool that are paths.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolPaths {
    /// The tools: names or globs. In a configuration, one text or a list.
    #[serde(deserialize_with = "one_or_many")]
    pub tool: Vec<ToolPattern>,
    /// Where the paths are: texts, or lists of texts. An empty list means that the tool has no paths. Other spellings of the
    /// place count too.
    pub paths: Vec<PointerPattern>,
    /// What the tool does with the paths.
    pub needs: Rights,
}

/// How careful the guard is with names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Names {
    /// A path means what it means for the system, and nothing else. Use it only if every tool opens its paths through the
    /// handle `SandboxRoots`.
    Unix,
    /// A path must also be safe for tools that decode percent-encodings, replace look-alikes, or read a backslash as a
    /// separator.
    Portable,
    /// As `Portable`, and names with a special meaning on Windows are refused: `nul`, `a:b`, `PROGRA~1`, `name.`.
    Windows,
}

impl Default for Names {
    fn default() -> Self {
        if cfg!(windows) { Self::Windows } else { Self::Portable }
    }
}

/// The denied names if the configuration has none: files that contain secrets, or that programs run by themselves.
pub const DEFAULT_DENIED: [&str; 22] = [
    ".aws/credentials",
    ".docker/config.json",
    ".env",
    ".env.local",
    ".env.production",
    ".env.*.local",
    ".git-credentials",
    ".git/config",
    ".git/hooks",
    ".gnupg",
    ".kube/config",
    ".netrc",
    ".pgpass",
    ".ssh",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "id_rsa",
    "*.key",
    "*.p12",
    "*.pem",
    "*.pfx",
];

impl Table for PathSandboxConfig {
    const KEY: &'static str = "paths";

    fn tools(&self) -> Vec<(String, &str)> {
        named("tools", self.tools.iter().flat_map(|tools| &tools.tool))
    }
}
