//! Patterns and names of hosts.

use exo_rails_policy::ConfigError;
use url::Host;

use crate::places::host::{HostPattern, canonical_host};

/// Reads a host, or the hosts below a domain. `*` is not a host here: an empty list already means all hosts.
pub(super) fn pattern(text: &str) -> Result<HostPattern, ConfigError> {
    let wrong = |why: &str| ConfigError::new(format!("`{text}` is not a host: {why}"));
    let name = text.strip_prefix("*.").unwrap_or(text);
    if name.contains(['/', '*', '@', '?', '#']) {
        return Err(wrong("write a name such as `example.com`, or `*.example.com` for the hosts below it"));
    }
    let host = Host::parse(name).map_err(|error| wrong(&error.to_string()))?;
    match (&host, name == text) {
        (_, true) => Ok(HostPattern::Exact(canonical_host(&host))),
        (Host::Domain(_), false) => Ok(HostPattern::Below(canonical_host(&host))),
        _ => Err(wrong(
            "an address has no hosts below it. Write the network into `allowed_networks` or `denied_networks`",
        )),
    }
}

/// Returns a host without the dot at the end of a domain. The parser has already converted the domain to lower case and to
/// Punycode.
pub(super) fn canonical(host: Host<String>) -> Host<String> {
    match host {
        Host::Domain(domain) => Host::Domain(domain.trim_end_matches('.').to_owned()),
        host => host,
    }
}

/// Tells whether a domain is for internal networks only: a name without a dot, or a name under a domain that the public DNS
/// does not have ([RFC 6761], [RFC 6762], [RFC 8375], and names that resolvers of cloud providers and routers use).
///
/// [RFC 6761]: https://www.rfc-editor.org/rfc/rfc6761
/// [RFC 6762]: https://www.rfc-editor.org/rfc/rfc6762
/// [RFC 8375]: https://www.rfc-editor.org/rfc/rfc8375
pub(super) fn is_internal(domain: &str) -> bool {
    const INTERNAL: [&str; 13] = [
        "corp",
        "home",
        "internal",
        "intranet",
        "invalid",
        "lan",
        "local",
        "localdomain",
        "localhost",
        "onion",
        "private",
        "test",
        "home.arpa",
    ];
    !domain.contains('.')
        || INTERNAL.iter().any(|end| domain.strip_suffix(end).is_some_and(|start| start.ends_with('.')))
}
