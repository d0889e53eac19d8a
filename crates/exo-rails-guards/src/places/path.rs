//! Patterns of paths. They look at the text of a path only: nothing here reads a file system.

use std::fmt;

use exo_rails_text::codes;
use exo_rails_text::spelling::{self, is_plain};
use globset::{GlobSet, GlobSetBuilder};

use crate::arguments::{fixed_text, glob};

/// Returns the absolute or relative path without `.`, `..` and repeated slashes. `None` if `..` leaves the beginning, or if
/// the path is not one that a guard understands.
pub(crate) fn resolved(path: &str) -> Option<String> {
    if path.is_empty() || path.contains(['\0', '\\']) {
        return None;
    }
    let (resolved, leaves) = without_dots(path);
    (!leaves).then_some(resolved)
}

/// Returns whether a resolved path is a resolved directory or in it.
pub(crate) fn is_within(path: &str, directory: &str) -> bool {
    if directory == "." {
        return !path.starts_with('/');
    }
    let rest = path.strip_prefix(directory);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || directory == "/")
}

/// Resolves `.` and `..`. The second value says whether `..` leaves the beginning of a relative path. The remaining path
/// then begins behind the last `..` that leaves. In an absolute path, `..` at the root is the root.
fn without_dots(path: &str) -> (String, bool) {
    let is_absolute = path.starts_with('/');
    let mut leaves = false;
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => leaves |= parts.pop().is_none() && !is_absolute,
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    let resolved = match (is_absolute, joined.is_empty()) {
        (true, _) => format!("/{joined}"),
        (false, true) => ".".to_owned(),
        (false, false) => joined,
    };
    (resolved, leaves)
}

/// Where relative paths begin, and what `~` is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    pub(crate) working_directory: Option<String>,
    pub(crate) home: Option<String>,
}

impl Places {
    /// Returns the path in the forms that patterns may have: absolute, and relative to the working directory.
    fn forms(&self, path: &str) -> Option<Vec<String>> {
        let whole = match &self.working_directory {
            Some(directory) if !path.starts_with('/') => format!("{directory}/{path}"),
            _ => path.to_owned(),
        };
        let whole = resolved(&whole)?;
        let relative = self.working_directory.as_deref().filter(|_| whole.starts_with('/')).and_then(|directory| {
            let directory = resolved(directory)?;
            let rest =
                whole.strip_prefix(&directory).filter(|_| is_within(&whole, &directory))?.trim_start_matches('/');
            Some(if rest.is_empty() { ".".to_owned() } else { rest.to_owned() })
        });
        Some(std::iter::once(whole).chain(relative).collect())
    }

    /// Returns the path with the home directory in the place of `~`.
    fn with_home(&self, path: &str) -> Option<String> {
        let rest = path.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'))?;
        Some(format!("{}{rest}", self.home.as_deref()?))
    }
}

/// What a pattern says about a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Match {
    /// It does not match.
    No,
    /// It may match: the answer depends on something that is not known.
    Maybe,
    /// It matches.
    Yes,
}

impl From<bool> for Match {
    fn from(matches: bool) -> Self {
        if matches { Self::Yes } else { Self::No }
    }
}

/// Patterns of which a path has to match one.
pub(crate) struct PathPatterns {
    /// For rules that let calls run.
    exact: GlobSet,
    /// For rules that stop calls: any case, and patterns without `/` in every directory.
    wide: GlobSet,
    /// The patterns of `wide`, for paths that are patterns of names themselves.
    #[cfg(feature = "shell")]
    wide_texts: Vec<String>,
    /// Whether a pattern is about absolute paths or the home directory.
    has_absolute: bool,
    /// The shortest fixed text of the patterns.
    pub(crate) fixed: usize,
}

impl fmt::Debug for PathPatterns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PathPatterns").field("patterns", &self.exact.len()).finish_non_exhaustive()
    }
}

impl PathPatterns {
    pub(crate) fn new(patterns: &[String], places: &Places) -> Result<Self, String> {
        let (mut exact, mut wide) = (GlobSetBuilder::new(), GlobSetBuilder::new());
        let mut has_absolute = false;
        #[cfg(feature = "shell")]
        let mut wide_texts = Vec::new();
        for pattern in patterns {
            if pattern.is_empty() || pattern.split('/').any(|part| part == "..") {
                return Err(format!("`{pattern}` is not a pattern of paths: write a path without `..`"));
            }
            has_absolute |= pattern.starts_with(['/', '~']);
            for form in pattern_forms(pattern, places) {
                exact.add(glob(&form, false, true)?);
                wide.add(glob(&form, true, true)?);
                if !form.contains('/') {
                    wide.add(glob(&format!("**/{form}"), true, true)?);
                }
                #[cfg(feature = "shell")]
                wide_texts.extend(with_any_directory(&form));
            }
        }
        let build = |set: &GlobSetBuilder| set.build().map_err(|error| error.to_string());
        let fixed = patterns.iter().map(|pattern| fixed_text(pattern)).min().unwrap_or(0);
        Ok(Self {
            exact: build(&exact)?,
            wide: build(&wide)?,
            #[cfg(feature = "shell")]
            wide_texts,
            has_absolute,
            fixed,
        })
    }

    /// Returns whether a path certainly is what a pattern says, for a rule that lets calls run.
    pub(crate) fn allows(&self, path: &str, places: &Places) -> bool {
        if !is_unambiguous(path) {
            return false;
        }
        places.forms(path).is_some_and(|forms| forms.iter().any(|form| self.exact.is_match(form)))
    }

    /// Returns whether a path may be what a pattern says, for a rule that stops calls.
    pub(crate) fn catches(&self, path: &PossiblePath) -> Match {
        #[cfg(feature = "shell")]
        if path.is_of_names {
            let finds = |form: &String| {
                self.wide_texts.iter().any(|pattern| exo_rails_shell::may_find(&form.to_lowercase(), pattern))
            };
            return if path.forms.iter().any(finds) { Match::Maybe } else { Match::No };
        }
        if path.forms.iter().any(|form| self.wide.is_match(form)) {
            Match::Yes
        } else if path.leaves && self.has_absolute {
            Match::Maybe
        } else {
            Match::No
        }
    }
}

/// A text that may be a path, in all forms that patterns may have.
#[derive(Debug)]
pub(crate) struct PossiblePath {
    forms: Vec<String>,
    /// Whether `..` leaves the beginning of a relative path, so that its target is unknown.
    leaves: bool,
    /// Whether the path is a pattern of names, such as `src/*.rs`.
    #[cfg(feature = "shell")]
    is_of_names: bool,
}

impl PossiblePath {
    /// Makes a path that is a pattern of names, as a shell reads it.
    #[cfg(feature = "shell")]
    pub(crate) fn of_names(text: &str, places: &Places) -> Self {
        Self { is_of_names: true, ..Self::new(text, places) }
    }

    pub(crate) fn new(text: &str, places: &Places) -> Self {
        let mut path = Self {
            forms: Vec::new(),
            leaves: false,
            #[cfg(feature = "shell")]
            is_of_names: false,
        };
        for reading in readings(text, places) {
            if let Some(forms) = places.forms(&reading) {
                path.forms.extend(forms);
            } else {
                let (inner, leaves) = without_dots(&reading);
                path.forms.push(inner);
                path.leaves |= leaves;
            }
        }
        path
    }
}

/// Returns the pattern in all forms: `dir/**` is also `dir`, and `dir/` is `dir/**`.
fn pattern_forms(pattern: &str, places: &Places) -> Vec<String> {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    let mut forms = vec![match pattern.strip_suffix('/') {
        Some(directory) if !directory.is_empty() => format!("{directory}/**"),
        Some(_) => "/**".to_owned(),
        None => pattern.to_owned(),
    }];
    if let Some(at_home) = places.with_home(&forms[0]) {
        forms.push(at_home);
    }
    let directories: Vec<String> = forms
        .iter()
        .filter_map(|form| Some(form.strip_suffix("/**")?.to_owned()))
        .filter(|form| !form.is_empty())
        .collect();
    forms.extend(directories);
    forms
}

/// Returns a pattern in the forms that [`exo_rails_shell::may_find`] reads: `*` is any characters there.
#[cfg(feature = "shell")]
fn with_any_directory(form: &str) -> Vec<String> {
    let form = form.to_lowercase();
    let inner = if form.contains('/') { None } else { Some(format!("*/{form}")) };
    // `**/x` is also `x`.
    let bare = form.strip_prefix("**/").map(str::to_owned);
    [Some(form.clone()), inner, bare].into_iter().flatten().map(|form| form.replace("**", "*")).collect()
}

/// Returns whether every tool reads this path in the same way.
fn is_unambiguous(path: &str) -> bool {
    let has_variable = path.match_indices('$').any(|(at, _)| {
        path[at + 1..].starts_with(|c: char| c == '{' || c == '(' || c == '_' || c.is_ascii_uppercase())
    });
    !path.is_empty()
        && is_plain(path)
        && path.trim() == path
        && !path.starts_with('~')
        && !path.contains('\\')
        && !has_variable
        && !path.split('/').any(|part| part == "..")
        && codes::is_plain(path)
        && !path.contains("://")
        && !path.to_ascii_lowercase().starts_with("file:")
}

/// Returns the paths that a text may mean.
fn readings(text: &str, places: &Places) -> Vec<String> {
    let mut all: Vec<String> = Vec::with_capacity(2);
    let mut add = |path: String| {
        let path = with_plain_parts(&path);
        let path = without_process_root(&path).unwrap_or(path);
        if let Some(at_home) = places.with_home(&path) {
            all.push(at_home);
        }
        all.push(path);
    };
    for reading in spelling::readings(text) {
        let mut path = reading.replace('\\', "/");
        if let Some(rest) = path.strip_prefix("file:") {
            // `file:///etc`, `file:/etc` and `file://localhost/etc`.
            let rest = rest.strip_prefix("//localhost").or_else(|| rest.strip_prefix("//")).unwrap_or(rest);
            path = String::from(rest);
        }
        for home in ["$home", "${home}", "%userprofile%"] {
            if let Some(rest) = path.strip_prefix(home) {
                path = format!("~{rest}");
            }
        }
        // A drive letter: `C:/Users`.
        if let Some(rest) = path.get(1..).and_then(|rest| rest.strip_prefix(":/")) {
            add(format!("/{rest}"));
        }
        add(path);
    }
    all
}

/// Removes dots and spaces at the ends of names, which some systems ignore, and the names of streams.
fn with_plain_parts(path: &str) -> String {
    if !path.contains(['.', ' ', ':', '\0']) {
        return path.to_owned();
    }
    let path = path.split('\0').next().unwrap_or_default();
    let part = |part: &str| {
        let part = part.split("::").next().unwrap_or_default();
        if part.trim_matches('.').is_empty() { part.to_owned() } else { part.trim_end_matches(['.', ' ']).to_owned() }
    };
    path.split('/').map(part).collect::<Vec<_>>().join("/")
}

/// Returns the path below `/proc/self/root` and the like, which is the root of the file system.
fn without_process_root(path: &str) -> Option<String> {
    let rest = path.strip_prefix("/proc/")?;
    let (_, rest) = rest.split_once("/root")?;
    (rest.is_empty() || rest.starts_with('/')).then(|| format!("/{}", rest.trim_start_matches('/')))
}
