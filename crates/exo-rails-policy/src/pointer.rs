//! JSON pointers with wildcards.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::ConfigError;

/// The place of arguments: the name of an argument, or a JSON pointer ([RFC 6901]) in which the segment `*` stands for any
/// name or index. All guards name arguments in this way. The empty pointer is the whole value.
///
/// ```
/// use exo_rails_policy::PointerPattern;
///
/// // The paths in `{ "files": [{ "path": "a.txt" }, { "path": "b.txt" }] }`.
/// let pattern: PointerPattern = "/files/*/path".parse()?;
/// assert_eq!(pattern.to_string(), "/files/*/path");
///
/// let name: PointerPattern = "path".parse()?;
/// assert_eq!(name, "/path".parse()?);
///
/// let error = "request/url".parse::<PointerPattern>().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "`request/url` is neither a name nor a pointer: write `/request/url`, or `/request~1url` for an argument with this name",
/// );
/// # Ok::<(), exo_rails_policy::ConfigError>(())
/// ```
///
/// A rule that lets something happen looks at exactly this place. A rule that stops or checks something also looks at other
/// spellings of the names (case, spaces, invisible characters, look-alikes), at each item of a list in the place of an
/// object, and in texts that contain JSON.
///
/// [RFC 6901]: https://www.rfc-editor.org/rfc/rfc6901
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PointerPattern {
    segments: Vec<PointerSegment>,
}

/// A segment of a [`PointerPattern`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PointerSegment {
    /// `*`: any name or index.
    Any,
    /// A name, or an index as a text.
    Name(String),
}

impl PointerPattern {
    /// Makes the place of an argument with this name.
    #[must_use]
    pub fn name(name: &str) -> Self {
        Self { segments: vec![PointerSegment::Name(name.to_owned())] }
    }

    /// Returns the segments, the outermost first.
    #[must_use]
    pub fn segments(&self) -> &[PointerSegment] {
        &self.segments
    }
}

/// Escapes a name for a JSON pointer.
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

impl std::str::FromStr for PointerPattern {
    type Err = ConfigError;

    fn from_str(text: &str) -> Result<Self, ConfigError> {
        if text.is_empty() {
            return Ok(Self { segments: Vec::new() });
        }
        let Some(rest) = text.strip_prefix('/') else {
            if text.contains('/') {
                return Err(ConfigError::new(format!(
                    "`{text}` is neither a name nor a pointer: write `/{text}`, or `/{}` for an argument with this name",
                    escaped(text),
                )));
            }
            return Ok(if text == "*" { Self { segments: vec![PointerSegment::Any] } } else { Self::name(text) });
        };
        let segments = rest.split('/').map(|segment| match segment {
            "*" => PointerSegment::Any,
            name => PointerSegment::Name(name.replace("~1", "/").replace("~0", "~")),
        });
        Ok(Self { segments: segments.collect() })
    }
}

impl TryFrom<String> for PointerPattern {
    type Error = ConfigError;

    fn try_from(text: String) -> Result<Self, ConfigError> {
        text.parse()
    }
}

impl From<PointerPattern> for String {
    fn from(pattern: PointerPattern) -> Self {
        pattern.to_string()
    }
}

impl fmt::Display for PointerPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.segments.iter().try_for_each(|segment| match segment {
            PointerSegment::Any => f.write_str("/*"),
            PointerSegment::Name(name) => write!(f, "/{}", escaped(name)),
        })
    }
}
