//! Percent codes, as in URLs.

/// Returns the text with `%41` read as `A`, if it has such a code and the result is a text.
///
/// ```
/// use exo_rails_text::percent::percent_decoded;
///
/// assert_eq!(percent_decoded("/etc%2fpasswd").as_deref(), Some("/etc/passwd"));
/// assert_eq!(percent_decoded("100 % of it"), None);
/// ```
#[must_use]
pub fn percent_decoded(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digits = (bytes[at] == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        let code = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        if let Some(byte) = code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            decoded.push(byte);
            at += 3;
        } else {
            decoded.push(bytes[at]);
            at += 1;
        }
    }
    if decoded.len() == bytes.len() { None } else { String::from_utf8(decoded).ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_codes_are_decoded() {
        assert_eq!(percent_decoded("/etc%2fpass%77d").as_deref(), Some("/etc/passwd"));
        assert_eq!(percent_decoded("100% of it"), None);
        assert_eq!(percent_decoded("%ff"), None);
        assert_eq!(percent_decoded("%"), None);
    }
}
