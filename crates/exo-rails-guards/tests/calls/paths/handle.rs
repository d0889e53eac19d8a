//! The handle that a tool receives.

use std::fs;
use std::io::{Read as _, Write as _};

use exo_rails::prelude::*;
use exo_rails_guards::paths::{EntryKind, PathError, PathRule, Rights, SandboxRoots};

use crate::paths::Playground;

fn rule_of<T>(result: Result<T, PathError>) -> Option<PathRule> {
    match result {
        Err(PathError::Refused(refusal)) => Some(refusal.rule()),
        _ => None,
    }
}

pub(crate) fn with_needs(playground: &Playground, needs: Rights) -> SandboxRoots {
    let sandbox = playground.builder().tool("tool", ["/path"], needs).build().unwrap();
    sandbox.check(&ToolCallInputs::new("tool")).unwrap()
}

#[test]
fn a_tool_reads_writes_and_deletes() {
    let playground = Playground::new();
    let roots = with_needs(&playground, Rights::ALL);
    let read = |path: &str| {
        let mut content = String::new();
        roots.open(path).unwrap().read_to_string(&mut content).unwrap();
        content
    };
    assert_eq!(read("README.md"), "inside");
    roots.create_dir_all("a/b/c").unwrap();
    roots.create_dir_all("a/b/c").unwrap();
    roots.create("a/b/c/new.txt").unwrap().write_all(b"a longer text").unwrap();
    roots.create("a/b/c/new.txt").unwrap().write_all(b"short").unwrap();
    assert_eq!(read("a/b/../b/c/new.txt"), "short");
    roots.edit("a/b/c/new.txt").unwrap().write_all(b"SH").unwrap();
    assert_eq!(read("a/b/c/new.txt"), "SHort");
    roots.rename("a/b/c/new.txt", "a/moved.txt").unwrap();
    assert_eq!(read("a/moved.txt"), "SHort");
    roots.remove_dir("a/b/c").unwrap();
    assert!(roots.remove_dir("a").is_err(), "not empty");
    roots.remove_file("a/moved.txt").unwrap();
    assert!(matches!(roots.open("a/moved.txt"), Err(PathError::Io(_))));
    assert!(matches!(roots.open("src"), Err(PathError::Io(_))), "a directory is not a file");
}

#[test]
fn a_directory_is_listed_without_denied_names() {
    let playground = Playground::new();
    let entries = with_needs(&playground, Rights::READ).read_dir(".").unwrap();
    let names: Vec<_> = entries.iter().map(|entry| (entry.name.as_str(), entry.kind)).collect();
    let directory = EntryKind::Directory;
    assert_eq!(
        names,
        [(".git", directory), ("README.md", EntryKind::File), ("empty", directory), ("src", directory)],
        "neither .env nor server.pem"
    );
}

#[test]
fn every_method_refuses_what_the_guard_refuses() {
    let playground = Playground::new();
    let roots = with_needs(&playground, Rights::ALL);
    for (path, rule) in [("../outside/secret.txt", PathRule::Outside), (".env", PathRule::DeniedName)] {
        let rule = Some(rule);
        assert_eq!(rule_of(roots.open(path)), rule, "open {path}");
        assert_eq!(rule_of(roots.edit(path)), rule, "edit {path}");
        assert_eq!(rule_of(roots.create(path)), rule, "create {path}");
        assert_eq!(rule_of(roots.create_dir_all(path)), rule, "create_dir_all {path}");
        assert_eq!(rule_of(roots.read_dir(path)), rule, "read_dir {path}");
        assert_eq!(rule_of(roots.remove_file(path)), rule, "remove_file {path}");
        assert_eq!(rule_of(roots.remove_dir(path)), rule, "remove_dir {path}");
        assert_eq!(rule_of(roots.rename(path, "new")), rule, "rename from {path}");
        assert_eq!(rule_of(roots.rename("README.md", path)), rule, "rename to {path}");
    }
    assert_eq!(rule_of(roots.rename(".git", "git")), Some(PathRule::DeniedName));
    fs::create_dir(playground.path("project/other")).unwrap();
    assert_eq!(rule_of(roots.rename("other", "src/.git")), Some(PathRule::DeniedName));
    assert_eq!(rule_of(roots.rename(".", "src/x")), Some(PathRule::RootItself));
}

#[test]
fn a_tool_has_only_the_rights_of_its_rule() {
    let playground = Playground::new();
    let reads = with_needs(&playground, Rights::READ);
    assert!(reads.open("README.md").is_ok());
    for refused in [
        rule_of(reads.create("README.md")),
        rule_of(reads.edit("README.md")),
        rule_of(reads.create_dir_all("new")),
        rule_of(reads.remove_file("README.md")),
        rule_of(reads.remove_dir("empty")),
        rule_of(reads.rename("README.md", "new")),
    ] {
        assert_eq!(refused, Some(PathRule::ToolRights));
    }
    let creates = with_needs(&playground, Rights::CREATE);
    assert!(creates.create("new.txt").is_ok());
    assert!(creates.create("README.md").is_err(), "it exists");
    assert_eq!(rule_of(creates.open("README.md")), Some(PathRule::ToolRights));
    let changes = with_needs(&playground, Rights::WRITE);
    assert!(changes.create("README.md").is_ok());
    assert!(changes.create("another.txt").is_err(), "it does not exist");
    assert!(!playground.path("project/another.txt").exists());
}
