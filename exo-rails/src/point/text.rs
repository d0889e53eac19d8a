//! The text of a compile error, built in a constant.
//!
//! A `panic!` in a constant takes one `&str` and cannot format it, so this module puts the names into the text.

/// The longest text, in bytes. `Text` leaves out a piece that does not fit.
const ROOM: usize = 1024;

/// A text that a constant builds piece by piece.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Text {
    bytes: [u8; ROOM],
    len: usize,
}

impl Text {
    pub(crate) const fn new() -> Self {
        Self { bytes: [0; ROOM], len: 0 }
    }

    /// Appends a piece of text.
    pub(crate) const fn and(mut self, more: &str) -> Self {
        let more = more.as_bytes();
        let mut i = 0;
        // Appends the whole piece or nothing, because half a character would not be valid UTF-8.
        while self.len + more.len() - i <= ROOM && i < more.len() {
            self.bytes[self.len] = more[i];
            self.len += 1;
            i += 1;
        }
        self
    }

    /// Appends a name in backticks.
    pub(crate) const fn name(self, name: &str) -> Self {
        self.and("`").and(name).and("`")
    }

    /// Appends a number.
    #[allow(dead_code, reason = "not every message has a number")]
    pub(crate) const fn number(mut self, number: i32) -> Self {
        if number < 0 {
            self = self.and("-");
        }
        let (mut rest, mut digits, mut len) = (number.unsigned_abs(), [0; 10], 0);
        loop {
            digits[len] = b'0' + (rest % 10) as u8;
            len += 1;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        while len > 0 && self.len < ROOM {
            len -= 1;
            self.bytes[self.len] = digits[len];
            self.len += 1;
        }
        self
    }

    /// Ends the compilation with the text. The compiler reports it at the caller of the outermost function with
    /// `#[track_caller]`.
    #[track_caller]
    #[allow(clippy::panic, reason = "in a constant it is a compile error")]
    pub(crate) const fn refuse(&self) -> ! {
        panic!("{}", self.as_str())
    }

    /// Returns the text so far.
    pub(crate) const fn as_str(&self) -> &str {
        match std::str::from_utf8(self.bytes.split_at(self.len).0) {
            Ok(text) => text,
            // Unreachable: the bytes are whole pieces of valid UTF-8.
            Err(_) => "",
        }
    }
}

/// Returns `true` if both texts are the same.
pub(crate) const fn same(one: &str, two: &str) -> bool {
    let (one, two) = (one.as_bytes(), two.as_bytes());
    if one.len() != two.len() {
        return false;
    }
    let mut i = 0;
    while i < one.len() {
        if one[i] != two[i] {
            return false;
        }
        i += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_contains_names_and_numbers() {
        let text =
            Text::new().and("the rail ").name("block").and(" has priority ").number(i32::MIN).and(", not ").number(0);
        assert_eq!(text.as_str(), "the rail `block` has priority -2147483648, not 0");
    }

    #[test]
    fn a_part_that_does_not_fit_is_left_out_as_a_whole() {
        let long = "ä".repeat(ROOM / 2);
        assert_eq!(Text::new().and(&long).as_str(), long);
        assert_eq!(Text::new().and("a").and(&long).as_str(), "a");
        assert_eq!(Text::new().and(&long).number(12).as_str(), long);
    }

    #[test]
    fn texts_are_compared_byte_by_byte() {
        assert!(same("search", "search") && same("", ""));
        assert!(!same("search", "searc") && !same("search", "Search"));
    }
}
