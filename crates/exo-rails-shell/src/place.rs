//! Paths as places: what a path of a command means for the machine, as far as its text shows. Nothing is looked up.

use super::word::mark;

/// Where a path is. See [`ShellRule::operands`](super::ShellRule::operands).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Where {
    Inside,
    Build,
    Project,
    Git,
    Temp,
    Home,
    HomeFile,
    System,
    Root,
    Device,
    Null,
    Outside,
    /// It depends on something unknown.
    Unknown,
}

impl Where {
    pub(super) const NAMES: [(&'static str, Self); 12] = [
        ("@inside", Self::Inside),
        ("@build", Self::Build),
        ("@project", Self::Project),
        ("@git", Self::Git),
        ("@temp", Self::Temp),
        ("@home", Self::Home),
        ("@home-file", Self::HomeFile),
        ("@system", Self::System),
        ("@root", Self::Root),
        ("@device", Self::Device),
        ("@null", Self::Null),
        ("@outside", Self::Outside),
    ];
}

/// The directory in which a command runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Directory {
    /// A directory of the project, as a path from its root without `/` at the ends.
    Project(String),
    /// A path that begins with `/` or `~`.
    At(String),
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
    pub(super) temp: Vec<String>,
    pub(super) build: Vec<String>,
}

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
        let (kind, text) = match base {
            Path::Project(text) => (0, text),
            Path::Temp(text) => (1, text),
            Path::Absolute(text) => (2, text),
            other => return other,
        };
        let mut parts: Vec<&str> = text.split('/').filter(|part| !part.is_empty()).collect();
        let home = parts.first() == Some(&"~");
        for part in rest.split('/') {
            match part {
                "" | "." => {}
                ".." => {
                    if home && parts.len() == 1 {
                        // The directory of all homes.
                        parts[0] = "home";
                    } else if parts.pop().is_none() && kind != 2 {
                        return Path::Outside;
                    }
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
            _ => self.absolute(format!("/{joined}")),
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
        for temp in &self.temp {
            if let Some(rest) = below(temp, &path).filter(|rest| !rest.is_empty()) {
                return Path::Temp(rest);
            }
        }
        Path::Absolute(path)
    }

    /// Returns the place of a path.
    pub(super) fn place(&self, path: &Path) -> Where {
        match path {
            Path::Unknown => Where::Unknown,
            Path::Outside => Where::Outside,
            Path::Temp(rest) => {
                if rest.is_empty() {
                    Where::System
                } else {
                    Where::Temp
                }
            }
            Path::Project(rest) => self.in_project(rest),
            Path::Absolute(path) => Self::on_machine(path),
        }
    }

    fn in_project(&self, rest: &str) -> Where {
        if is_everything(rest) {
            return Where::Project;
        }
        let mut parts = rest.split('/');
        if parts.clone().any(|part| part == ".git") {
            return Where::Git;
        }
        if parts.any(|part| self.build.iter().any(|build| build == part)) {
            return Where::Build;
        }
        Where::Inside
    }

    fn on_machine(path: &str) -> Where {
        if let Some(rest) = path.strip_prefix('~') {
            return if is_everything(rest.trim_start_matches('/')) { Where::Home } else { Where::HomeFile };
        }
        let rest = path.trim_start_matches('/');
        if is_everything(rest) {
            return Where::Root;
        }
        let mut parts = rest.split('/');
        let first = parts.next().unwrap_or_default();
        let below: Vec<&str> = parts.collect();
        match first {
            "home" | "Users" => match below.as_slice() {
                [] => Where::Root,
                [name] if name.contains([mark::STAR, mark::ANY, mark::CLASS]) => Where::Root,
                [_] => Where::Home,
                [_, rest] if is_everything(rest) => Where::Home,
                _ => Where::HomeFile,
            },
            "root" => {
                if below.is_empty() || is_everything(&below.join("/")) {
                    Where::Home
                } else {
                    Where::HomeFile
                }
            }
            "dev" => match below.as_slice() {
                ["null" | "stdin" | "stdout" | "stderr" | "tty" | "zero" | "random" | "urandom" | "full"]
                | ["fd", _] => Where::Null,
                ["shm", _, ..] => Where::Temp,
                [] => Where::Root,
                _ => Where::Device,
            },
            first if below.is_empty() && SYSTEM.contains(&first) => Where::Root,
            first if below.is_empty() && first.contains([mark::STAR, mark::ANY, mark::CLASS]) => Where::Root,
            _ if SYSTEM.contains(&first) || first.contains([mark::STAR, mark::ANY, mark::CLASS]) => Where::System,
            _ => Where::Outside,
        }
    }
}

/// Returns whether a path from a directory means the directory itself, or all that is in it.
fn is_everything(rest: &str) -> bool {
    let free = |c: char| matches!(c, mark::STAR | mark::ANY);
    let any = |part: &str| part.contains(free) && part.trim_start_matches('.').chars().all(free);
    rest.is_empty() || rest.split('/').all(any)
}

impl Path {
    /// Returns the path as rules write it: with `~` for the home directory, and from the project without a `/`.
    pub(super) fn shown(&self) -> Option<&str> {
        match self {
            Self::Project(path) | Self::Absolute(path) | Self::Temp(path) => Some(path),
            Self::Outside | Self::Unknown => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places() -> Places {
        Places {
            project: Some("/home/dev/app".to_owned()),
            home: Some("/home/dev".to_owned()),
            temp: vec!["/tmp".to_owned(), "/var/tmp".to_owned()],
            build: vec!["target".to_owned(), "node_modules".to_owned()],
        }
    }

    #[test]
    fn each_path_belongs_to_its_place() {
        let star = mark::STAR;
        let table = [
            ("src/main.rs", Where::Inside),
            ("./src/../Cargo.toml", Where::Inside),
            (".", Where::Project),
            ("./", Where::Project),
            ("src/..", Where::Project),
            ("../other", Where::Outside),
            ("src/../../x", Where::Outside),
            ("target", Where::Build),
            ("./target/debug", Where::Build),
            ("web/node_modules/x", Where::Build),
            (".git/hooks/pre-commit", Where::Git),
            ("sub/.git", Where::Git),
            ("/home/dev/app", Where::Project),
            ("/home/dev/app/src", Where::Inside),
            ("/home/dev/application", Where::HomeFile),
            ("/home/dev", Where::Home),
            ("/home/dev/", Where::Home),
            ("/home/other", Where::Home),
            ("/home", Where::Root),
            ("/root", Where::Home),
            ("/root/.ssh", Where::HomeFile),
            ("/", Where::Root),
            ("//", Where::Root),
            ("/.", Where::Root),
            ("/tmp/..", Where::Root),
            ("/tmp/../etc/passwd", Where::System),
            ("/etc", Where::Root),
            ("/etc/passwd", Where::System),
            ("/tmp", Where::Root),
            ("/tmp/x", Where::Temp),
            ("/var/tmp/x", Where::Temp),
            ("/var/log", Where::System),
            ("/dev/null", Where::Null),
            ("/dev/sda", Where::Device),
            ("/dev/fd/3", Where::Null),
            ("/data", Where::Outside),
            ("/data/x", Where::Outside),
        ];
        for (path, expected) in table {
            let places = places();
            let read = places.path(path, &Directory::Project(String::new()));
            assert_eq!(places.place(&read), expected, "{path}");
        }
        let table = [
            (format!("{star}"), Where::Project),
            (format!("./{star}"), Where::Project),
            (format!(".{star}"), Where::Project),
            (format!("src/{star}.o"), Where::Inside),
            (format!("{star}.o"), Where::Inside),
            (format!("/{star}"), Where::Root),
            (format!("/tmp/{star}"), Where::Temp),
            (format!("{}", mark::HOME), Where::Home),
            (format!("{}/", mark::HOME), Where::Home),
            (format!("{}/{star}", mark::HOME), Where::Home),
            (format!("{}/app/src", mark::HOME), Where::Inside),
            (format!("{}/x", mark::HOME), Where::HomeFile),
            (format!("{}/..", mark::HOME), Where::Root),
            (format!("{}/x", mark::UNKNOWN), Where::Unknown),
            (format!("src/{}", mark::UNKNOWN), Where::Unknown),
        ];
        for (path, expected) in table {
            let places = places();
            let read = places.path(&path, &Directory::Project(String::new()));
            assert_eq!(places.place(&read), expected, "{path}");
        }
    }
}
