//! Names that no tool may use inside a root.

use exo_rails_policy::ConfigError;
use std::sync::OnceLock;

use exo_rails_policy::paths::DEFAULT_DENIED;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::characters::comparable;

/// The list of denied names.
#[derive(Debug)]
pub(super) struct Denied {
    names: Vec<String>,
    /// Names of a configuration are compiled at once, so that a mistake in one is an error. The default names are compiled at the
    /// first path.
    sets: OnceLock<Option<Sets>>,
    case_sensitive: bool,
}

/// The compiled names.
#[derive(Debug)]
struct Sets {
    /// For each name, two globs: the name, and everything in it.
    globs: GlobSet,
    /// Directories that contain a denied name, such as `.git` for `.git/config`. They must not be renamed.
    parents: GlobSet,
}

impl Denied {
    pub(super) fn new(names: &[String], case_sensitive: bool) -> Result<Self, ConfigError> {
        let sets = OnceLock::new();
        if names != DEFAULT_DENIED {
            let _ = sets.set(Some(Sets::new(names, case_sensitive)?));
        }
        Ok(Self { names: names.to_vec(), sets, case_sensitive })
    }

    /// Returns the compiled names. The tests compile the default names, so there is always a result.
    fn sets(&self) -> Option<&Sets> {
        self.sets.get_or_init(|| Sets::new(&self.names, self.case_sensitive).ok()).as_ref()
    }

    /// Returns the denied name that a path inside a root has.
    pub(super) fn find(&self, path: &str) -> Option<&str> {
        let first = match self.sets() {
            Some(sets) => sets.globs.matches(comparable(path, self.case_sensitive)).into_iter().next()?,
            // Without the names, every path is denied.
            None => 0,
        };
        self.names.get(first / 2).map(String::as_str)
    }

    /// Tells whether a denied name is inside this directory because of the directory's own name.
    pub(super) fn is_parent(&self, path: &str) -> bool {
        self.sets().is_none_or(|sets| sets.parents.is_match(comparable(path, self.case_sensitive)))
    }
}

impl Sets {
    fn new(names: &[String], case_sensitive: bool) -> Result<Self, ConfigError> {
        let (mut globs, mut parents) = (GlobSetBuilder::new(), GlobSetBuilder::new());
        for (index, name) in names.iter().enumerate() {
            let mut add = |to_parents: bool, text: &str| {
                let folded = if case_sensitive { text.to_owned() } else { text.to_lowercase() };
                let glob = GlobBuilder::new(&folded).literal_separator(true).build().map_err(|error| {
                    ConfigError::new(format!("`{name}` is not a glob: {}", error.kind()))
                        .in_key(format!("denied[{index}]"))
                })?;
                if to_parents { &mut parents } else { &mut globs }.add(glob);
                Ok::<(), ConfigError>(())
            };
            let trimmed = name.trim_end_matches('/');
            let anchored = match trimmed.strip_prefix('/') {
                Some(rest) => rest.to_owned(),
                None => format!("**/{trimmed}"),
            };
            if trimmed.trim_matches(['*', '/']).is_empty() {
                let message = format!("`{name}` denies everything: write the names that no tool may use");
                return Err(ConfigError::new(message).in_key(format!("denied[{index}]")));
            }
            add(false, &anchored)?;
            add(false, &format!("{anchored}/**"))?;
            let parents = anchored.match_indices('/').map(|(at, _)| &anchored[..at]);
            parents.filter(|parent| !parent.ends_with("**")).try_for_each(|parent| add(true, parent))?;
        }
        let built = |builder: GlobSetBuilder| {
            builder.build().map_err(|error| ConfigError::new(error.kind().to_string()).in_key("denied"))
        };
        Ok(Self { globs: built(globs)?, parents: built(parents)? })
    }
}
