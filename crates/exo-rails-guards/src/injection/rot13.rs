//! ROT13.

/// Replaces each letter by the letter 13 places further.
pub(super) fn rot13(text: &str) -> String {
    let turn = |c: char, first: u8| char::from((u8::try_from(c).unwrap_or(first) - first + 13) % 26 + first);
    let letter = |c: char| match c {
        'a'..='z' => turn(c, b'a'),
        'A'..='Z' => turn(c, b'A'),
        other => other,
    };
    text.chars().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_letter_is_turned_by_13_places() {
        assert_eq!(rot13("Vtaber nyy, 13!"), "Ignore all, 13!");
    }
}
