//! Finds the name under which a package depends on the library, such as `rails` for `rails = { package = "exo-rails" }`.
//!
//! A macro has no other way to find this name. The module reads only the lines of `Cargo.toml` that declare dependencies.
//! For a manifest with an unusual form, it returns the usual name, and the user writes `crate = path`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::{env, fs};

const USUAL_NAME: &str = "exo_rails";

/// Returns the name of the library in the package that is compiled, or the usual name.
pub(crate) fn library_name() -> &'static str {
    found().unwrap_or(USUAL_NAME)
}

/// Returns whether the manifest of the package declares no dependency on the library.
pub(crate) fn is_missing() -> bool {
    found().is_none()
}

/// Returns the name of the library in the package that is compiled, if its manifest declares the library. Reads the manifest
/// once.
fn found() -> Option<&'static str> {
    static KNOWN: Mutex<Option<HashMap<PathBuf, Option<&'static str>>>> = Mutex::new(None);
    let Some(folder) = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from) else { return Some(USUAL_NAME) };
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let name = |folder: &PathBuf| name_in(folder).map(|name| &*name.leak());
    *known.get_or_insert_default().entry(folder).or_insert_with_key(name)
}

/// Returns the name of the library in the package of this folder. For a package without a manifest that can be read, and for
/// a package of the library itself, this is the usual name.
fn name_in(folder: &Path) -> Option<String> {
    let Ok(manifest) = fs::read_to_string(folder.join("Cargo.toml")) else { return Some(USUAL_NAME.to_owned()) };
    let own = dependencies(&manifest);
    let is_own = manifest.lines().any(|line| line.replace([' ', '"'], "").starts_with("name=exo-rails"));
    if is_own || own.iter().any(|dependency| dependency.name == USUAL_NAME) {
        return Some(USUAL_NAME.to_owned());
    }
    let inherited = |name: &str| {
        let manifests =
            folder.ancestors().skip(1).filter_map(|folder| fs::read_to_string(folder.join("Cargo.toml")).ok());
        manifests.flat_map(|text| dependencies(&text)).any(|other| other.name == name && other.is_library)
    };
    let found = own
        .into_iter()
        .find(|dependency| dependency.is_library || dependency.is_inherited && inherited(&dependency.name));
    found.map(|dependency| dependency.name)
}

/// A dependency in a manifest.
#[derive(Debug, PartialEq, Eq)]
struct Dependency {
    /// The name in code, such as `exo_rails`.
    name: String,
    /// Whether the dependency names the package of the library.
    is_library: bool,
    /// Whether the manifest of the workspace declares the dependency.
    is_inherited: bool,
}

fn dependencies(manifest: &str) -> Vec<Dependency> {
    let mut found: Vec<Dependency> = Vec::new();
    let mut table = "";
    for line in manifest.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[').and_then(|line| line.split(']').next()) {
            table = header.trim();
            continue;
        }
        let Some((key, value)) = line.split_once('=').filter(|_| !line.starts_with('#')) else { continue };
        // `[dependencies.rails]` is a table of one dependency. `rails.package` is in the table of all dependencies.
        let (name, option) = match (table.rsplit_once("dependencies"), key.trim().split_once('.')) {
            (Some((_, "")), None) => (key.trim(), None),
            (Some((_, "")), Some((name, option))) => (name, Some(option)),
            (Some((_, name)), _) => (name.trim_start_matches('.'), Some(key.trim())),
            (None, _) => continue,
        };
        let has = |option_name: &str, wanted: &str| {
            let is_wanted = |text: &str| text.trim_start().trim_start_matches('=').trim_start().starts_with(wanted);
            match option {
                Some(option) => option == option_name && is_wanted(value),
                None => value.split_once(option_name).is_some_and(|(_, value)| is_wanted(value)),
            }
        };
        let dependency = Dependency {
            name: name.trim_matches(['"', '\'']).replace('-', "_"),
            is_library: has("package", "\"exo-rails\"") || has("package", "'exo-rails'"),
            is_inherited: has("workspace", "true"),
        };
        match found.iter_mut().find(|other| other.name == dependency.name) {
            Some(other) => {
                other.is_library |= dependency.is_library;
                other.is_inherited |= dependency.is_inherited;
            }
            None => found.push(dependency),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the name of the dependency on the library.
    fn library(manifest: &str) -> Option<String> {
        dependencies(manifest).into_iter().find(|dependency| dependency.is_library).map(|dependency| dependency.name)
    }

    #[test]
    fn a_renamed_dependency_is_found_in_every_notation() {
        let manifests = [
            "[dependencies]\nrails = { path = \"../rails\", package = \"exo-rails\" }",
            "[dependencies]\n# exo = { package = \"exo-rails\" }\nrails={package='exo-rails'}",
            "[dev-dependencies]\nserde = \"1\"\n\"rails\" = { package = \"exo-rails\", version = \"0.1\" }",
            "[dependencies.rails]\nversion = \"0.1\"\npackage = \"exo-rails\"\n[features]\nexo = []",
            "[target.'cfg(unix)'.dependencies]\nrails.version = \"0.1\"\nrails.package = \"exo-rails\"",
            "[workspace.dependencies]\nrails = { package = \"exo-rails\" }",
        ];
        for manifest in manifests {
            assert_eq!(library(manifest).as_deref(), Some("rails"), "{manifest}");
        }
    }

    #[test]
    fn another_package_is_not_the_library() {
        let manifests = [
            "[package]\nname = \"exo-rails\"",
            "[dependencies]\nrails = { package = \"exo-rails-agent\" }",
            "[dependencies]\nrails = \"1\"\n[features]\npackage = \"exo-rails\"",
        ];
        for manifest in manifests {
            assert_eq!(library(manifest), None, "{manifest}");
        }
        let inherited = dependencies("[dependencies]\nrails.workspace = true\nserde = { workspace = true }");
        assert!(inherited.iter().all(|dependency| dependency.is_inherited && !dependency.is_library), "{inherited:?}");
    }
}
