//! Finds the name under which a package depends on the library, such as `rails` for `rails = { package = "exo-rails" }`.
//!
//! A macro has no other way to find this name. The module reads the lines of `Cargo.toml` that declare dependencies. For a
//! manifest with an unusual form, it returns the usual name, and the user writes `crate = path`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::{env, fs};

const USUAL_NAME: &str = "exo_rails";

/// Returns the name of the library in the package that is compiled, or the usual name.
pub(crate) fn library_name() -> &'static str {
    found().unwrap_or(USUAL_NAME)
}

/// Returns whether the manifest of the package surely declares no dependency on the library.
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

/// Returns the name of the library in the package of this folder. If the manifest may belong to another package, or declares
/// its dependencies in an unusual form, this is the usual name.
fn name_in(folder: &Path) -> Option<String> {
    let usual = || Some(USUAL_NAME.to_owned());
    let Ok(manifest) = fs::read_to_string(folder.join("Cargo.toml")) else { return usual() };
    let own = dependencies(&manifest);
    if own.iter().any(|dependency| dependency.name == USUAL_NAME) {
        return usual();
    }
    let inherited = |name: &str| {
        let manifests =
            folder.ancestors().skip(1).filter_map(|folder| fs::read_to_string(folder.join("Cargo.toml")).ok());
        manifests.flat_map(|text| dependencies(&text)).any(|other| other.name == name && other.is_library)
    };
    let found = own
        .into_iter()
        .find(|dependency| dependency.is_library || dependency.is_inherited && inherited(&dependency.name));
    let is_own = env::var_os("CARGO_MANIFEST_PATH").is_none_or(|path| Path::new(&path) == folder.join("Cargo.toml"));
    let package = env::var("CARGO_PKG_NAME").ok().filter(|_| is_own);
    match found {
        Some(dependency) => Some(dependency.name),
        None if package.is_some_and(|package| is_readable(&manifest, &package)) => None,
        None => usual(),
    }
}

/// Returns whether a manifest is that of the package, and declares its dependencies in a form that this module reads.
fn is_readable(manifest: &str, package: &str) -> bool {
    let mut lines = manifest.lines().map(str::trim);
    let has_root_keys = lines.clone().take_while(|line| !line.starts_with('[')).any(|line| line.contains('='));
    let table =
        lines.by_ref().skip_while(|line| *line != "[package]").skip(1).take_while(|line| !line.starts_with('['));
    let name = table.filter_map(|line| line.split_once('=')).find(|(key, _)| key.trim() == "name");
    let is_the_package = name.is_some_and(|(_, value)| value.trim().trim_matches(['"', '\'']) == package);
    // The packages of the library itself have no dependency on it.
    let is_the_library = package == "exo-rails" || package == "exo-rails-macros";
    is_the_package && !is_the_library && !has_root_keys
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
    fn only_a_readable_manifest_of_the_package_shows_that_the_library_is_missing() {
        let cases = [
            ("[package]\nname = \"demo\"\n[dependencies]\nserde = \"1\"", "demo", true),
            ("[package]\nversion = \"0.1.0\"\nname = 'demo' \n", "demo", true),
            // Bazel compiles another package in a folder with a manifest.
            ("[package]\nname = \"demo\"", "other", false),
            ("[workspace]\nmembers = [\"demo\"]", "demo", false),
            ("dependencies.rails.package = \"exo-rails\"\n[package]\nname = \"demo\"", "demo", false),
            ("[package]\nname = \"exo-rails\"", "exo-rails", false),
        ];
        for (manifest, package, is_readable) in cases {
            assert_eq!(super::is_readable(manifest, package), is_readable, "{manifest}");
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
