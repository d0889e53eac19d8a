//! What the shipped policy says about effects.

use super::effect::{Effect, EffectKind, EffectPlace};
use crate::decision::ShellDecision;

/// Returns the decision for one effect.
pub(super) const fn decision(effect: &Effect) -> ShellDecision {
    rule(effect).1
}

/// Returns the rule that decides about an effect, and its decision.
pub(super) const fn rule(effect: &Effect) -> (&'static str, ShellDecision) {
    use EffectKind as Kind;
    let (name, decision) = match effect.kind {
        Kind::Reads => reads(effect.place),
        Kind::Writes => writes(effect.place),
        Kind::Moves | Kind::Deletes => deletes(effect.place),
        Kind::ChangesRights => rights(effect.place),
        Kind::RunsProject => ("runs-project", ShellDecision::Allow),
        Kind::Receives => ("receives", ShellDecision::Allow),
        Kind::Installs => ("installs", ShellDecision::Allow),
        Kind::Comments => ("comments", ShellDecision::Allow),
        Kind::Rewrites => ("rewrites", ShellDecision::Allow),
        Kind::Kills => ("kills", ShellDecision::Allow),
        Kind::Listens => ("listens", ShellDecision::Allow),
        Kind::Unknown => ("unknown", ShellDecision::Notify),
        Kind::RunsCode => ("unknown-code", ShellDecision::Ask),
        Kind::RunsPackage => ("runs-package", ShellDecision::Ask),
        Kind::Sends => ("sends", ShellDecision::Ask),
        Kind::UsesCredentials => ("uses-credentials", ShellDecision::Ask),
        Kind::GainsPrivilege => ("gains-privilege", ShellDecision::Ask),
        Kind::Loses => ("loses", ShellDecision::Ask),
        Kind::ChangesRemote => ("changes-remote", ShellDecision::Ask),
        Kind::Publishes => ("publishes", ShellDecision::Ask),
        Kind::ChangesSystem => ("changes-system", ShellDecision::Ask),
        Kind::RunsDownload => ("runs-download", ShellDecision::Deny),
        Kind::SendsCredentials => ("sends-credentials", ShellDecision::Deny),
        Kind::Destroys => ("destroys", ShellDecision::Deny),
        Kind::ChangesStartup => ("changes-startup", ShellDecision::Deny),
        Kind::StopsMachine => ("stops-machine", ShellDecision::Deny),
    };
    match decision {
        // What is only possible is never certain enough for a denial.
        ShellDecision::Deny if effect.is_possible => (name, ShellDecision::Ask),
        decision => (name, decision),
    }
}

/// Returns whether commands may change what is there without a question.
const fn is_free(place: Option<EffectPlace>) -> bool {
    use EffectPlace::{Build, Null, Project, Temporary, WholeProject};
    matches!(place, Some(Project | WholeProject | Build | Temporary | Null))
}

const fn reads(place: Option<EffectPlace>) -> (&'static str, ShellDecision) {
    match place {
        Some(EffectPlace::Credentials) => ("reads-credentials", ShellDecision::Ask),
        Some(EffectPlace::Device) => ("reads-device", ShellDecision::Ask),
        _ => ("reads", ShellDecision::Allow),
    }
}

const fn writes(place: Option<EffectPlace>) -> (&'static str, ShellDecision) {
    match place {
        place if is_free(place) => ("writes", ShellDecision::Allow),
        Some(EffectPlace::Startup) => ("writes-startup", ShellDecision::Deny),
        Some(EffectPlace::Credentials) => ("writes-credentials", ShellDecision::Ask),
        Some(EffectPlace::Device) => ("writes-device", ShellDecision::Deny),
        Some(EffectPlace::System | EffectPlace::Root) => ("writes-system", ShellDecision::Deny),
        Some(EffectPlace::Home) => ("writes-home", ShellDecision::Deny),
        Some(EffectPlace::History) => ("writes-history", ShellDecision::Ask),
        _ => ("writes-elsewhere", ShellDecision::Ask),
    }
}

const fn deletes(place: Option<EffectPlace>) -> (&'static str, ShellDecision) {
    match place {
        Some(EffectPlace::Project | EffectPlace::Build | EffectPlace::Temporary | EffectPlace::Null) => {
            ("deletes", ShellDecision::Allow)
        }
        Some(
            EffectPlace::Home
            | EffectPlace::Root
            | EffectPlace::System
            | EffectPlace::Device
            | EffectPlace::Credentials
            | EffectPlace::Startup,
        ) => ("deletes-outside", ShellDecision::Deny),
        Some(EffectPlace::WholeProject | EffectPlace::History) => ("deletes-project", ShellDecision::Ask),
        _ => ("deletes-elsewhere", ShellDecision::Ask),
    }
}

const fn rights(place: Option<EffectPlace>) -> (&'static str, ShellDecision) {
    match place {
        place if is_free(place) => ("changes-rights", ShellDecision::Allow),
        Some(EffectPlace::Home | EffectPlace::Root | EffectPlace::System) => {
            ("changes-rights-outside", ShellDecision::Deny)
        }
        _ => ("changes-rights-elsewhere", ShellDecision::Ask),
    }
}

/// Returns what would make a command pass that a rule stops.
pub(super) fn advice(rule: &str) -> &'static str {
    match rule {
        "deletes-outside" | "deletes-elsewhere" | "deletes-project" => {
            "delete only files in the project or in a temporary directory, and name them"
        }
        "reads-credentials" | "uses-credentials" | "writes-credentials" => "leave credentials to the person",
        "sends-credentials" => "send nothing that holds credentials",
        "sends" => "send data only to this machine, or let the person send it",
        "reads-device" | "writes-device" => "use files, and not devices",
        "runs-download" | "runs-package" => "install the package with the package manager of the project first",
        "unknown-code" => "put the code into a file of the project, and run the file",
        "loses" => "save the work first, for example with a commit or a stash",
        "changes-rights-outside" | "changes-rights-elsewhere" => "change rights only of files in the project",
        "gains-privilege" | "changes-system" | "changes-startup" | "stops-machine" | "writes-startup" => {
            "leave the settings of the machine to the person"
        }
        "changes-remote" | "publishes" | "destroys" => "prepare the change, and let the person make it on the server",
        "writes-history" => "change the history with git",
        _ => "write only files in the project or in a temporary directory",
    }
}
