//! Regexes in the syntax of RE2, which Go and gitleaks use, written in the syntax of the crate `regex`.
//!
//! Both are regular in the strict sense, so a search takes linear time. They differ in these points: in RE2, `\w`, `\d`, `\s`
//! and `\b` are about ASCII; a `{` that begins no repetition is a letter; `[`, `&&`, `~~` and `--` in a class have no special
//! meaning; and `\Q…\E` quotes text.

/// The characters of `\w`, `\d` and `\s` in RE2, as the inside of a class.
const WORD: &str = "0-9A-Za-z_";
const DIGIT: &str = "0-9";
const SPACE: &str = r"\t\n\x0C\r ";

/// Rewrites a regex. A mistake in it stays, so that the parser reports it.
pub(super) fn of_re2(source: &str) -> String {
    let mut writer = Writer { rest: source, written: String::with_capacity(source.len() + 16) };
    writer.outside();
    writer.written
}

struct Writer<'s> {
    rest: &'s str,
    written: String,
}

impl Writer<'_> {
    fn next(&mut self) -> Option<char> {
        let next = self.rest.chars().next()?;
        self.rest = &self.rest[next.len_utf8()..];
        Some(next)
    }

    fn outside(&mut self) {
        while let Some(letter) = self.next() {
            match letter {
                '\\' => self.escape(),
                '[' => self.class(),
                '{' if !begins_repetition(self.rest) => self.written.push_str(r"\{"),
                _ => self.written.push(letter),
            }
        }
    }

    fn escape(&mut self) {
        let Some(letter) = self.next() else { return self.written.push('\\') };
        match letter {
            'w' => self.write_class("[", WORD),
            'W' => self.write_class("[^", WORD),
            'd' => self.write_class("[", DIGIT),
            'D' => self.write_class("[^", DIGIT),
            's' => self.write_class("[", SPACE),
            'S' => self.write_class("[^", SPACE),
            'b' => self.written.push_str(r"(?-u:\b)"),
            // The regexes search in text, where this look exists only for Unicode. Without it, a rule finds more.
            'B' => {}
            'Q' => self.quoted(),
            _ => self.written.extend(['\\', letter]),
        }
    }

    fn write_class(&mut self, open: &str, inside: &str) {
        self.written.push_str(open);
        self.written.push_str(inside);
        self.written.push(']');
    }

    fn quoted(&mut self) {
        let (quoted, rest) = self.rest.split_once(r"\E").unwrap_or((self.rest, ""));
        self.written.push_str(&regex_syntax::escape(quoted));
        self.rest = rest;
    }

    fn class(&mut self) {
        self.written.push('[');
        if let Some(rest) = self.rest.strip_prefix('^') {
            self.written.push('^');
            self.rest = rest;
        }
        if let Some(rest) = self.rest.strip_prefix(']') {
            self.written.push_str(r"\]");
            self.rest = rest;
        }
        while let Some(letter) = self.next() {
            match letter {
                ']' => return self.written.push(']'),
                '\\' => self.escape_in_class(),
                '[' if self.rest.starts_with(':') => self.named_class(),
                '[' | '&' | '~' => self.written.extend(['\\', letter]),
                '-' if self.rest.starts_with('-') => {
                    self.written.push_str(r"-\-");
                    self.next();
                }
                _ => self.written.push(letter),
            }
        }
    }

    fn escape_in_class(&mut self) {
        let Some(letter) = self.next() else { return self.written.push('\\') };
        match letter {
            'w' => self.written.push_str(WORD),
            'd' => self.written.push_str(DIGIT),
            's' => self.written.push_str(SPACE),
            'W' => self.write_class("[^", WORD),
            'D' => self.write_class("[^", DIGIT),
            'S' => self.write_class("[^", SPACE),
            _ => self.written.extend(['\\', letter]),
        }
    }

    /// A class such as `[:alpha:]`.
    fn named_class(&mut self) {
        let Some(end) = self.rest.find(":]") else { return self.written.push_str(r"\[") };
        self.written.push('[');
        self.written.push_str(&self.rest[..end + 2]);
        self.rest = &self.rest[end + 2..];
    }
}

/// Returns whether the text after a `{` makes it a repetition: `{3}`, `{3,}` or `{3,5}`.
fn begins_repetition(rest: &str) -> bool {
    let Some((inside, _)) = rest.split_once('}') else { return false };
    let (least, most) = inside.split_once(',').unwrap_or((inside, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    !least.is_empty() && digits(least) && digits(most)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may panic")]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_re2_are_rewritten_for_the_regex_crate() {
        let table = [
            (r"\w+\d", "[0-9A-Za-z_]+[0-9]"),
            (r"\bkey\b", r"(?-u:\b)key(?-u:\b)"),
            (r"[\w.-]{0,50}?", "[0-9A-Za-z_.-]{0,50}?"),
            (r"[^\s\D]", r"[^\t\n\x0C\r [^0-9]]"),
            (r"a\B", "a"),
            (r"a{", r"a\{"),
            (r"{,5}", r"\{,5}"),
            (r"a{2}b{2,}c{2,3}", r"a{2}b{2,}c{2,3}"),
            (r"[[a&&b]", r"[\[a\&\&b]"),
            (r"[[:alpha:]_]", r"[[:alpha:]_]"),
            (r"[]a]", r"[\]a]"),
            (r"[^]a]", r"[^\]a]"),
            (r"[+--]", r"[+-\-]"),
            (r"\Qa.b\E.c", r"a\.b.c"),
            (r#"['\"`]\\"#, r#"['\"`]\\"#),
        ];
        for (re2, expected) in table {
            assert_eq!(of_re2(re2), expected, "{re2}");
            regex_syntax::parse(expected).unwrap();
        }
    }

    #[test]
    fn a_mistake_stays_a_mistake() {
        for mistake in ["(", "[a", r"a\", r"[a\", "*", "a{3,2}"] {
            assert!(regex_syntax::parse(&of_re2(mistake)).is_err(), "{mistake}");
        }
    }
}
