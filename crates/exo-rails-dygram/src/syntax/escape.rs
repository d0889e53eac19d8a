//! Escapes in quoted texts.

/// Returns what a quoted text means, and the places of escapes that are not known. Such an escape means its character.
pub(crate) fn unescape(raw: &str) -> (String, Vec<usize>) {
    let mut value = String::with_capacity(raw.len());
    let mut unknown = Vec::new();
    let mut chars = raw.char_indices();
    while let Some((at, c)) = chars.next() {
        if c != '\\' {
            value.push(c);
            continue;
        }
        let Some((_, escaped)) = chars.next() else { break };
        let meant = match escaped {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'v' => '\u{b}',
            '0' => '\0',
            other => other,
        };
        if meant == escaped && !matches!(escaped, '"' | '\'' | '\\' | '/' | '\n' | '\r') {
            unknown.push(at);
        }
        value.push(meant);
    }
    (value, unknown)
}

/// Writes a text in double quotes.
pub(crate) fn quote(value: &str) -> String {
    let mut quoted = String::with_capacity(value.len() + 2);
    quoted.push('"');
    for c in value.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\r' => quoted.push_str("\\r"),
            '\0' => quoted.push_str("\\0"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{c}' => quoted.push_str("\\f"),
            '\u{b}' => quoted.push_str("\\v"),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_quoted_text_is_read_back_unchanged(value in any::<String>()) {
            let quoted = quote(&value);
            let (read, unknown) = unescape(&quoted[1..quoted.len() - 1]);
            prop_assert_eq!(read, value);
            prop_assert!(unknown.is_empty());
        }
    }
}
