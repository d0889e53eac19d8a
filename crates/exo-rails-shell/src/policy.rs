//! What the shipped policy says about effects.

use crate::config::Protected;
use crate::decision::ShellDecision;
use crate::effect::{Effect, EffectKind, EffectPlace};
use crate::severity::Severity;

/// A rule of the shipped policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BuiltIn {
    pub(crate) name: &'static str,
    pub(crate) decision: ShellDecision,
}

const fn built_in(name: &'static str, decision: ShellDecision) -> BuiltIn {
    BuiltIn { name, decision }
}

use ShellDecision::{Allow, Ask, Deny, Notify};

/// Returns the rule that decides about an effect.
pub(crate) const fn rule(effect: &Effect) -> BuiltIn {
    use EffectKind as Kind;
    let rule = match effect.kind {
        Kind::Reads => reads(effect.place),
        // A file such as `.env` in the project. No credentials of the person are lost.
        Kind::Writes if matches!(effect.place, Some(EffectPlace::Credentials)) && is_in_project(effect) => {
            built_in("writes-project-credentials", Notify)
        }
        Kind::Writes => writes(effect.place),
        Kind::Deletes if effect.is_recursive && matches!(effect.place, Some(EffectPlace::Project)) => {
            built_in("deletes-directory", Ask)
        }
        Kind::Moves | Kind::Deletes => deletes(effect.place),
        Kind::ChangesRights => rights(effect.place),
        Kind::RunsProject => built_in("runs-project", Allow),
        Kind::Receives => built_in("receives", Allow),
        Kind::Installs => built_in("installs", Allow),
        Kind::Comments => built_in("comments", Allow),
        Kind::Rewrites => built_in("rewrites", Allow),
        Kind::Kills => built_in("kills", Allow),
        Kind::Listens => built_in("listens", Allow),
        Kind::Unknown => built_in("unknown", Notify),
        // The person has written what is there.
        Kind::RunsCode
            if matches!(effect.place, Some(EffectPlace::Startup | EffectPlace::Variable)) && is_own(effect) =>
        {
            built_in("runs-own-file", Notify)
        }
        Kind::RunsCode => built_in("unknown-code", Ask),
        Kind::RunsPackage => built_in("runs-package", Ask),
        Kind::Sends => built_in("sends", Ask),
        Kind::UsesCredentials => built_in("uses-credentials", Ask),
        Kind::GainsPrivilege => built_in("gains-privilege", Ask),
        Kind::Loses => built_in("loses", Ask),
        Kind::ChangesRemote => built_in("changes-remote", Ask),
        Kind::Publishes => built_in("publishes", Ask),
        Kind::ChangesSystem => built_in("changes-system", Ask),
        Kind::RunsDownload => built_in("runs-download", Deny),
        Kind::SendsCredentials => built_in("sends-credentials", Deny),
        Kind::Destroys => built_in("destroys", Deny),
        Kind::ChangesStartup => built_in("changes-startup", Deny),
        Kind::StopsMachine => built_in("stops-machine", Deny),
    };
    match rule.decision {
        // What is only possible is never certain enough for a denial.
        Deny if effect.is_possible => built_in(rule.name, Ask),
        _ => rule,
    }
}

/// Returns whether the path of an effect is in the home directory of the person, or is what a variable names.
const fn is_own(effect: &Effect) -> bool {
    matches!(effect.object.as_bytes(), [b'~' | 0xE2, ..])
}

/// Returns whether the path of an effect is one from the project.
const fn is_in_project(effect: &Effect) -> bool {
    !matches!(effect.object.as_bytes(), [b'/' | b'~' | b'$', ..] | [])
}

/// Returns whether commands may change what is there without a question.
const fn is_free(place: Option<EffectPlace>) -> bool {
    use EffectPlace::{Build, Null, Project, Temporary, WholeProject};
    matches!(place, Some(Project | WholeProject | Build | Temporary | Null))
}

const fn reads(place: Option<EffectPlace>) -> BuiltIn {
    match place {
        Some(EffectPlace::Credentials) => built_in("reads-credentials", Ask),
        Some(EffectPlace::Device) => built_in("reads-device", Ask),
        _ => built_in("reads", Allow),
    }
}

const fn writes(place: Option<EffectPlace>) -> BuiltIn {
    match place {
        place if is_free(place) => built_in("writes", Allow),
        Some(EffectPlace::Variable) => built_in("writes-variable", Notify),
        Some(EffectPlace::Startup) => built_in("writes-startup", Deny),
        Some(EffectPlace::Credentials) => built_in("writes-credentials", Ask),
        Some(EffectPlace::Device) => built_in("writes-device", Deny),
        Some(EffectPlace::System | EffectPlace::Root) => built_in("writes-system", Deny),
        Some(EffectPlace::Home) => built_in("writes-home", Deny),
        Some(EffectPlace::History) => built_in("writes-history", Ask),
        _ => built_in("writes-elsewhere", Ask),
    }
}

const fn deletes(place: Option<EffectPlace>) -> BuiltIn {
    match place {
        Some(EffectPlace::Project | EffectPlace::Build | EffectPlace::Temporary | EffectPlace::Null) => {
            built_in("deletes", Allow)
        }
        Some(
            EffectPlace::Home
            | EffectPlace::Root
            | EffectPlace::System
            | EffectPlace::Device
            | EffectPlace::Credentials
            | EffectPlace::Startup,
        ) => built_in("deletes-outside", Deny),
        Some(EffectPlace::WholeProject | EffectPlace::History) => built_in("deletes-project", Ask),
        _ => built_in("deletes-elsewhere", Ask),
    }
}

const fn rights(place: Option<EffectPlace>) -> BuiltIn {
    match place {
        place if is_free(place) => built_in("changes-rights", Allow),
        Some(EffectPlace::Variable) => built_in("changes-rights-variable", Notify),
        Some(EffectPlace::Home | EffectPlace::Root | EffectPlace::System) => built_in("changes-rights-outside", Deny),
        _ => built_in("changes-rights-elsewhere", Ask),
    }
}

/// Returns what an effect endangers, so that a rule of a person must name it to lift the denial.
pub(crate) const fn protected(effect: &Effect) -> Option<Protected> {
    match (effect.kind, effect.place) {
        (EffectKind::SendsCredentials, _) => Some(Protected::SentCredentials),
        (EffectKind::StopsMachine, _) => Some(Protected::Machine),
        (EffectKind::Reads, _) => None,
        (_, Some(EffectPlace::Root)) => Some(Protected::Root),
        (_, Some(EffectPlace::Device)) => Some(Protected::Devices),
        _ => None,
    }
}

/// Returns how serious a rule is.
pub(crate) const fn severity(effect: &Effect, decision: ShellDecision) -> Severity {
    match decision {
        Allow | Notify => Severity::Info,
        Ask => Severity::Medium,
        Deny if protected(effect).is_some() => Severity::Critical,
        Deny => Severity::High,
    }
}

/// Returns what a rule of the shipped policy has found, and what would make the command pass.
pub(crate) fn words(rule: &str) -> (&'static str, &'static str) {
    match rule {
        "reads" => ("it reads files", ""),
        "writes" => ("it writes files of the project, or temporary ones", ""),
        "deletes" => ("it deletes files of the project, or temporary ones", ""),
        "changes-rights" => ("it changes the rights of files of the project, or of temporary ones", ""),
        "runs-project" => ("it runs code of the project", ""),
        "receives" => ("it receives something from a host", ""),
        "installs" => ("it installs packages into the project", ""),
        "comments" => ("it writes a comment on a server", ""),
        "rewrites" => ("it changes local history, and the old state stays", ""),
        "kills" => ("it ends processes", ""),
        "listens" => ("it opens a port", ""),
        "unknown" => ("a part of it is not described, and no word names anything outside of the project", ""),
        "writes-project-credentials" => ("it writes a file of the project that may hold credentials", ""),
        "runs-own-file" => ("it runs a file in the home directory, or one that a variable names", ""),
        "writes-variable" => ("it writes to a place that a variable names, and the text does not set the variable", ""),
        "changes-rights-variable" => {
            ("it changes the rights of a file that a variable names, and the text does not set the variable", "")
        }
        "deletes-outside" => (
            "it deletes something in the home directory or in the system",
            "delete only files in the project or in a temporary directory, and name them",
        ),
        "deletes-elsewhere" => (
            "it deletes something outside of the project, or something that is not known before it runs",
            "delete only files in the project or in a temporary directory, and name them",
        ),
        "deletes-project" => (
            "it deletes the whole project or its history",
            "delete only single files and directories of the project, and name them",
        ),
        "deletes-directory" => (
            "it deletes a directory of the project with all that is in it",
            "delete single files, or directories that tools write again, such as `target`",
        ),
        "reads-credentials" => ("it reads a file that holds credentials", "leave credentials to the person"),
        "uses-credentials" => ("it shows or changes credentials", "leave credentials to the person"),
        "writes-credentials" => ("it writes a file that holds credentials", "leave credentials to the person"),
        "sends-credentials" => ("it sends credentials to a host", "send nothing that holds credentials"),
        "sends" => ("it sends data to another machine", "send data only to this machine, or let the person send it"),
        "reads-device" => ("it reads a device of the machine", "use files, and not devices"),
        "writes-device" => ("it writes to a device of the machine", "use files, and not devices"),
        "runs-download" => (
            "it runs code that it has just downloaded",
            "install the package with the package manager of the project, or save the file and let the person read it",
        ),
        "runs-package" => (
            "it runs a package that it fetches from a registry",
            "install the package with the package manager of the project first",
        ),
        "unknown-code" => (
            "it runs code that is not in the text, or that cannot be read to its end",
            "write the commands out, or put the code into a file of the project and run the file",
        ),
        "loses" => {
            ("it discards work that nobody can restore", "save the work first, for example with a commit or a stash")
        }
        "changes-rights-outside" | "changes-rights-elsewhere" => {
            ("it changes the rights of files outside of the project", "change rights only of files in the project")
        }
        "gains-privilege" => ("it runs something with more rights", "work without them, or let the person run it"),
        "changes-system" => ("it changes settings of the machine", "leave the settings of the machine to the person"),
        "changes-startup" | "writes-startup" => {
            ("it changes what starts later", "leave what starts by itself to the person")
        }
        "stops-machine" => ("it stops or destroys the machine", "leave the machine to the person"),
        "changes-remote" => {
            ("it changes something on a server", "prepare the change, and let the person make it on the server")
        }
        "publishes" => ("it makes something public", "prepare the release, and let the person publish it"),
        "destroys" => (
            "it deletes or overwrites something on a server for good",
            "prepare the change, and let the person make it on the server",
        ),
        "writes-history" => ("it writes into `.git`", "change the history with git"),
        "writes-system" => {
            ("it writes into a directory of the system", "write only files in the project or in a temporary directory")
        }
        "writes-home" => {
            ("it writes over the home directory", "write only files in the project or in a temporary directory")
        }
        _ => (
            "it writes outside of the project, or to a place that is not known before it runs",
            "write only files in the project or in a temporary directory",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The shipped policy has words for each of its rules, and each that stops says what to do instead.
    #[test]
    fn each_rule_has_words_and_those_that_stop_have_advice() {
        let places = [
            EffectPlace::Project,
            EffectPlace::WholeProject,
            EffectPlace::History,
            EffectPlace::Credentials,
            EffectPlace::Startup,
            EffectPlace::Home,
            EffectPlace::InHome,
            EffectPlace::Root,
            EffectPlace::System,
            EffectPlace::Device,
            EffectPlace::Elsewhere,
            EffectPlace::Variable,
            EffectPlace::Unknown,
        ];
        let otherwise = words("no such rule");
        for kind in EffectKind::ALL {
            for place in places {
                let effect = Effect::at(kind, Some(place));
                let BuiltIn { name, decision } = rule(&effect);
                let (found, advice) = words(name);
                assert_eq!(decision.passes(), advice.is_empty(), "{name}");
                assert!(name == "writes-elsewhere" || found != otherwise.0, "{name} has no words");
            }
        }
    }
}
