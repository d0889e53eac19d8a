//! Paths of tool calls: what the guard accepts is inside of the root, for every way to read the text.

#![no_main]

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use exo_rails::ToolCallInputs;
use exo_rails_guards::PathSandbox;
use exo_rails_guards::paths::{Rights, SandboxRoots};
use libfuzzer_sys::fuzz_target;

struct Playground {
    root: PathBuf,
    sandbox: PathSandbox,
    roots: SandboxRoots,
}

/// A root with links to everything, and secrets next to it.
fn playground() -> &'static Playground {
    static PLAYGROUND: OnceLock<Playground> = OnceLock::new();
    PLAYGROUND.get_or_init(|| {
        let dir = std::env::temp_dir().join("exo-rails-fuzz-paths");
        drop(fs::remove_dir_all(&dir));
        for sub in ["r/a/b", "r/.git", "o"] {
            fs::create_dir_all(dir.join(sub)).expect("the temporary directory is writable");
        }
        let dir = fs::canonicalize(dir).expect("it exists");
        for (file, content) in [
            ("r/f", "inside"),
            ("r/a/b/f", "inside"),
            ("r/.env", "SECRET"),
            ("r/.git/config", "SECRET"),
            ("o/f", "SECRET"),
            ("f", "SECRET"),
        ] {
            fs::write(dir.join(file), content).expect("the directory exists");
        }
        for (target, link) in [
            ("../o", "r/o"),
            ("../../o/f", "r/a/o"),
            ("a", "r/l"),
            (".env", "r/e"),
            ("/", "r/s"),
            ("none", "r/d"),
            ("../f", "r/a/u"),
        ] {
            std::os::unix::fs::symlink(target, dir.join(link)).expect("the directory exists");
        }
        let root = dir.join("r");
        let sandbox = PathSandbox::builder().root("r", &root, Rights::ALL).build().expect("the root exists");
        let roots = sandbox.check(&ToolCallInputs::new("read")).expect("the call has no path");
        Playground { root, sandbox, roots }
    })
}

fuzz_target!(|text: &str| {
    let playground = playground();
    let is_allowed = playground.sandbox.check_path(text, Rights::READ).is_ok();
    let opened = playground.roots.open(text);
    if let Ok(mut file) = opened {
        assert!(is_allowed, "the handle opens what the guard refuses");
        let mut content = String::new();
        file.read_to_string(&mut content).expect("the files are text");
        assert_eq!(content, "inside");
    }
    if !is_allowed {
        return;
    }
    // The system finds the file in the root, and it is not a secret.
    let path = playground.root.join(text);
    if let Ok(real) = fs::canonicalize(&path) {
        assert!(real.starts_with(&playground.root), "{}", real.display());
        assert_ne!(fs::read(&real).ok().as_deref(), Some(&b"SECRET"[..]));
    }
    // So does a program that decodes the path, or replaces backslashes, or both.
    let decoded = decoded(text);
    for reading in [text.to_owned(), decoded.clone(), text.replace('\\', "/"), decoded.replace('\\', "/")] {
        assert!(stays(&playground.root, &reading), "{reading:?}");
    }
});

/// Decodes percent-encodings once.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digit = |at: usize| after.get(at).and_then(|byte| char::from(*byte).to_digit(16));
        match (first, digit(0), digit(1)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push((high * 16 + low) as u8);
                rest = &after[2..];
            }
            _ => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Whether the text of a path stays in a directory.
fn stays(root: &Path, text: &str) -> bool {
    let mut names: Vec<&str> =
        if text.starts_with('/') { Vec::new() } else { root.to_str().expect("UTF-8").split('/').skip(1).collect() };
    for name in text.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()),
            name => names.push(name),
        }
    }
    Path::new("/").join(names.join("/")).starts_with(root)
}
