//! Texts that are URLs.

use url::{Host, Url};

use crate::arguments::last_word;

/// Tells whether the name of an argument says that its value is a URL.
pub(super) fn is_url_name(name: &str) -> bool {
    matches!(last_word(name).as_str(), "url" | "urls" | "uri" | "uris" | "href")
}

/// Tells whether a text is a URL as a whole, for some program.
pub(super) fn is_url(text: &str) -> bool {
    // Browsers remove these characters.
    let text: String = text.chars().filter(|character| !matches!(character, '\t' | '\n' | '\r')).collect();
    let text = text.trim_matches(|character: char| character <= ' ');
    if text.starts_with("//") || text.starts_with(r"\\") || text.starts_with(r"/\") || text.starts_with(r"\/") {
        let host = Url::parse(&format!("http:{text}")).ok().and_then(|url| url.host().map(|host| host.to_owned()));
        // A path expression such as `//div/span` is not a URL.
        return host.is_some_and(|host| !matches!(host, Host::Domain(domain) if !domain.contains('.')));
    }
    let Some((scheme, rest)) = text.split_once(':').filter(|(scheme, _)| is_scheme(scheme)) else { return false };
    if rest.trim_start_matches(['/', '\\']).is_empty() {
        return false;
    }
    let (has_slashes, has_space) = (rest.starts_with("//"), text.contains(char::is_whitespace));
    match scheme.to_ascii_lowercase().as_str() {
        "http" | "https" | "ws" | "wss" | "ftp" => (has_slashes && !has_space) || Url::parse(text).is_ok(),
        "file" => has_slashes || (rest.starts_with(['/', '\\']) && !has_space),
        "blob" | "feed" | "jar" | "netdoc" | "url" | "view-source" => has_slashes || (rest.contains(':') && !has_space),
        _ => has_slashes && !has_space,
    }
}

fn is_scheme(text: &str) -> bool {
    text.len() > 1
        && text.starts_with(|character: char| character.is_ascii_alphabetic())
        && text.chars().all(|character| character.is_ascii_alphanumeric() || "+-.".contains(character))
}

/// Returns the URLs inside a text, with their first bytes: each part with `://`, up to a space, a quote or a bracket.
pub(super) fn urls_in(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut done = 0;
    for (at, _) in text.match_indices("://") {
        if at < done {
            continue;
        }
        let before = &text[done..at];
        let scheme = before.rfind(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c)));
        let start = done + scheme.map_or(0, |last| last + before[last..].chars().next().map_or(1, char::len_utf8));
        let rest = &text[at + 3..];
        let length =
            rest.find(|c: char| c.is_whitespace() || c.is_control() || "\"'`<>{}|^".contains(c)).unwrap_or(rest.len());
        done = at + 3 + length;
        let url = text[start..done].trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '*', '_']);
        if start < at && url.len() > at + 3 - start {
            found.push((start, url));
        }
    }
    found
}
