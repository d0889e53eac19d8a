//! Patterns of tool names.

use std::fmt;
use std::hash::{Hash, Hasher};

use exo_rails_text::names::advice;
use exo_rails_text::spelling::folded;
use serde::{Deserialize, Serialize};

use crate::tool_name::is_plain_name;
use crate::{ConfigError, Glob, ToolName};

/// The name of a tool, or a glob such as `mcp__github__*`. All guards name tools in this way.
///
/// In a glob, `*` matches any text, `?` one character, `[a-z]` one of some characters, and `{read,list}` one of some texts.
/// A backslash before such a character makes it an ordinary one. The glob must match the whole name.
///
/// | who asks | names that match |
/// |---|---|
/// | a rule that lets something happen | exactly these names, in this case. A glob matches no name with spaces, control characters or invisible characters. |
/// | a rule that stops or checks something | also other spellings: case, spaces, invisible characters, look-alikes |
///
/// ```
/// use exo_rails_policy::ToolPattern;
///
/// let pattern: ToolPattern = "fs_{read,write}_*".parse()?;
/// assert!(pattern.matches("fs_read_file") && !pattern.matches("fs_list"));
/// assert!(!pattern.matches("FS_Read_File") && pattern.matches_any_spelling("FS_Read_File"));
///
/// let error = "shell|write_.*".parse::<ToolPattern>().unwrap_err();
/// assert!(error.to_string().starts_with("`shell|write_.*` looks like a regular expression"));
/// # Ok::<(), exo_rails_policy::ConfigError>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ToolPattern {
    text: String,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Name { folded: String },
    Glob(Glob),
}

/// How much a pattern says about the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Precision {
    /// `*`: any name.
    Any,
    /// A glob.
    Glob,
    /// A name.
    Name,
}

impl ToolPattern {
    /// Makes a pattern.
    ///
    /// # Errors
    /// Returns an error if the text is empty, is not a glob, or is a regular expression.
    pub fn new(text: impl Into<String>) -> Result<Self, ConfigError> {
        let text = text.into();
        if text.trim().is_empty() {
            return Err(ConfigError::new("a tool has an empty name: write its name, or `*` for all tools"));
        }
        if text.contains(['|', '(', ')', '^', '$']) {
            let message = format!(
                "`{text}` looks like a regular expression: write a name or a glob such as `write_*`, or a list of them"
            );
            return Err(ConfigError::new(message));
        }
        let kind = if is_glob(&text) {
            Kind::Glob(Glob::new(&text).map_err(ConfigError::new)?)
        } else {
            Kind::Name { folded: folded(&text).remove(0).into_owned() }
        };
        Ok(Self { text, kind })
    }

    /// Returns whether the pattern matches exactly this name, for a rule that lets something happen.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        self.is_exactly(name, || is_plain_name(name))
    }

    /// Returns whether the pattern matches the name in some spelling, for a rule that stops or checks something.
    #[must_use]
    pub fn matches_any_spelling(&self, name: &str) -> bool {
        self.catches(&ToolName::new(name))
    }

    /// Returns the pattern as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns whether the pattern matches exactly this name, for a rule that lets something happen.
    #[must_use]
    pub fn allows(&self, name: &ToolName<'_>) -> bool {
        self.is_exactly(name.text, || name.is_plain)
    }

    fn is_exactly(&self, name: &str, is_plain: impl FnOnce() -> bool) -> bool {
        match &self.kind {
            Kind::Name { .. } => self.text == name,
            Kind::Glob(glob) => glob.matches(name, false) && is_plain(),
        }
    }

    /// Returns whether the pattern matches the name in some spelling, for a rule that stops or checks something.
    #[must_use]
    pub fn catches(&self, name: &ToolName<'_>) -> bool {
        let is_caught = || name.readings.iter().any(|reading| self.catches_reading(reading));
        match &self.kind {
            Kind::Name { .. } => is_caught(),
            Kind::Glob(glob) => glob.matches(name.text, true) || is_caught(),
        }
    }

    /// Returns whether the pattern matches a [reading](ToolName::readings) of a name.
    #[must_use]
    pub fn catches_reading(&self, reading: &str) -> bool {
        match &self.kind {
            Kind::Name { folded } => folded == reading,
            Kind::Glob(glob) => glob.matches(reading, true),
        }
    }

    /// Returns the name in its folded form, if the pattern is a name.
    #[must_use]
    pub fn folded_name(&self) -> Option<&str> {
        match &self.kind {
            Kind::Name { folded } => Some(folded),
            Kind::Glob(_) => None,
        }
    }

    /// Returns how much the pattern says about the name.
    #[must_use]
    pub fn precision(&self) -> Precision {
        match &self.kind {
            Kind::Name { .. } => Precision::Name,
            Kind::Glob(_) if self.text == "*" => Precision::Any,
            Kind::Glob(_) => Precision::Glob,
        }
    }

    /// Returns the number of characters that match only themselves.
    #[must_use]
    pub fn fixed(&self) -> usize {
        self.text.chars().filter(|c| !"*?[]{}".contains(*c)).count()
    }
}

/// Checks that the tools exist, apart from globs. Without known tools, nobody has named them.
///
/// # Errors
/// A tool is not known.
pub fn check_tools<'t>(tools: impl IntoIterator<Item = &'t str>, known: &[&str]) -> Result<(), ConfigError> {
    let unknown = tools.into_iter().find(|tool| !is_glob(tool) && !known.contains(tool));
    let Some(tool) = unknown.filter(|_| !known.is_empty()) else { return Ok(()) };
    Err(ConfigError::new(format!("unknown tool `{tool}`: {}", advice(tool, known))))
}

fn is_glob(text: &str) -> bool {
    text.contains(['*', '?', '[', ']', '{', '}', '\\'])
}

impl PartialEq for ToolPattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for ToolPattern {}

impl Hash for ToolPattern {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

impl std::str::FromStr for ToolPattern {
    type Err = ConfigError;

    fn from_str(text: &str) -> Result<Self, ConfigError> {
        Self::new(text)
    }
}

impl TryFrom<String> for ToolPattern {
    type Error = ConfigError;

    fn try_from(text: String) -> Result<Self, ConfigError> {
        Self::new(text)
    }
}

impl From<ToolPattern> for String {
    fn from(pattern: ToolPattern) -> Self {
        pattern.text
    }
}

impl fmt::Display for ToolPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may panic")]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_matches_exact_and_similar_names_as_the_table_says() {
        for (pattern, name, exact, wide) in [
            ("read_file", "read_file", true, true),
            ("read_file", "Read_File", false, true),
            ("read_file", "read_file ", false, true),
            ("read_file", "rеad_file", false, true),
            ("read_file", "read\u{200b}_file", false, true),
            ("read_file", "read_files", false, false),
            ("read_*", "read_file", true, true),
            ("read_*", "READ_file", false, true),
            ("read_*", "ｒead_file", false, true),
            ("read_*", "read_file\n", false, true),
            ("read_*", "spread_it", false, false),
            ("*", "anything", true, true),
            ("*", "with space", false, true),
            ("*", "", false, true),
            ("{read,list}_?", "list_a", true, true),
            ("{read,list}_?", "edit_a", false, false),
            ("fs[0-9]", "fs7", true, true),
            ("container.exec", "container.exec", true, true),
            ("container.exec", "containerXexec", false, false),
            (r"a\*b", "a*b", true, true),
            (r"a\*b", "axb", false, false),
            ("查询", "查询", true, true),
        ] {
            let parsed = ToolPattern::new(pattern).unwrap();
            assert_eq!(parsed.matches(name), exact, "`{pattern}` and exactly `{name}`");
            assert_eq!(parsed.matches_any_spelling(name), wide, "`{pattern}` and any spelling of `{name}`");
        }
    }

    #[test]
    fn an_invalid_pattern_is_refused_with_advice() {
        for (text, message) in [
            ("", "a tool has an empty name: write its name, or `*` for all tools"),
            ("[a", "`[a` is not a pattern: unclosed character class; missing ']'"),
            ("^read$", "`^read$` looks like a regular expression: write a name or a glob such as `write_*`"),
        ] {
            let error = ToolPattern::new(text).unwrap_err().to_string();
            assert!(error.starts_with(message), "{text}: {error}");
        }
    }
}
