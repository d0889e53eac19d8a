//! The decision on a path: which root it is in, and what it is there.

use std::path::{Component, Path, PathBuf};
use std::{fs, io};

use cap_fs_ext::MetadataExt as _;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata};
use exo_rails_policy::ConfigError;

use super::denied::Denied;
use super::reading::readings;
use super::root::Root;
use super::{PathRefusal, PathRule, PathSandboxConfig, Rights};

/// The roots and the rules, ready to use.
#[derive(Debug)]
pub(super) struct Sandbox {
    pub(super) roots: Vec<Root>,
    pub(super) config: PathSandboxConfig,
    base: PathBuf,
    denied: Denied,
}

/// A path that is allowed: its root, and its way from there without links.
#[derive(Debug)]
pub(super) struct Located<'s> {
    pub(super) root: &'s Root,
    /// The names from the root. Empty for the root itself.
    pub(super) path: PathBuf,
}

/// What happens to the last name of a path if it is a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LastLink {
    /// The path means the target.
    Follow,
    /// The path means the link. Deleting and renaming work like that.
    Keep,
}

impl Sandbox {
    pub(super) fn new(config: PathSandboxConfig) -> Result<Self, ConfigError> {
        if config.roots.is_empty() {
            return Err(ConfigError::new("write at least one root, with its `name` and `path`").in_key("roots"));
        }
        let mut roots: Vec<Root> = Vec::new();
        for (index, root) in config.roots.iter().enumerate() {
            let key = |name: &str| format!("roots[{index}].{name}");
            if root.name.is_empty() || roots.iter().any(|other| other.name == root.name) {
                return Err(ConfigError::new("each root needs a different name").in_key(key("name")));
            }
            let failed = |error: io::Error| {
                let message = format!("the directory `{}` cannot be opened: {error}", root.path.display());
                ConfigError::new(message).in_key(key("path"))
            };
            let path = fs::canonicalize(&root.path).map_err(failed)?;
            let dir = Dir::open_ambient_dir(&path, ambient_authority()).map_err(failed)?;
            roots.push(Root { name: root.name.clone(), path, rights: root.rights, dir });
        }
        let base = config.base.as_ref().unwrap_or(&config.roots[0].path);
        let base = fs::canonicalize(base).map_err(|error| {
            ConfigError::new(format!("the directory `{}` cannot be opened: {error}", base.display())).in_key("base")
        })?;
        if !roots.iter().any(|root| base.starts_with(&root.path)) {
            return Err(
                ConfigError::new("the base must be in a root: add a root, or write a directory in one").in_key("base")
            );
        }
        let denied = Denied::new(&config.denied, config.case_sensitive)?;
        Ok(Self { roots, config, base, denied })
    }

    /// Checks a path in all its readings, and returns where the path itself leads.
    pub(super) fn locate(&self, text: &str, needs: Rights, last: LastLink) -> Result<Located<'_>, PathRefusal> {
        let readings = readings(text, self.config.names).map_err(PathRefusal::new)?;
        let decoded = readings.iter().skip(1).map(|reading| normalized(&self.base.join(as_path(reading))));
        let path = self.base.join(as_path(text));
        let located = self.locate_one(&path, needs, last)?;
        // Some tools resolve `..` in the text, and others let the system resolve it after the links.
        let written = normalized(&path);
        for other in decoded.chain((written != path).then_some(written)) {
            self.locate_one(&other, needs, last).map_err(PathRefusal::decoded)?;
        }
        Ok(located)
    }

    fn locate_one(&self, path: &Path, needs: Rights, last: LastLink) -> Result<Located<'_>, PathRefusal> {
        // The names in the text count as well as the names behind links.
        if let Some(located) = self.root_of(path) {
            check_system(path, &located)?;
            self.check_names(&located, needs)?;
        }
        let real = resolved(path, last).map_err(PathRefusal::new)?;
        let outside = || PathRefusal::new(PathRule::Outside).with_roots(&self.roots);
        let located = self.root_of(&real.path).ok_or_else(outside)?;
        check_system(&real.path, &located)?;
        let has_links = real.path != normalized(path);
        if has_links && leads_through_system(path) && !is_system(&located.root.path) {
            return Err(PathRefusal::new(PathRule::SystemFile).in_root(located.root));
        }
        self.check_names(&located, needs)?;
        if let Some(metadata) = &real.metadata {
            self.check_kind(metadata, last).map_err(|rule| PathRefusal::new(rule).in_root(located.root))?;
        }
        let required = required(needs, real.metadata.is_some());
        if !located.root.rights.contains(required) {
            let missing = required.without(located.root.rights);
            return Err(PathRefusal::new(PathRule::Rights).in_root(located.root).missing(missing));
        }
        Ok(located)
    }

    /// Returns the innermost root that has a path, and the way from there.
    fn root_of(&self, path: &Path) -> Option<Located<'_>> {
        let roots = self.roots.iter().filter_map(|root| Some((root, path.strip_prefix(&root.path).ok()?)));
        let (root, path) = roots.min_by_key(|(_, path)| path.components().count())?;
        Some(Located { root, path: path.to_owned() })
    }

    fn check_names(&self, located: &Located<'_>, needs: Rights) -> Result<(), PathRefusal> {
        let refuse = |rule| Err(PathRefusal::new(rule).in_root(located.root));
        let Some(path) = located.path.to_str() else { return refuse(PathRule::Unresolvable) };
        let path = path.replace('\\', "/");
        if let Some(name) = self.denied.find(&path) {
            return Err(PathRefusal::new(PathRule::DeniedName).in_root(located.root).with_name(name));
        }
        if needs.contains(Rights::DELETE) && located.path.as_os_str().is_empty() {
            return refuse(PathRule::RootItself);
        }
        if needs.contains(Rights::DELETE) && self.denied.is_parent(&path) {
            return refuse(PathRule::DeniedName);
        }
        Ok(())
    }

    /// Checks that a file is an ordinary file, a directory, or a link that is only deleted or renamed.
    pub(super) fn check_kind(&self, metadata: &Metadata, last: LastLink) -> Result<(), PathRule> {
        let kind = metadata.file_type();
        if kind.is_symlink() && last == LastLink::Keep || kind.is_dir() {
            return Ok(());
        }
        if !kind.is_file() {
            return Err(PathRule::SpecialFile);
        }
        if self.config.refuse_hard_links && metadata.nlink() > 1 {
            return Err(PathRule::HardLink);
        }
        Ok(())
    }

    /// Tells whether a name inside a directory of a root is denied.
    pub(super) fn denies(&self, path: &Path) -> bool {
        path.to_str().is_none_or(|path| self.denied.find(&path.replace('\\', "/")).is_some())
    }
}

/// The file systems of the kernel. Their files have effects and links that a sandbox cannot check.
const SYSTEM: [&str; 3] = ["/proc", "/sys", "/dev"];

fn is_system(path: &Path) -> bool {
    SYSTEM.iter().any(|system| path.starts_with(system))
}

/// Tells whether a path follows a link of the kernel, such as `/proc/self/cwd`. Its target is different for each process, so
/// the tool may open another file than the guard sees.
fn leads_through_system(path: &Path) -> bool {
    let mut path = path.to_owned();
    // The system itself follows at most 40 links.
    for _ in 0..40 {
        let mut prefixes: Vec<&Path> = path.ancestors().collect();
        prefixes.reverse();
        let Some((link, target)) = prefixes.iter().find_map(|prefix| Some((*prefix, fs::read_link(prefix).ok()?)))
        else {
            return false;
        };
        // The names before the first link have no links, so `..` in them means what it says.
        if is_system(&normalized(link)) {
            return true;
        }
        let rest = path.strip_prefix(link).unwrap_or(Path::new(""));
        path = link.parent().unwrap_or(link).join(target).join(rest);
    }
    true
}

fn check_system(path: &Path, located: &Located<'_>) -> Result<(), PathRefusal> {
    if is_system(path) && !is_system(&located.root.path) {
        return Err(PathRefusal::new(PathRule::SystemFile).in_root(located.root));
    }
    Ok(())
}

/// Returns the rights that a tool needs for a file that exists, or for one that does not exist yet.
fn required(needs: Rights, exists: bool) -> Rights {
    match exists {
        true if needs != Rights::CREATE => needs.without(Rights::CREATE),
        false if needs.contains(Rights::CREATE) => Rights::CREATE,
        _ => needs,
    }
}

/// Returns a text as a path. Repeated slashes and `.` disappear.
fn as_path(text: &str) -> PathBuf {
    Path::new(text).components().collect()
}

/// Resolves `..` in the text of a path.
fn normalized(path: &Path) -> PathBuf {
    let mut normalized = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(normalized.pop()),
            Component::CurDir => {}
            component => normalized.push(component),
        }
    }
    normalized
}

/// A path without links.
struct Resolved {
    path: PathBuf,
    /// `None` if the file does not exist.
    metadata: Option<Metadata>,
}

/// Resolves the links in a path. Names at the end may be new.
fn resolved(path: &Path, last: LastLink) -> Result<Resolved, PathRule> {
    let (parent, name) = match (last, path.parent(), path.file_name()) {
        (LastLink::Keep, Some(parent), Some(name)) => (parent, Some(name)),
        _ => (path, None),
    };
    let mut resolved = resolved_parent(parent)?;
    resolved.extend(name);
    match fs::symlink_metadata(&resolved) {
        Ok(metadata) => Ok(Resolved { path: resolved, metadata: Some(Metadata::from_just_metadata(metadata)) }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Resolved { path: resolved, metadata: None }),
        Err(_) => Err(PathRule::Unresolvable),
    }
}

fn resolved_parent(path: &Path) -> Result<PathBuf, PathRule> {
    let mut new_names = Vec::new();
    let mut existing = path;
    loop {
        match fs::canonicalize(existing) {
            Ok(mut resolved) => {
                resolved.extend(new_names.iter().rev());
                return Ok(resolved);
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(PathRule::Unresolvable),
            Err(_) if fs::symlink_metadata(existing).is_ok() => return Err(PathRule::DanglingLink),
            Err(_) => {}
        }
        match existing.components().next_back() {
            Some(Component::Normal(name)) => new_names.push(name),
            Some(Component::ParentDir) => return Err(PathRule::MissingParent),
            _ => return Err(PathRule::Unresolvable),
        }
        existing = existing.parent().ok_or(PathRule::Unresolvable)?;
    }
}
