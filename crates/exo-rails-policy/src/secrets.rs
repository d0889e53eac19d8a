//! The table `secrets`.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::builder::setters;
use crate::table::Table;
use crate::{Actions, Override};

/// A rule that finds secrets, in the form of [gitleaks].
///
/// | key | what it does |
/// |---|---|
/// | `id` | the name of the rule. The mark of a secret is the name in capitals: `[AWS_ACCESS_KEY]` |
/// | `description` | what the rule finds, for people and for the model |
/// | `regex` | what a match looks like, in the syntax of RE2 |
/// | `secretGroup` | the group of the regex that is the secret. Default: the first group that is not empty, or the whole match |
/// | `entropy` | the least entropy of the secret, in bits per byte |
/// | `keywords` | the match must contain one of these words, in any case |
/// | `allowlists`, `allowlist` | secrets that are none: see [`AllowlistConfig`] |
/// | `skipReport` | `true`: the rule is only a part of another one in gitleaks, and does not run here |
/// | `path`, `tags`, `required` | accepted without effect |
///
/// # Differences from gitleaks
///
/// - A rule searches in texts, not in files. So `path` has no effect, and a rule without a regex does not run.
/// - A keyword must be inside of the match. In gitleaks, it may be anywhere in the file.
/// - A repetition at the beginning of the regex that may be empty, such as `[\w.-]{0,50}?`, is left out. The secret is the same.
/// - Without `(?i)`, letters must match exactly. With `(?i)`, letters that are not ASCII do not begin a match.
/// - The look `\B` is left out, so a rule with it finds more.
/// - A secret that overlaps the secret of another rule is hidden together with it.
///
/// ```
/// use exo_rails_policy::secrets::RuleConfig;
///
/// let rule: RuleConfig = exo_rails_policy::from_toml(r"
///     id = 'desk-token'
///     description = 'a token of the order desk'
///     regex = '\bdesk_[a-z0-9]{12}\b'
///     keywords = ['desk_']
/// ")?;
/// assert_eq!(rule.keywords, ["desk_"]);
/// # Ok::<(), exo_rails_policy::ConfigError>(())
/// ```
///
/// [gitleaks]: https://github.com/gitleaks/gitleaks#configuration
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "camelCase")]
pub struct RuleConfig {
    /// The name of the rule.
    pub id: String,
    /// What the rule finds.
    pub description: String,
    /// What a match looks like.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regex: Option<String>,
    /// The group of the regex that is the secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret_group: Option<usize>,
    /// The least entropy of the secret, in bits per byte.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entropy: Option<f64>,
    /// Words of which the match must contain one.
    pub keywords: Vec<String>,
    /// Secrets that are none.
    pub allowlists: Vec<AllowlistConfig>,
    /// The older form of `allowlists`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowlist: Option<AllowlistConfig>,
    /// Whether the rule is only a part of another one.
    pub skip_report: bool,
    /// Without effect.
    #[serde(skip_serializing)]
    pub path: serde::de::IgnoredAny,
    /// Without effect.
    #[serde(skip_serializing)]
    pub tags: serde::de::IgnoredAny,
    /// Without effect.
    #[serde(skip_serializing)]
    pub required: serde::de::IgnoredAny,
}

/// Secrets that a rule finds by mistake.
///
/// With the `condition` `OR`, which is the default, one reason is enough. With `AND`, all reasons must be there. The reasons
/// are `regexes` and `stopwords`. `commits` and `paths` are accepted and are never a reason, because a text has none. So a
/// list with the condition `AND` and with commits or paths has no effect.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "camelCase")]
pub struct AllowlistConfig {
    /// What the list is for.
    pub description: String,
    /// `OR` or `AND`, or `||` or `&&`.
    pub condition: String,
    /// What the regexes search in: `secret`, which is the default, or `match`. `line` is the same as `match`, because the rest of
    /// the line of a streamed answer may not have arrived.
    pub regex_target: String,
    /// The secret or the match has a match of one of these regexes.
    pub regexes: Vec<String>,
    /// The secret contains one of these words, in any case.
    pub stopwords: Vec<String>,
    /// Paths of files. Without effect.
    pub paths: Vec<String>,
    /// Commits. Without effect.
    pub commits: Vec<String>,
    /// The rules that a list at the top of a file is for. Default: all rules.
    pub target_rules: Vec<String>,
}

/// The configuration of `Secrets`.
///
/// ```
/// use exo_rails_policy::Action;
/// use exo_rails_policy::secrets::SecretsConfig;
///
/// let config: SecretsConfig = exo_rails_policy::from_toml(r#"
///     except = ["generic-secret"]
///     actions = { arguments = "refuse", answer = "report" }
///     overrides = [{ rule = "jwt", at = "input", action = "off" }]
/// "#)?;
/// assert_eq!(config.actions.arguments, Action::Refuse);
/// # Ok::<(), exo_rails_policy::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SecretsConfig {
    /// Whether the rules of this crate run. Default: `true`.
    pub default_rules: bool,
    /// Files with more rules, in the form of gitleaks: see [`RuleConfig`].
    pub files: Vec<PathBuf>,
    /// More rules. A rule with the name of an earlier rule replaces it.
    pub rules: Vec<RuleConfig>,
    /// Rules that do not run: names, or globs such as `generic-*`.
    pub except: Vec<String>,
    /// What happens to a secret in each place. Default: a redaction.
    pub actions: Actions,
    /// Other actions for some rules. A later one has precedence.
    pub overrides: Vec<Override>,
    /// The bytes of a text that the guard searches at most. A longer text is hidden as a whole. The default is 16 MiB.
    pub max_text_bytes: usize,
}

impl Default for SecretsConfig {
    fn default() -> Self {
        Self {
            default_rules: true,
            files: Vec::new(),
            rules: Vec::new(),
            except: Vec::new(),
            actions: Actions::default(),
            overrides: Vec::new(),
            max_text_bytes: 16 << 20,
        }
    }
}

setters!(SecretsConfig {
    default_rules: bool,
    files: [PathBuf],
    rules: [RuleConfig],
    except: [String],
    actions: Actions,
    overrides: [Override],
    max_text_bytes: usize,
});

impl Table for SecretsConfig {
    const KEY: &'static str = "secrets";
}
