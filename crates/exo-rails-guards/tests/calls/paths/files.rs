//! Links, devices and other mishaps of a file system.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::process::Command;

use exo_rails::prelude::*;
use exo_rails_guards::paths::PathRule::*;
use exo_rails_guards::paths::{PathSandbox, Rights};

use crate::paths::handle::with_needs;
use crate::paths::{Playground, READ, rule, text};

#[test]
fn links_count_as_their_targets() {
    let playground = Playground::new();
    let link = |target: &str, name: &str| symlink(target, playground.project().join(name)).unwrap();
    link("../outside", "up");
    link("../outside/secret.txt", "file");
    link("src", "inside");
    link("/etc", "etc");
    link(".env", "harmless.txt");
    link("missing", "dangling");
    link("../outside/new", "dangling-outside");
    link("loop", "loop");
    link("up/deep", "chain");
    symlink(playground.path("project/src"), playground.path("project/absolute")).unwrap();
    symlink(playground.project(), playground.path("elsewhere")).unwrap();
    let sandbox = playground.sandbox();
    for (path, expected) in [
        ("up", Some(Outside)),
        ("up/secret.txt", Some(Outside)),
        ("up/new.txt", Some(Outside)),
        ("file", Some(Outside)),
        ("etc/passwd", Some(Outside)),
        ("chain/secret.txt", Some(Outside)),
        ("inside/main.rs", None),
        ("absolute/main.rs", None),
        ("harmless.txt", Some(DeniedName)),
        ("dangling", Some(DanglingLink)),
        ("dangling-outside", Some(DanglingLink)),
        ("dangling/x", Some(DanglingLink)),
        ("loop", Some(Unresolvable)),
        // `..` after a link: some tools take the directory of the text, and others the directory of the target.
        ("up/../outside/secret.txt", Some(Outside)),
        ("up/../README.md", Some(Outside)),
        ("inside/../README.md", None),
        ("new/../README.md", Some(MissingParent)),
        ("README.md/x", Some(Unresolvable)),
    ] {
        assert_eq!(rule(&sandbox, path), expected, "{path}");
    }
    // A third name of the root leads into it.
    assert_eq!(rule(&sandbox, &text(&playground.path("elsewhere/README.md"))), None);
}

#[test]
fn deleting_a_link_removes_the_link_and_keeps_its_target() {
    let playground = Playground::new();
    symlink("../outside/secret.txt", playground.project().join("file")).unwrap();
    let roots = with_needs(&playground, Rights::ALL);
    roots.remove_file("file").unwrap();
    assert!(playground.path("outside/secret.txt").exists());
    assert!(fs::symlink_metadata(playground.path("project/file")).is_err());
}

#[test]
fn devices_pipes_and_sockets_are_refused() {
    let playground = Playground::new();
    let _socket = UnixListener::bind(playground.path("project/socket")).unwrap();
    assert!(Command::new("mkfifo").arg(playground.path("project/pipe")).status().unwrap().success());
    symlink("/dev/null", playground.path("project/null")).unwrap();
    let sandbox = playground.sandbox();
    let roots = with_needs(&playground, Rights::ALL);
    for path in ["socket", "pipe"] {
        assert_eq!(rule(&sandbox, path), Some(SpecialFile), "{path}");
        assert!(roots.open(path).is_err() && roots.create(path).is_err() && roots.edit(path).is_err(), "{path}");
    }
    assert_eq!(rule(&sandbox, "null"), Some(Outside));
}

#[test]
fn files_of_the_kernel_are_refused_in_every_root() {
    let everything = PathSandbox::builder().root("machine", "/", READ).build().unwrap();
    for path in
        ["/proc/self/environ", "/proc/1/root", "/sys/kernel", "/dev/null", "proc/self/cmdline", "tmp/../proc/version"]
    {
        assert_eq!(rule(&everything, path), Some(SystemFile), "{path}");
    }
    assert_eq!(rule(&everything, "/usr"), None);
}

/// From the list `LFI-FD-check.txt` of `PayloadsAllTheThings` (MIT): the descriptor of the guard was that of the root.
#[cfg(target_os = "linux")]
#[test]
fn links_of_the_kernel_into_the_root_are_refused() {
    let playground = Playground::new();
    let sandbox = playground.sandbox();
    let project = text(&playground.project());
    // For this process, all of these are in the root. For the process of a tool, they can be anywhere.
    symlink("/proc/self/root", playground.project().join("kernel")).unwrap();
    symlink("kernel", playground.project().join("chain")).unwrap();
    symlink(format!("src/../chain{project}/src"), playground.project().join("long")).unwrap();
    for path in [
        format!("/proc/self/root{project}/README.md"),
        format!("/proc/thread-self/root{project}/new.txt"),
        format!("/proc/{}/root{project}", std::process::id()),
        format!("kernel{project}/README.md"),
        format!("src/../chain{project}/README.md"),
        "long/main.rs".to_owned(),
        "long/new.rs".to_owned(),
    ] {
        assert_eq!(rule(&sandbox, &path), Some(SystemFile), "{path}");
    }
    let descriptors: Vec<_> = fs::read_dir("/proc/self/fd").unwrap().map(|entry| entry.unwrap().path()).collect();
    let of_root =
        descriptors.iter().filter(|path| fs::read_link(path).is_ok_and(|target| target == playground.project()));
    for path in of_root {
        assert_eq!(rule(&sandbox, &text(path)), Some(SystemFile), "{}", path.display());
    }
}

#[test]
fn hard_links_are_refused_on_demand() {
    let playground = Playground::new();
    fs::hard_link(playground.path("outside/secret.txt"), playground.path("project/other-name")).unwrap();
    assert_eq!(rule(&playground.sandbox(), "other-name"), None);
    let strict = playground.builder().configure(|config| config.refuse_hard_links = true).build().unwrap();
    assert_eq!(rule(&strict, "other-name"), Some(HardLink));
    assert_eq!(rule(&strict, "README.md"), None);
    assert!(strict.check(&ToolCallInputs::new("read")).unwrap().open("other-name").is_err());
}

#[test]
fn a_root_can_be_named_through_a_link() {
    let playground = Playground::new();
    symlink(playground.project(), playground.path("link")).unwrap();
    let sandbox = PathSandbox::builder().root("link", playground.path("link"), READ).build().unwrap();
    for name in ["project/README.md", "link/README.md"] {
        assert_eq!(rule(&sandbox, &text(&playground.path(name))), None, "{name}");
    }
    assert_eq!(rule(&sandbox, "README.md"), None);
    assert_eq!(rule(&sandbox, "../outside/secret.txt"), Some(Outside));
}
