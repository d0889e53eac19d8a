//! The table `urls`.

use ipnet::IpNet;
use serde::{Deserialize, Serialize};

use crate::list::one_or_many;
use crate::table::{Table, named};
use crate::{OnRefusal, PointerPattern, Severity, ToolPattern};

/// The configuration of a `UrlGuard`.
///
/// The default allows `http` and `https` URLs of every public host.
///
/// ```
/// use exo_rails_policy::from_toml;
/// use exo_rails_policy::urls::UrlGuardConfig;
///
/// let config: UrlGuardConfig = from_toml(r#"
///     schemes = ["https"]
///     allowed_hosts = ["docs.rs", "*.example.com"]
///     ports = [443]
///
///     [[tools]]
///     tool = "fetch_*"
///     urls = ["/url", "/requests/*/url"]
/// "#)?;
/// assert_eq!(config.resolve_timeout_ms, 5000);
/// # Ok::<(), exo_rails_policy::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct UrlGuardConfig {
    /// The allowed schemes. Default: `https` and `http`.
    pub schemes: Vec<String>,
    /// The allowed hosts. Empty, the default, means every public host. `example.com` is one host, and `*.example.com` is every
    /// host below it. The address of an allowed host must still be public: see [`allowed_networks`](Self::allowed_networks).
    pub allowed_hosts: Vec<String>,
    /// The denied hosts, in the same form. They count before the allowed hosts.
    pub denied_hosts: Vec<String>,
    /// The allowed ports. Empty, the default, means every port.
    pub ports: Vec<u16>,
    /// Networks that are allowed although they are not public, such as `10.1.0.0/16` or `127.0.0.1/32`.
    ///
    /// Every name in the DNS can have these addresses, so set [`allowed_hosts`](Self::allowed_hosts) too.
    pub allowed_networks: Vec<IpNet>,
    /// Networks that are denied although they are public. They count before the allowed networks.
    pub denied_networks: Vec<IpNet>,
    /// Whether a URL may have a user name and a password. Default: `false`.
    pub allow_credentials: bool,
    /// The tools whose arguments are URLs. The first rule that matches exactly the name of a tool counts. Other tools are
    /// checked as [`detect`](Self::detect) says, and by all rules that match another spelling of their name.
    pub tools: Vec<ToolUrls>,
    /// How the guard finds the URLs of tools without a rule. Default: `urls`.
    pub detect: Detect,
    /// The longest URL in bytes. Default: 8192.
    pub max_length: usize,
    /// The largest number of URLs in one call. Default: 64.
    pub max_urls: usize,
    /// The time in milliseconds for resolving all hosts of a call. Default: 5000.
    pub resolve_timeout_ms: u64,
    /// The severity from which on a broken rule refuses the call: see `UrlRule::severity`. A broken
    /// rule below it is only reported. Default: `info`, so that every broken rule refuses the call.
    pub enforce_from: Severity,
    /// What happens to a refused call. Default: `skip`.
    pub on_refusal: OnRefusal,
}

impl Default for UrlGuardConfig {
    fn default() -> Self {
        Self {
            schemes: vec!["https".into(), "http".into()],
            allowed_hosts: Vec::new(),
            denied_hosts: Vec::new(),
            ports: Vec::new(),
            allowed_networks: Vec::new(),
            denied_networks: Vec::new(),
            allow_credentials: false,
            tools: Vec::new(),
            detect: Detect::default(),
            max_length: 8192,
            max_urls: 64,
            resolve_timeout_ms: 5000,
            enforce_from: Severity::default(),
            on_refusal: OnRefusal::default(),
        }
    }
}

/// The arguments of a tool that are URLs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolUrls {
    /// The tools: names or globs. In a configuration, one text or a list.
    #[serde(deserialize_with = "one_or_many")]
    pub tool: Vec<ToolPattern>,
    /// Where the URLs are: texts, or lists of texts. An empty list means that the tool has no URLs. Other spellings of the
    /// place count too.
    pub urls: Vec<PointerPattern>,
}

/// How the guard finds the URLs of tools without a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Detect {
    /// Not at all.
    Off,
    /// Each text that is a URL as a whole, and each argument whose name says that it is one, such as `url` or `sourceUri`.
    #[default]
    Urls,
    /// As `Urls`, and also URLs inside longer texts.
    Texts,
}

impl Table for UrlGuardConfig {
    const KEY: &'static str = "urls";

    fn tools(&self) -> Vec<(String, &str)> {
        named("tools", self.tools.iter().flat_map(|tools| &tools.tool))
    }
}
