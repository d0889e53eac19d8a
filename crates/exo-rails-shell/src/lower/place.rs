//! Where paths are: the ground on which a text runs.

use super::field::Field;
use super::path::{Directory, Path, Places};
use super::scope::Scope;
use crate::config::ShellPlaces;
use crate::effect::{Effect, EffectPlace};
use crate::policy;
use crate::word::{mark, shown};

/// What is known about the machine before the text runs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ground {
    places: Places,
}

/// Directories and files that hold credentials, from the home directory.
const CREDENTIALS: [&str; 31] = [
    ".ssh",
    ".aws",
    ".azure",
    ".config/gcloud",
    ".config/gh",
    ".config/hub",
    ".kube",
    ".docker/config.json",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".my.cnf",
    ".git-credentials",
    ".config/git/credentials",
    ".gnupg",
    ".password-store",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".terraform.d/credentials.tfrc.json",
    ".vault-token",
    ".local/share/keyrings",
    ".config/op",
    ".mozilla",
    ".config/google-chrome",
    ".config/chromium",
    ".bash_history",
    ".zsh_history",
    "Library/Keychains",
];

/// Files and directories in the home directory whose content runs when something starts.
const STARTUP: [&str; 20] = [
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".config/fish",
    ".config/systemd",
    ".config/autostart",
    ".gitconfig",
    ".config/git",
    ".vimrc",
    ".config/nvim",
    ".pam_environment",
    ".xinitrc",
    "Library/LaunchAgents",
    ".local/share/systemd",
];

/// Names of files that hold credentials, in every directory.
fn is_credential_name(name: &str) -> bool {
    let (stem, end) = name.rsplit_once('.').unwrap_or((name, ""));
    let example = ["example", "sample", "template", "dist", "test", "defaults", "schema"];
    let is_env = (name == ".env" || name.starts_with(".env.")) && !example.contains(&end);
    let keys = ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ed25519_sk", "id_ecdsa_sk"];
    let names = [
        ".netrc",
        ".npmrc",
        ".pypirc",
        ".pgpass",
        ".git-credentials",
        "credentials.json",
        ".vault-token",
        "shadow",
        "gshadow",
    ];
    let ends = ["key", "p12", "pfx", "jks", "keystore", "kdbx", "ppk"];
    let is_key = ends.contains(&end) || end == "pem" && (stem.contains("key") || stem.contains("priv"));
    is_env || keys.contains(&name) || names.contains(&name) || is_key && !stem.is_empty()
}

impl Ground {
    /// The ground of a configuration. Without a working directory, the project is the directory in which the text begins.
    pub(crate) fn new(places: &ShellPlaces) -> Self {
        let trimmed = |path: &String| path.trim_end_matches('/').to_owned();
        // `/home/NAME/…` says where the home directory is.
        let guessed = places.working_directory.as_deref().and_then(|path| {
            let mut parts = path.split('/');
            let (_, first, user) = (parts.next()?, parts.next()?, parts.next()?);
            matches!(first, "home" | "Users").then(|| format!("/{first}/{user}"))
        });
        Self {
            places: Places {
                project: places.working_directory.as_ref().map(trimmed),
                home: places.home.as_ref().map(trimmed).or(guessed),
                temp: places.temp.iter().map(trimmed).collect(),
                build: places.build.iter().map(trimmed).collect(),
            },
        }
    }

    /// Returns a directory from the project.
    pub(crate) fn begin(&self, directory: &str) -> Directory {
        self.directory(directory, &Scope::default())
    }

    /// Returns the path as people read it, and where it is.
    pub(super) fn place(&self, value: &str, scope: &Scope) -> (String, EffectPlace) {
        let path = self.places.path(value, &scope.directory);
        let object = match &path {
            Path::Project(rest) if rest.is_empty() => ".".to_owned(),
            Path::Project(rest) => shown(rest),
            Path::Absolute(path) => shown(path),
            Path::Temp(rest) => shown(&format!("{}/{rest}", mark::TEMP)),
            Path::Outside | Path::Unknown => shown(value),
        };
        let place = self.class(&path);
        (object, place)
    }

    /// Returns where a path is that was read before.
    pub(super) fn place_of_path(&self, path: &str, scope: &Scope) -> EffectPlace {
        let value = path.strip_prefix('~').map_or_else(|| path.to_owned(), |rest| format!("{}{rest}", mark::HOME));
        let value = value.strip_prefix("$TMPDIR").map_or(value.clone(), |rest| format!("{}{rest}", mark::TEMP));
        let root = Scope { directory: Directory::Project(String::new()), ..scope.clone() };
        self.place(&value, &root).1
    }

    fn class(&self, path: &Path) -> EffectPlace {
        let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        match path {
            Path::Project(rest) | Path::Temp(rest) if is_credential_name(&name(rest)) => {
                return EffectPlace::Credentials;
            }
            Path::Absolute(path) => {
                if let Some(rest) = path.strip_prefix("~/").or_else(|| below_home(path)) {
                    let is_below = |list: &[&str]| {
                        list.iter().any(|entry| {
                            rest == *entry || rest.strip_prefix(entry).is_some_and(|rest| rest.starts_with('/'))
                        })
                    };
                    let is_public = rest.rsplit('.').next() == Some("pub") || name(rest) == "known_hosts";
                    if is_below(&CREDENTIALS) && !is_public || is_credential_name(&name(rest)) {
                        return EffectPlace::Credentials;
                    }
                    if is_below(&STARTUP) {
                        return EffectPlace::Startup;
                    }
                }
                if matches!(path.as_str(), "/etc/shadow" | "/etc/gshadow" | "/etc/sudoers" | "/proc/self/environ")
                    || path.starts_with("/run/secrets/")
                    || path.starts_with("/var/run/secrets/")
                    || path.starts_with("/proc/") && path.ends_with("/environ")
                    || path.starts_with("/etc/ssl/private")
                    || is_credential_name(&name(path))
                {
                    return EffectPlace::Credentials;
                }
                let startup = [
                    "/etc/cron",
                    "/etc/systemd",
                    "/etc/init",
                    "/etc/profile",
                    "/etc/rc",
                    "/var/spool/cron",
                    "/Library/Launch",
                    "/etc/ld.so.preload",
                ];
                if startup.iter().any(|begin| path.starts_with(begin)) {
                    return EffectPlace::Startup;
                }
            }
            _ => {}
        }
        self.places.place(path)
    }

    /// Returns whether a path is a directory of temporary files itself.
    pub(super) fn is_temporary(&self, object: &str) -> bool {
        let object = object.trim_end_matches('/');
        object == "$TMPDIR" || self.places.temporary().any(|temp| temp == object)
    }

    /// Returns whether a word without a directory names credentials.
    pub(super) fn is_credential(value: &str) -> bool {
        is_credential_name(value.rsplit('/').next().unwrap_or(value))
    }

    /// Returns the directory after `cd VALUE`.
    pub(super) fn directory(&self, value: &str, scope: &Scope) -> Directory {
        match self.places.path(value, &scope.directory) {
            Path::Project(rest) => Directory::Project(rest),
            Path::Absolute(path) => Directory::At(path),
            Path::Temp(rest) => Directory::At(format!("/tmp/{rest}")),
            Path::Outside => Directory::Outside,
            Path::Unknown => Directory::Unknown,
        }
    }

    /// Returns whether a path of a program is one of the directories in which the system has its programs.
    pub(super) fn is_system_program(&self, path: &str, scope: &Scope) -> bool {
        let Path::Absolute(path) = self.places.path(path, &scope.directory) else { return false };
        let directory = path.rsplit_once('/').map(|(directory, _)| directory).unwrap_or_default();
        let system = ["/usr/", "/opt/", "/Applications/", "/System/", "/Library/", "/nix/"];
        system.iter().any(|begin| path.starts_with(begin))
            || matches!(
                directory,
                "/bin"
                    | "/sbin"
                    | "/usr/bin"
                    | "/usr/sbin"
                    | "/usr/local/bin"
                    | "/usr/local/sbin"
                    | "/opt/homebrew/bin"
                    | "/snap/bin"
                    | "~/.cargo/bin"
                    | "~/.local/bin"
                    | "~/bin"
                    | "~/go/bin"
                    | "~/.bun/bin"
                    | "~/.deno/bin"
            )
    }

    /// Returns whether an effect would pass without a question.
    pub(super) const fn is_harmless(effect: &Effect) -> bool {
        policy::rule(effect).decision.passes()
    }

    /// Returns whether a field names a place in the project.
    pub(super) fn is_inside(&self, field: &Field, scope: &Scope) -> bool {
        matches!(
            self.place(&field.value, scope).1,
            EffectPlace::Project | EffectPlace::Build | EffectPlace::WholeProject
        )
    }
}

/// Returns what follows `/home/NAME/` and the like.
fn below_home(path: &str) -> Option<&str> {
    let rest = path.strip_prefix("/home/").or_else(|| path.strip_prefix("/Users/"));
    let rest = rest.and_then(|rest| rest.split_once('/')).map(|(_, rest)| rest);
    rest.or_else(|| path.strip_prefix("/root/"))
}

/// Returns a path for the files below a place.
pub(super) fn below(place: &str) -> String {
    match place {
        place if place.ends_with([mark::NUMBER, mark::STAR]) => place.to_owned(),
        "" | "." => mark::STAR.to_string(),
        place => format!("{}/{}", place.trim_end_matches('/'), mark::STAR),
    }
}
