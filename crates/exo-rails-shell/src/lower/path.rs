//! Paths as places: what a path of a command means for the machine, as far as its text shows. Nothing is looked up.

use crate::effect::EffectPlace;
use crate::pattern::glob_plain;
use crate::word::mark;

/// The directory in which a command runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Directory {
    /// A directory of the project, as a path from its root without `/` at the ends.
    Project(String),
    /// A path that begins with `/` or `~`.
    At(String),
    /// A directory that the project is in, or beside.
    Outside,
    Unknown,
}

/// A path without `.`, `..` and double `/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Path {
    /// From the root of the project.
    Project(String),
    /// From the root, or from the home directory with `~` in front.
    Absolute(String),
    Temp(String),
    /// A path that leaves the project.
    Outside,
    Unknown,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    /// The working directory without the last `/`.
    pub(super) project: Option<String>,
    pub(super) home: Option<String>,
    /// Directories of temporary files, beside the shipped ones.
    pub(super) temp: Vec<String>,
    /// Names and patterns of directories that tools write again, beside the shipped ones.
    pub(super) build: Vec<String>,
}

/// Directories of temporary files, also those of macOS.
const TEMPORARY: [&str; 7] =
    ["/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp", "/var/folders", "/private/var/folders", "/dev/shm"];

/// Names of directories that tools write and can write again.
const BUILD: [&str; 47] = [
    "target",
    "node_modules",
    "dist",
    "build",
    "out",
    ".next",
    ".venv",
    "venv",
    "__pycache__",
    ".pytest_cache",
    "coverage",
    ".cache",
    ".tox",
    ".mypy_cache",
    ".ruff_cache",
    ".gradle",
    "bin",
    "obj",
    "htmlcov",
    ".coverage",
    ".nyc_output",
    ".turbo",
    ".nuxt",
    ".output",
    ".svelte-kit",
    ".parcel-cache",
    ".vite",
    ".angular",
    ".expo",
    ".terraform",
    ".dart_tool",
    ".eggs",
    ".nox",
    ".hypothesis",
    ".ipynb_checkpoints",
    ".bundle",
    ".build",
    "_build",
    "builddir",
    "DerivedData",
    "test-results",
    "playwright-report",
    "storybook-static",
    "tmp",
    ".tmp",
    "temp",
    "logs",
];

/// Patterns of such names.
const BUILD_PATTERNS: [&str; 4] = ["*.egg-info", "*.egg", "cmake-build-*", "build-*"];

const SYSTEM: [&str; 25] = [
    "Applications",
    "Library",
    "System",
    "Volumes",
    "Windows",
    "bin",
    "boot",
    "dev",
    "etc",
    "lib",
    "lib32",
    "lib64",
    "media",
    "mnt",
    "nix",
    "opt",
    "private",
    "proc",
    "run",
    "sbin",
    "srv",
    "sys",
    "tmp",
    "usr",
    "var",
];

impl Places {
    /// Reads a path of a command that runs in a directory.
    pub(super) fn path(&self, value: &str, directory: &Directory) -> Path {
        let mut chars = value.chars();
        let (base, rest) = match chars.next() {
            Some('/') => (Path::Absolute(String::new()), value),
            Some(mark::HOME) => (Path::Absolute("~".to_owned()), chars.as_str()),
            Some(mark::TEMP) => (Path::Temp(String::new()), chars.as_str()),
            Some(first) => {
                let rest = if first == mark::PWD { chars.as_str() } else { value };
                match directory {
                    Directory::Project(path) => (Path::Project(path.clone()), rest),
                    Directory::At(path) => (Path::Absolute(path.clone()), rest),
                    Directory::Outside => return Path::Outside,
                    Directory::Unknown => return Path::Unknown,
                }
            }
            None => return Path::Unknown,
        };
        // `~name` and `$HOMEx` are other paths.
        if matches!(value.chars().next(), Some(mark::HOME | mark::PWD | mark::TEMP))
            && !(rest.is_empty() || rest.starts_with('/'))
        {
            return Path::Unknown;
        }
        let (mut kind, text): (u8, String) = match base {
            Path::Project(text) => (0, text),
            Path::Temp(text) => (1, text),
            Path::Absolute(text) => (2, text),
            other => return other,
        };
        let mut parts: Vec<&str> = text.split('/').filter(|part| !part.is_empty()).collect();
        let home = parts.first() == Some(&"~");
        let words: Vec<&str> = rest.split('/').collect();
        let mut escapes = false;
        for (place, part) in words.iter().copied().enumerate() {
            let is_last = || !words[place + 1..].contains(&"..");
            match part {
                "" | "." => {}
                ".." => {
                    if home && parts.len() == 1 {
                        // The directory of all homes.
                        parts[0] = "home";
                    } else if parts.pop().is_none() && kind != 2 {
                        // Above the project, if it is known where that is.
                        let Some(project) = self.project.as_deref().filter(|_| kind == 0) else { return Path::Outside };
                        kind = 2;
                        escapes = true;
                        parts = project.split('/').filter(|part| !part.is_empty()).collect();
                        parts.pop();
                    }
                }
                // A name that is not known, behind a known directory, is taken for one in that directory.
                part if part.contains([mark::UNKNOWN, mark::SPLITS]) && is_last() && is_known(&parts, kind) => {
                    parts.push(part);
                    break;
                }
                part if part.contains([mark::UNKNOWN, mark::SPLITS, mark::HOME, mark::PWD, mark::TEMP]) => {
                    return Path::Unknown;
                }
                // A pattern of names with a dot finds `..` in old shells.
                part if part.starts_with('.')
                    && part.contains([mark::STAR, mark::ANY])
                    && part.len() <= 2 + mark::STAR.len_utf8() =>
                {
                    parts.push(part);
                }
                part => parts.push(part),
            }
        }
        let joined = parts.join("/");
        match kind {
            0 => Path::Project(joined),
            1 => Path::Temp(joined),
            _ if joined.starts_with('~') => self.absolute(joined),
            _ => match self.absolute(format!("/{joined}")) {
                // A project in a temporary directory has neighbours that are not temporary for it.
                Path::Temp(_) if escapes => Path::Outside,
                path => path,
            },
        }
    }

    /// Finds the project, the home directory and temporary directories in an absolute path.
    fn absolute(&self, path: String) -> Path {
        let below = |base: &str, path: &str| -> Option<String> {
            let rest = path.strip_prefix(base)?;
            (rest.is_empty() || rest.starts_with('/')).then(|| rest.trim_start_matches('/').to_owned())
        };
        if let Some(rest) = self.project.as_deref().and_then(|project| below(project, &path)) {
            return Path::Project(rest);
        }
        if let Some(home) = &self.home {
            if let (Some(rest), Some(project)) = (path.strip_prefix('~'), &self.project)
                && let Some(rest) = below(project, &format!("{home}{rest}"))
            {
                return Path::Project(rest);
            }
            if let Some(rest) = below(home, &path) {
                return Path::Absolute(if rest.is_empty() { "~".to_owned() } else { format!("~/{rest}") });
            }
        }
        for temp in self.temporary() {
            if let Some(rest) = below(temp, &path).filter(|rest| !rest.is_empty()) {
                return Path::Temp(rest);
            }
        }
        Path::Absolute(path)
    }

    /// Returns the directories of temporary files.
    pub(super) fn temporary(&self) -> impl Iterator<Item = &str> {
        TEMPORARY.into_iter().chain(self.temp.iter().map(String::as_str))
    }

    fn is_build(&self, name: &str) -> bool {
        let mut patterns = BUILD_PATTERNS.into_iter().chain(self.build.iter().map(String::as_str));
        BUILD.contains(&name) || patterns.any(|pattern| glob_plain(pattern, name))
    }

    /// Returns the place of a path.
    pub(super) fn place(&self, path: &Path) -> EffectPlace {
        match path {
            Path::Unknown => EffectPlace::Unknown,
            Path::Outside => EffectPlace::Elsewhere,
            Path::Temp(rest) => {
                if rest.is_empty() {
                    EffectPlace::System
                } else {
                    EffectPlace::Temporary
                }
            }
            Path::Project(rest) => self.in_project(rest),
            Path::Absolute(path) => Self::on_machine(path),
        }
    }

    fn in_project(&self, rest: &str) -> EffectPlace {
        if is_everything(rest) {
            return EffectPlace::WholeProject;
        }
        let mut parts = rest.split('/');
        if parts.clone().any(|part| part == ".git") {
            return EffectPlace::History;
        }
        if parts.any(|part| self.is_build(part)) {
            return EffectPlace::Build;
        }
        EffectPlace::Project
    }

    fn on_machine(path: &str) -> EffectPlace {
        if let Some(rest) = path.strip_prefix('~') {
            return if is_everything(rest.trim_start_matches('/')) { EffectPlace::Home } else { EffectPlace::InHome };
        }
        let rest = path.trim_start_matches('/');
        if is_everything(rest) {
            return EffectPlace::Root;
        }
        let mut parts = rest.split('/');
        let first = parts.next().unwrap_or_default();
        let below: Vec<&str> = parts.collect();
        match first {
            "home" | "Users" => match below.as_slice() {
                [] => EffectPlace::Root,
                [name] if name.contains([mark::STAR, mark::ANY, mark::CLASS]) => EffectPlace::Root,
                [_] => EffectPlace::Home,
                [_, rest] if is_everything(rest) => EffectPlace::Home,
                _ => EffectPlace::InHome,
            },
            "root" => {
                if below.is_empty() || is_everything(&below.join("/")) {
                    EffectPlace::Home
                } else {
                    EffectPlace::InHome
                }
            }
            "dev" => match below.as_slice() {
                ["null" | "stdin" | "stdout" | "stderr" | "tty" | "zero" | "random" | "urandom" | "full"]
                | ["fd", _] => EffectPlace::Null,
                ["shm", _, ..] => EffectPlace::Temporary,
                [] => EffectPlace::Root,
                _ => EffectPlace::Device,
            },
            first if below.is_empty() && SYSTEM.contains(&first) => EffectPlace::Root,
            first if below.is_empty() && first.contains([mark::STAR, mark::ANY, mark::CLASS]) => EffectPlace::Root,
            _ if SYSTEM.contains(&first) || first.contains([mark::STAR, mark::ANY, mark::CLASS]) => EffectPlace::System,
            _ => EffectPlace::Elsewhere,
        }
    }
}

/// Returns whether the first parts of a path say where it is: some directory of the project, or one that is not the root or a home.
fn is_known(parts: &[&str], kind: u8) -> bool {
    match kind {
        0 => !parts.is_empty(),
        1 => true,
        _ => !matches!(parts, [] | ["~" | "home" | "Users"] | ["home" | "Users", _]),
    }
}

/// Returns whether a path from a directory means the directory itself, or all that is in it.
fn is_everything(rest: &str) -> bool {
    let free = |c: char| matches!(c, mark::STAR | mark::ANY);
    let any = |part: &str| part.contains(free) && part.trim_start_matches('.').chars().all(free);
    rest.is_empty() || rest.split('/').all(any)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places() -> Places {
        Places { project: Some("/home/dev/app".to_owned()), home: Some("/home/dev".to_owned()), ..Places::default() }
    }

    #[test]
    fn the_neighbours_of_a_temporary_project_are_not_temporary() {
        let places = Places { project: Some("/tmp/x/app".to_owned()), ..places() };
        let place = |path: &str| places.place(&places.path(path, &Directory::Project(String::new())));
        assert_eq!(place("../private"), EffectPlace::Elsewhere);
        assert_eq!(place("../app/src"), EffectPlace::Project);
        assert_eq!(place("/tmp/y"), EffectPlace::Temporary);
    }

    #[test]
    fn each_path_belongs_to_its_place() {
        let star = mark::STAR;
        let table = [
            ("src/main.rs", EffectPlace::Project),
            ("./src/../Cargo.toml", EffectPlace::Project),
            (".", EffectPlace::WholeProject),
            ("./", EffectPlace::WholeProject),
            ("src/..", EffectPlace::WholeProject),
            ("../other", EffectPlace::InHome),
            ("src/../../x", EffectPlace::InHome),
            ("../app/src", EffectPlace::Project),
            ("../../../etc/hosts", EffectPlace::System),
            ("target", EffectPlace::Build),
            ("./target/debug", EffectPlace::Build),
            ("web/node_modules/x", EffectPlace::Build),
            (".git/hooks/pre-commit", EffectPlace::History),
            ("sub/.git", EffectPlace::History),
            ("/home/dev/app", EffectPlace::WholeProject),
            ("/home/dev/app/src", EffectPlace::Project),
            ("/home/dev/application", EffectPlace::InHome),
            ("/home/dev", EffectPlace::Home),
            ("/home/dev/", EffectPlace::Home),
            ("/home/other", EffectPlace::Home),
            ("/home", EffectPlace::Root),
            ("/root", EffectPlace::Home),
            ("/root/.ssh", EffectPlace::InHome),
            ("/", EffectPlace::Root),
            ("//", EffectPlace::Root),
            ("/.", EffectPlace::Root),
            ("/tmp/..", EffectPlace::Root),
            ("/tmp/../etc/passwd", EffectPlace::System),
            ("/etc", EffectPlace::Root),
            ("/etc/passwd", EffectPlace::System),
            ("/tmp", EffectPlace::Root),
            ("/tmp/x", EffectPlace::Temporary),
            ("/var/tmp/x", EffectPlace::Temporary),
            ("/var/log", EffectPlace::System),
            ("/dev/null", EffectPlace::Null),
            ("/dev/sda", EffectPlace::Device),
            ("/dev/fd/3", EffectPlace::Null),
            ("/data", EffectPlace::Elsewhere),
            ("/data/x", EffectPlace::Elsewhere),
        ];
        for (path, expected) in table {
            let places = places();
            let read = places.path(path, &Directory::Project(String::new()));
            assert_eq!(places.place(&read), expected, "{path}");
        }
        let table = [
            (format!("{star}"), EffectPlace::WholeProject),
            (format!("./{star}"), EffectPlace::WholeProject),
            (format!(".{star}"), EffectPlace::WholeProject),
            (format!("src/{star}.o"), EffectPlace::Project),
            (format!("{star}.o"), EffectPlace::Project),
            (format!("/{star}"), EffectPlace::Root),
            (format!("/tmp/{star}"), EffectPlace::Temporary),
            (format!("{}", mark::HOME), EffectPlace::Home),
            (format!("{}/", mark::HOME), EffectPlace::Home),
            (format!("{}/{star}", mark::HOME), EffectPlace::Home),
            (format!("{}/app/src", mark::HOME), EffectPlace::Project),
            (format!("{}/x", mark::HOME), EffectPlace::InHome),
            (format!("{}/..", mark::HOME), EffectPlace::Root),
            (format!("{}/x", mark::UNKNOWN), EffectPlace::Unknown),
            (format!("src/{}", mark::UNKNOWN), EffectPlace::Project),
            (format!("src/{}/../../etc", mark::UNKNOWN), EffectPlace::Unknown),
            (format!("/{}", mark::UNKNOWN), EffectPlace::Unknown),
            (format!("{}/{}", mark::HOME, mark::UNKNOWN), EffectPlace::Unknown),
            (format!("{}/x/{}", mark::HOME, mark::UNKNOWN), EffectPlace::InHome),
            (format!("/etc/x/{}", mark::UNKNOWN), EffectPlace::System),
        ];
        for (path, expected) in table {
            let places = places();
            let read = places.path(&path, &Directory::Project(String::new()));
            assert_eq!(places.place(&read), expected, "{path}");
        }
    }
}
