//! Code of other languages in a command: whether all names in it are known to have no effect outside of the program.

use super::config::LanguageConfig;

/// Returns whether code has no effect outside of its program, as far as its names show.
pub(super) fn is_harmless(code: &str, language: &str, rules: &LanguageConfig) -> bool {
    if language == "sed" {
        return sed::is_harmless(code);
    }
    Reader { code, at: 0, rules, before: Before::Start, printing: false, importing: false }.finds_no_effect(0)
}

/// What stands in front of a place in code.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Start,
    Dot,
    /// A name or a value.
    Value,
    Operator,
}

struct Reader<'c> {
    code: &'c str,
    at: usize,
    rules: &'c LanguageConfig,
    before: Before,
    /// The statement prints: a `>` writes to a file.
    printing: bool,
    /// The statement imports modules.
    importing: bool,
}

impl<'c> Reader<'c> {
    fn rest(&self) -> &'c str {
        &self.code[self.at..]
    }

    fn finds_no_effect(mut self, depth: usize) -> bool {
        if depth > 4 {
            return false;
        }
        while let Some(c) = self.rest().chars().next() {
            let harmless = if self.rules.comments.iter().any(|comment| self.rest().starts_with(comment.as_str())) {
                self.at += self.rest().find('\n').unwrap_or(self.rest().len());
                true
            } else if self.rest().starts_with("||") {
                self.at += 2;
                self.before = Before::Operator;
                true
            } else if self.rules.refused.iter().any(|refused| self.rest().starts_with(refused.as_str())) {
                false
            } else if self.rules.quotes.contains(c) {
                self.text(c, "", depth)
            } else if c.is_alphabetic() || c == '_' {
                self.name(depth)
            } else if c.is_ascii_digit() {
                self.at += self
                    .rest()
                    .find(|c: char| !c.is_ascii_alphanumeric() && c != '.' && c != '_')
                    .unwrap_or(self.rest().len());
                self.before = Before::Value;
                true
            } else if c == '/' && self.rules.patterns && self.before != Before::Value {
                self.pattern()
            } else {
                self.punctuation(c)
            };
            if !harmless {
                return false;
            }
        }
        true
    }

    fn punctuation(&mut self, c: char) -> bool {
        // What a subscript or a call returns is called: it may be any function.
        if c == '(' && self.code[..self.at].trim_end().ends_with([')', ']', '"', '\'', '`']) {
            return false;
        }
        if c == '>' && self.printing {
            return false;
        }
        if matches!(c, '\n' | ';' | '}') {
            self.printing = false;
            self.importing = false;
        }
        self.at += c.len_utf8();
        if !c.is_whitespace() {
            self.before = match c {
                '.' => Before::Dot,
                ')' | ']' | '}' => Before::Value,
                _ => Before::Operator,
            };
        }
        true
    }

    /// Reads a text between quotes. The prefix is the name directly in front of it.
    fn text(&mut self, quote: char, prefix: &str, depth: usize) -> bool {
        let triple: String = [quote; 3].iter().collect();
        let (end, width) = if self.rest().starts_with(&triple) { (triple.as_str(), 3) } else { (&triple[..1], 1) };
        let start = self.at + width;
        let mut at = start;
        let bytes = self.code.as_bytes();
        let raw = prefix.contains(['r', 'R']);
        loop {
            if at >= bytes.len() {
                return false;
            }
            if bytes[at] == b'\\' && !(raw && at + 1 >= bytes.len()) {
                at += 2;
            } else if self.code.as_bytes()[at..].starts_with(end.as_bytes()) {
                break;
            } else {
                at += 1;
            }
        }
        let Some(inside) = self.code.get(start..at) else { return false };
        self.at = at + end.len();
        self.before = Before::Value;
        if std::mem::take(&mut self.importing) {
            let data = inside.starts_with('.') && inside.strip_suffix(".json").is_some();
            return data || self.rules.harmless.iter().any(|harmless| harmless == inside);
        }
        let Some((open, close)) = &self.rules.interpolation else { return true };
        // Braces are code in a text with `f` in front, and a longer mark of code is one in each text.
        if open == "{" && !prefix.contains(['f', 'F', 't', 'T']) {
            return true;
        }
        let mut rest = inside;
        while let Some(begin) = rest.find(open.as_str()) {
            let code = &rest[begin + open.len()..];
            let Some(end) = code.find(close.as_str()) else { return false };
            // The format behind `:` has no names.
            let inner = Reader {
                code: &code[..end],
                at: 0,
                rules: self.rules,
                before: Before::Start,
                printing: false,
                importing: false,
            };
            if !inner.finds_no_effect(depth + 1) {
                return false;
            }
            rest = &code[end + close.len()..];
        }
        true
    }

    fn pattern(&mut self) -> bool {
        let bytes = self.code.as_bytes();
        let mut at = self.at + 1;
        loop {
            match bytes.get(at) {
                None | Some(b'\n') => return false,
                Some(b'\\') => at += 2,
                Some(b'/') => break,
                // Code in patterns: `#{…}`, `(?{…})`, `@{…}`.
                Some(b'{') if matches!(bytes[at - 1], b'#' | b'?' | b'@' | b'$') => return false,
                Some(_) => at += 1,
            }
        }
        self.at = at + 1;
        self.before = Before::Value;
        true
    }

    fn name(&mut self, depth: usize) -> bool {
        let length = self.rest().find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(self.rest().len());
        let name = &self.rest()[..length];
        let before = self.before;
        self.at += length;
        if let Some(quote) = self.rest().chars().next().filter(|c| self.rules.quotes.contains(*c)) {
            if name.len() <= 2 {
                return self.text(quote, name, depth);
            }
            return false;
        }
        self.before = Before::Value;
        self.printing |= self.rules.printing.iter().any(|printing| printing == name);
        let importing = self.importing;
        self.importing |= self.rules.imports.iter().any(|import| import == name);
        let called = self.rest().trim_start().starts_with('(');
        let imports = self.rules.imports.iter().any(|import| import == name);
        if imports || self.rules.harmless.iter().any(|harmless| harmless == name) {
            // An operator of words, such as `in`, has a value behind it.
            if imports || matches!(name, "return" | "in" | "and" | "or" | "not" | "if" | "print") {
                self.before = Before::Operator;
            }
            return name != "open" || self.reads_only();
        }
        self.rules.values
            && !called
            && before != Before::Dot
            && !importing
            && !self.rules.never.iter().any(|never| never == name)
    }

    /// Returns whether a call of `open` has only a path.
    fn reads_only(&self) -> bool {
        let Some(arguments) = self.rest().trim_start().strip_prefix('(') else { return false };
        let Some(end) = arguments.find(')') else { return false };
        !arguments[..end].contains([',', '(', '*'])
    }
}

mod sed {
    //! Scripts of sed: whether they only edit text.

    /// Returns whether a script neither runs programs nor writes to files.
    pub(super) fn is_harmless(script: &str) -> bool {
        let mut rest = script;
        loop {
            rest = rest.trim_start_matches([' ', '\t', '\n', ';', '}']);
            if rest.is_empty() {
                return true;
            }
            let Some(behind) = command(rest) else { return false };
            rest = behind;
        }
    }

    /// Reads one command with its addresses. Returns what is behind it.
    fn command(text: &str) -> Option<&str> {
        let mut rest = address(text)?;
        if let Some(second) = rest.trim_start().strip_prefix(',') {
            rest = address(second.trim_start())?;
        }
        let rest = rest.trim_start_matches([' ', '\t', '!']);
        let mut chars = rest.chars();
        let name = chars.next()?;
        let behind = chars.as_str();
        match name {
            '{' | '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z' | 'F' => Some(behind),
            'l' | 'q' | 'Q' => Some(behind.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ')),
            // Texts and labels are the rest of the line.
            'a' | 'i' | 'c' | ':' | 'b' | 't' | 'T' | '#' => {
                let end =
                    if matches!(name, 'b' | 't' | 'T') { behind.find(['\n', ';', '}']) } else { line_end(behind) };
                Some(end.map_or("", |end| &behind[end..]))
            }
            's' => substitute(behind),
            'y' => {
                let delimiter = behind.chars().next()?;
                part(part(&behind[delimiter.len_utf8()..], delimiter)?, delimiter)
            }
            // `e` runs programs, `w` and `W` write, `r` and `R` read files; the rest is not known.
            _ => None,
        }
    }

    /// Finds the end of a text, which goes on behind a `\\` at the end of a line.
    fn line_end(text: &str) -> Option<usize> {
        let mut from = 0;
        loop {
            let end = from + text[from..].find('\n')?;
            if !text[..end].ends_with('\\') {
                return Some(end);
            }
            from = end + 1;
        }
    }

    fn address(text: &str) -> Option<&str> {
        let first = text.chars().next()?;
        match first {
            '0'..='9' | '$' | '+' | '~' => {
                Some(text.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '$' | '~' | '+')))
            }
            '/' => Some(part(&text[1..], '/')?.trim_start_matches(['I', 'M'])),
            '\\' => {
                let delimiter = text[1..].chars().next()?;
                Some(part(&text[1 + delimiter.len_utf8()..], delimiter)?.trim_start_matches(['I', 'M']))
            }
            _ => Some(text),
        }
    }

    /// Returns what is behind the next delimiter. In brackets, a delimiter has no meaning for some programs: those are refused.
    fn part(text: &str, delimiter: char) -> Option<&str> {
        let mut escaped = false;
        for (at, c) in text.char_indices() {
            if escaped {
                escaped = false;
            } else if c == '\\' {
                escaped = true;
            } else if c == delimiter {
                return Some(&text[at + c.len_utf8()..]);
            }
        }
        None
    }

    fn substitute(text: &str) -> Option<&str> {
        let delimiter = text.chars().next()?;
        if matches!(delimiter, '\\' | '\n') {
            return None;
        }
        let body = &text[delimiter.len_utf8()..];
        // `[/]` is a bracket for one program and the end of the pattern for another.
        let behind = part(body, delimiter)?;
        let pattern = &body[..body.len() - behind.len()];
        if pattern.matches('[').count() > pattern.matches(']').count() {
            return None;
        }
        let behind = part(behind, delimiter)?;
        let flags = behind
            .find(|c: char| !matches!(c, 'g' | 'p' | 'i' | 'I' | 'm' | 'M') && !c.is_ascii_digit())
            .unwrap_or(behind.len());
        let rest = &behind[flags..];
        matches!(rest.trim_start_matches([' ', '\t']).chars().next(), None | Some(';' | '\n' | '}' | '#'))
            .then_some(rest)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn scripts_that_edit_pass() {
            for script in [
                "s/a/b/",
                "s/a/b/g",
                "1,10p",
                "/x/d",
                "$!N;s/\n/ /",
                "10q",
                "s|/usr|/opt|g; s#a#b#",
                "/a/,/b/{s/x/y/;p}",
                "y/abc/xyz/",
                "2~3d",
                "$d",
                "1i\\\nhead",
                "s/[^,]*,//2",
                "n;d",
            ] {
                assert!(is_harmless(script), "{script}");
            }
        }

        #[test]
        fn scripts_that_run_programs_or_write_files_do_not_pass() {
            for script in [
                "e",
                "1e rm x",
                "s/a/b/e",
                "s/a/b/w out",
                "w out",
                "W out",
                "s/a/b/ge",
                "/x/e id",
                "1,2{e id\n}",
                "s/x/y",
                "s[/]x]",
                "r /etc/passwd",
                "v",
            ] {
                assert!(!is_harmless(script), "{script}");
            }
        }
    }
}
