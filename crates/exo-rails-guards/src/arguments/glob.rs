//! Globs.

use globset::{Glob, GlobBuilder};

/// Makes a glob. With `separate`, `*` and `?` do not match `/`.
pub(crate) fn glob(pattern: &str, any_case: bool, separate: bool) -> Result<Glob, String> {
    let glob =
        GlobBuilder::new(pattern).literal_separator(separate).case_insensitive(any_case).backslash_escape(true).build();
    glob.map_err(|error| format!("`{pattern}` is not a pattern: {}", error.kind()))
}

/// Returns the number of characters of a glob that match only themselves.
pub(crate) fn fixed_text(glob: &str) -> usize {
    glob.chars().filter(|c| !"*?[]{}".contains(*c)).count()
}
