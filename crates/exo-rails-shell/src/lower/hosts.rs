//! Hosts: which word is an address, and what kind of host it names.

/// Returns the host of an address such as `https://host/path`, `user@host:path` or an IP address.
pub(super) fn host_of_address(value: &str) -> Option<&str> {
    if let Some((scheme, rest)) = value.split_once("://") {
        if scheme == "file" || !scheme.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.')) {
            return None;
        }
        let host = rest.split(['/', '?', '#']).next().unwrap_or(rest);
        return Some(host.rsplit('@').next().unwrap_or(host));
    }
    let host = value.split([':', '/']).next().unwrap_or(value);
    let digits = host.split('.').filter(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit())).count();
    if digits == 4 && host.split('.').count() == 4 {
        return Some(host);
    }
    let (user, host) = value.split_once('@')?;
    let host = host.split([':', '/']).next().unwrap_or(host);
    // `user@host:path`, and `user@host.example`.
    let is_host = host.contains('.') || value.contains(':') && !host.is_empty();
    (!user.is_empty() && is_host && user.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b)))
        .then_some(host)
}

/// Returns a word that has the form of a domain: `db.prod.example.com`.
pub(super) fn domain(value: &str) -> Option<&str> {
    let (host, port) = value.split_once(':').unwrap_or((value, ""));
    let has_port = !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit());
    let labels: Vec<&str> = host.split('.').collect();
    let is_label = |label: &&str| !label.is_empty() && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    let end = labels.last()?;
    let is_name = end.len() >= 2 && end.bytes().all(|b| b.is_ascii_alphabetic());
    let known = [
        "com", "org", "net", "io", "dev", "app", "cloud", "internal", "local", "invalid", "example", "test", "de",
        "co", "ai", "sh", "xyz",
    ];
    // `socket.sh` and `a.de` are more often files than hosts.
    let is_clear = labels.len() >= 3 || has_port || matches!(*end, "com" | "org" | "net" | "io" | "internal" | "xyz");
    (labels.len() >= 2 && is_clear && is_name && known.contains(end) && labels.iter().all(is_label)).then_some(host)
}

/// Returns whether a host is this machine.
pub(super) fn is_local(host: &str) -> bool {
    let host = host.trim_start_matches('[');
    matches!(host, "localhost" | "0.0.0.0" | "::1" | "::1]" | "host.docker.internal")
        || host.starts_with("127.") && host.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b':'))
        || host.split(':').next().is_some_and(|name| matches!(name, "localhost" | "127.0.0.1" | "0.0.0.0"))
        || host.starts_with("::1]")
        || host.rsplit('.').next() == Some("localhost")
}

/// Returns whether an address is one of those that tests give to a program without a network: `http://testserver`.
pub(super) fn is_test(value: &str) -> bool {
    let host = host_of_address(value).unwrap_or_default().split(':').next().unwrap_or_default();
    matches!(host, "test" | "testserver")
}

/// Addresses at which clouds give credentials to the machine.
pub(super) fn is_metadata(host: &str) -> bool {
    let host = host.to_ascii_lowercase();
    let name = host.split(':').next().unwrap_or_default();
    matches!(
        name,
        "169.254.169.254"
            | "metadata.google.internal"
            | "metadata"
            | "100.100.100.200"
            | "169.254.170.2"
            | "2852039166"
            | "0xa9fea9fe"
            | "0251.0376.0251.0376"
    ) || host.contains("fd00:ec2::254")
        || host.contains("169.254.169.254")
        || host.contains("a9fe:a9fe")
}
