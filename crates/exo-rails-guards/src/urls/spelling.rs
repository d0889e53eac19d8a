//! The spelling of a URL: whether all programs read the same host.
//!
//! The guard reads URLs as browsers do ([WHATWG URL]). Other programs split some URLs differently, for example at a backslash
//! or at the first `@`. A URL is refused if another reading is possible, also if both hosts are harmless.
//!
//! [WHATWG URL]: https://url.spec.whatwg.org

use url::{Host, Url};

use super::UrlRule;

/// Checks the text of an absolute URL before it is parsed.
pub(super) fn check_text(text: &str) -> Result<(), UrlRule> {
    if text.chars().any(|character| character.is_control() || matches!(character, '\u{2028}' | '\u{2029}' | '\u{FEFF}'))
    {
        return Err(UrlRule::ControlCharacter);
    }
    Ok(())
}

/// Checks that the text of a URL has the host that the parser has found, for every reader.
pub(super) fn check_host(text: &str, url: &Url) -> Result<(), UrlRule> {
    let after_scheme = text.split_once(':').map_or("", |(_, rest)| rest);
    let Some(rest) = after_scheme.strip_prefix("//").filter(|rest| !rest.starts_with(['/', '\\'])) else {
        return Err(UrlRule::Ambiguous);
    };
    // Some programs end the authority only at the first `/`, and others also at `?`, `#` and `\`.
    let longest = rest.split('/').next().unwrap_or_default();
    let authority = longest.split(['?', '#', '\\']).next().unwrap_or_default();
    if longest.contains('\\') || longest[authority.len()..].contains('@') || authority.matches('@').count() > 1 {
        return Err(UrlRule::Ambiguous);
    }
    let has_credentials = !url.username().is_empty() || url.password().is_some();
    if authority.contains('@') != has_credentials {
        return Err(UrlRule::Ambiguous);
    }
    let host = authority.rsplit('@').next().unwrap_or_default();
    if host.contains('%') || host.contains(char::is_whitespace) {
        return Err(UrlRule::Ambiguous);
    }
    // `010.8.8.8` is 8.8.8.8 for browsers and 10.8.8.8 for other programs.
    let is_other_spelling =
        |address: String| !host.strip_prefix(&address).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'));
    match url.host() {
        Some(Host::Ipv4(address)) if is_other_spelling(address.to_string()) => Err(UrlRule::Ambiguous),
        _ => Ok(()),
    }
}
