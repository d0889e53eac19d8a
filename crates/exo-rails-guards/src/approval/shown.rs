//! A request in the form that a person reads: nothing invisible, nothing too long.

use std::fmt;

use exo_rails_text::invisible::is_deceptive;
use serde_json::Value;
use unicode_security::MixedScript;

use super::ApprovalRequest;
use super::visible::{counted, shortened, visible};

/// The limits of a [`ShownCall`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShownLimits {
    /// The length of a text, in characters.
    pub text: usize,
    /// The number of lines.
    pub lines: usize,
    /// The depth of nested lists and objects.
    pub depth: usize,
}

impl Default for ShownLimits {
    /// Texts of 600 characters, 100 lines, 12 levels.
    fn default() -> Self {
        Self { text: 600, lines: 100, depth: 12 }
    }
}

impl ShownLimits {
    /// Sets the length of a text, in characters.
    #[must_use]
    pub const fn text(mut self, characters: usize) -> Self {
        self.text = characters;
        self
    }

    /// Sets the number of lines.
    #[must_use]
    pub const fn lines(mut self, lines: usize) -> Self {
        self.lines = lines;
        self
    }
}

/// The arguments of a call in the form that a person reads, in lines of [visible](visible) text. What is left out is counted in
/// its place. See [`ApprovalRequest::shown`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShownCall {
    /// The name of the tool.
    pub tool_name: String,
    /// The arguments as JSON, one value in each line. Its text contains no control characters.
    pub lines: Vec<String>,
    /// The number of characters and values that are left out.
    pub left_out: usize,
    /// What the person should know about the text: parts that are left out, invisible characters, words of several scripts.
    pub warnings: Vec<String>,
}

impl ApprovalRequest {
    /// Returns the call in the form that a person reads. A front end shows this and not the arguments themselves, which can
    /// contain escapes for terminals and invisible characters.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    /// use exo_rails_guards::approval::{ApprovalRequest, ShownLimits};
    /// use serde_json::json;
    ///
    /// let call = ToolCallInputs::new("shell").with_arguments(json!({ "command": "ls\u{200b} -a" }));
    /// let request = ApprovalRequest::new("approval", "shell", &call, "commands need approval", &RunContext::new("desk"));
    /// let shown = request.shown(ShownLimits::default());
    /// assert_eq!(shown.lines, ["{", r#"  "command": "ls\u{200b} -a""#, "}"]);
    /// assert_eq!(shown.warnings, ["1 character of the call is invisible or deceptive, and shown as an escape"]);
    /// ```
    #[must_use]
    pub fn shown(&self, limits: ShownLimits) -> ShownCall {
        let mut page = Page { limits, ..Page::default() };
        let tool_name = page.name(&self.tool_name);
        page.value("", &self.arguments, 0, "");
        page.finish(tool_name)
    }
}

#[derive(Default)]
struct Page {
    limits: ShownLimits,
    lines: Vec<String>,
    left_out: usize,
    deceptive: usize,
    mixed: Vec<String>,
}

impl Page {
    fn finish(mut self, tool_name: String) -> ShownCall {
        if self.lines.len() > self.limits.lines {
            let more = self.lines.len() - self.limits.lines;
            self.lines.truncate(self.limits.lines);
            self.lines.push(format!("… {} left out …", counted(more, "more line")));
            self.left_out += more;
        }
        let mut warnings = Vec::new();
        if self.left_out > 0 {
            warnings.push("the call is too long to be shown: parts are left out".to_owned());
        }
        if self.deceptive > 0 {
            let verb = if self.deceptive == 1 { "is" } else { "are" };
            let count = counted(self.deceptive, "character");
            warnings.push(format!("{count} of the call {verb} invisible or deceptive, and shown as an escape"));
        }
        warnings.extend(
            self.mixed
                .iter()
                .map(|word| format!("the word `{word}` mixes scripts, so it may not be what it looks like")),
        );
        ShownCall { tool_name, lines: self.lines, left_out: self.left_out, warnings }
    }

    /// Adds the lines of a value. A line begins with `start`, which has the indentation and the name.
    fn value(&mut self, start: &str, value: &Value, depth: usize, end: &str) {
        // What follows is counted as lines: one more than the limit is enough to know that something is left out.
        match value {
            Value::Object(fields) if !fields.is_empty() && depth < self.limits.depth => {
                self.lines.push(format!("{start}{{"));
                let indent = "  ".repeat(depth + 1);
                for (index, (name, value)) in fields.iter().enumerate() {
                    if self.is_full() {
                        self.left_out += fields.len() - index;
                        break;
                    }
                    let name = self.text(name);
                    let comma = if index + 1 < fields.len() { "," } else { "" };
                    self.value(&format!("{indent}{name}: "), value, depth + 1, comma);
                }
                self.lines.push(format!("{}}}{end}", "  ".repeat(depth)));
            }
            Value::Array(items) if !items.is_empty() && depth < self.limits.depth => {
                self.lines.push(format!("{start}["));
                let indent = "  ".repeat(depth + 1);
                for (index, value) in items.iter().enumerate() {
                    if self.is_full() {
                        self.left_out += items.len() - index;
                        break;
                    }
                    let comma = if index + 1 < items.len() { "," } else { "" };
                    self.value(&indent, value, depth + 1, comma);
                }
                self.lines.push(format!("{}]{end}", "  ".repeat(depth)));
            }
            Value::Object(fields) if !fields.is_empty() => {
                self.left_out += fields.len();
                self.lines.push(format!("{start}{{ … {} left out … }}{end}", counted(fields.len(), "nested value")));
            }
            Value::Array(items) if !items.is_empty() => {
                self.left_out += items.len();
                self.lines.push(format!("{start}[ … {} left out … ]{end}", counted(items.len(), "nested value")));
            }
            Value::String(text) => {
                let text = self.text(text);
                self.lines.push(format!("{start}{text}{end}"));
            }
            other => self.lines.push(format!("{start}{other}{end}")),
        }
    }

    fn is_full(&self) -> bool {
        self.lines.len() > self.limits.lines
    }

    /// Returns the text between quotation marks. The note about what is left out is outside of them, so a text cannot
    /// pretend to be shortened.
    fn text(&mut self, text: &str) -> String {
        self.look_at(text);
        let count = text.chars().count();
        if count <= self.limits.text {
            return quoted(text);
        }
        // The end matters: a command can do its harm there.
        let (before, after) = (self.limits.text * 2 / 3, self.limits.text / 3);
        let start: String = text.chars().take(before).collect();
        let end: String = text.chars().skip(count - after).collect();
        let left_out = count - before - after;
        self.left_out += left_out;
        format!("{} … {} left out … {}", quoted(&start), counted(left_out, "character"), quoted(&end))
    }

    fn name(&mut self, name: &str) -> String {
        self.look_at(name);
        visible(name).into_owned()
    }

    /// Notes what a person may overlook in a text.
    fn look_at(&mut self, text: &str) {
        if text.is_ascii() && !text.bytes().any(|byte| byte.is_ascii_control()) {
            return;
        }
        self.deceptive += text.chars().filter(|character| is_deceptive(*character)).count();
        let words = text.split(|character: char| !character.is_alphanumeric());
        for word in words.filter(|word| !word.is_ascii() && !word.is_single_script()) {
            let word = shortened(word, 40);
            if self.mixed.len() < 5 && !self.mixed.contains(&word) {
                self.mixed.push(word);
            }
        }
    }
}

/// Returns the text as JSON with visible characters.
fn quoted(text: &str) -> String {
    visible(&Value::from(text).to_string()).into_owned()
}

impl fmt::Display for ShownCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.tool_name, self.lines.join("\n"))?;
        self.warnings.iter().try_for_each(|warning| write!(f, "\n! {warning}"))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may panic")]
mod tests {
    use exo_rails::{RunContext, ToolCallInputs};
    use serde_json::json;

    use super::*;

    fn request(arguments: Value) -> ApprovalRequest {
        let call = ToolCallInputs::new("shell").with_arguments(arguments);
        ApprovalRequest::new("approval", "shell", &call, "commands need approval", &RunContext::new("desk"))
    }

    #[test]
    fn invisible_and_control_characters_are_shown_as_escapes() {
        let cases = [
            ("\u{1b}[2J\u{1b}[H", r"\u{1b}[2J\u{1b}[H"),
            ("\u{9b}2J", r"\u{9b}2J"),
            ("\u{1b}]0;title\u{7}", r"\u{1b}]0;title\u{7}"),
            ("a\rb", r"a\u{d}b"),
            ("a\u{8}b\u{7f}", r"a\u{8}b\u{7f}"),
            ("a\nb\tc", r"a\nb\tc"),
            ("user\u{202e}txt.exe", r"user\u{202e}txt.exe"),
            ("\u{2066}a\u{2069}", r"\u{2066}a\u{2069}"),
            ("a\u{200b}b\u{200d}c\u{feff}", r"a\u{200b}b\u{200d}c\u{feff}"),
            ("tag\u{e0041}\u{e007f}", r"tag\u{e0041}\u{e007f}"),
            ("a\u{a0}b\u{2003}c\u{3000}", r"a\u{a0}b\u{2003}c\u{3000}"),
            ("a\u{2028}b\u{85}", r"a\u{2028}b\u{85}"),
            ("blank\u{2800}\u{3164}", r"blank\u{2800}\u{3164}"),
            ("e\u{301}\u{301}\u{301}\u{301}", "e\u{301}\u{301}\\u{301}\\u{301}"),
            ("\u{f8ff}\u{10fffd}", r"\u{f8ff}\u{10fffd}"),
            ("Grüße, naïve, 日本語, 💡", "Grüße, naïve, 日本語, 💡"),
        ];
        for (text, expected) in cases {
            assert_eq!(visible(text), expected);
        }
    }

    #[test]
    fn no_request_has_raw_control_characters() {
        let hostile: String = (0..=0x2fff).filter_map(char::from_u32).collect();
        let request = request(json!({ &hostile: [&hostile, { "x": hostile }] }));
        for limits in [ShownLimits::default(), ShownLimits::default().text(100_000)] {
            let shown = request.shown(limits);
            for line in shown.lines.iter().chain(&shown.warnings).chain([&shown.tool_name, &request.to_string()]) {
                assert!(!line.chars().any(is_deceptive), "{line}");
            }
        }
    }

    #[test]
    fn long_values_are_shortened_with_a_count() {
        let shown = request(json!({ "a": format!("{}; rm -rf ~", "x".repeat(100_000)) })).shown(ShownLimits::default());
        assert_eq!(shown.left_out, 99_410);
        assert!(shown.lines[1].contains("\" … 99,410 characters left out … \""), "{}", shown.lines[1]);
        assert!(shown.lines[1].ends_with("; rm -rf ~\""));
        assert!(shown.lines[1].len() < 700);

        let items: Vec<u32> = (0..10_000).collect();
        let shown = request(json!({ "many": items, "last": "rm" })).shown(ShownLimits::default());
        assert!(shown.lines.len() <= 101 && shown.left_out > 9_000, "{} {}", shown.lines.len(), shown.left_out);
        assert_eq!(shown.warnings, ["the call is too long to be shown: parts are left out"]);

        let mut deep = json!("rm");
        for _ in 0..100 {
            deep = json!([deep]);
        }
        let shown = request(deep).shown(ShownLimits::default());
        assert!(shown.lines.iter().any(|line| line.contains("[ … 1 nested value left out … ]")), "{shown}");
    }

    #[test]
    fn a_text_cannot_pretend_to_be_shortened() {
        let shown = request(json!({ "a": "ok\" … 3 characters left out … \"" })).shown(ShownLimits::default());
        assert_eq!(shown.lines[1], r#"  "a": "ok\" … 3 characters left out … \"""#);
        assert_eq!(shown.left_out, 0);
    }

    #[test]
    fn words_of_several_scripts_are_named() {
        let warnings = |text: &str| request(json!({ "to": text })).shown(ShownLimits::default()).warnings;
        assert_eq!(warnings("pаypal.com"), ["the word `pаypal` mixes scripts, so it may not be what it looks like"]);
        for text in ["paypal.com", "Москва and Paris", "Grüße", "日本語のテスト", "x2"] {
            assert_eq!(warnings(text), [""; 0], "{text}");
        }
    }
}
