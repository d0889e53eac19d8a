//! Programs that must not compile, with the message that the user reads, and programs that must.
//!
//! They are found where they lie. A fixture that nobody runs holds nothing, and nobody would miss it: so one that lies
//! where none is looked for is an error.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::{Path, PathBuf};

use trybuild::TestCases;

/// `fail/<topic>/<rule>.rs`, beside what is said about it.
const FAIL: Folder = Folder { name: "fail", parts: 3, messages: true };

/// `pass/<what>.rs`
const PASS: Folder = Folder { name: "pass", parts: 2, messages: false };

#[test]
fn mistakes_explain_themselves() {
    let cases = TestCases::new();
    for program in FAIL.programs(here()).unwrap() {
        cases.compile_fail(program);
    }
}

#[test]
fn what_is_right_compiles() {
    let cases = TestCases::new();
    for program in PASS.programs(here()).unwrap() {
        cases.pass(program);
    }
}

#[test]
fn each_program_of_a_new_folder_is_found_in_order() {
    let fixtures = ["fail/old/b.rs", "fail/old/b.stderr", "fail/old/a.rs", "fail/new/c.rs", "fail/new/notes.md"];
    let found = FAIL.programs(&folder_with("found", &fixtures));
    assert_eq!(found, Ok(["fail/new/c.rs", "fail/old/a.rs", "fail/old/b.rs"].map(PathBuf::from).to_vec()));
    let found = PASS.programs(&folder_with("found", &["pass/d.rs", "pass/c.rs"]));
    assert_eq!(found, Ok(["pass/c.rs", "pass/d.rs"].map(PathBuf::from).to_vec()));
}

#[test]
fn what_nobody_would_run_is_an_error() {
    for stray in ["fail/a.rs", "fail/old/deep/a.rs", "fail/old/no_program.stderr", "fail/old/deep/a.stderr"] {
        let found = FAIL.programs(&folder_with("stray", &["fail/old/a.rs", "fail/old/a.stderr", stray]));
        assert_eq!(found, Err(vec![PathBuf::from(stray)]));
    }
    for stray in ["pass/topic/a.rs", "pass/a.stderr"] {
        let found = PASS.programs(&folder_with("stray", &["pass/a.rs", stray]));
        assert_eq!(found, Err(vec![PathBuf::from(stray)]));
    }
}

#[test]
fn no_program_is_an_error() {
    assert_eq!(FAIL.programs(&folder_with("none", &["fail/old/notes.md"])), Err(Vec::new()));
}

/// A folder of programs.
struct Folder {
    name: &'static str,
    /// How many parts the path of a program has: (e.g. 3: `fail/order/policy.rs`).
    parts: usize,
    /// Whether there may be a message beside a program.
    messages: bool,
}

impl Folder {
    /// The programs, sorted, as trybuild takes them: from the root.
    ///
    /// # Errors
    /// What is neither a program nor its message, where it lies. Nothing, where there are no programs.
    fn programs(&self, root: &Path) -> Result<Vec<PathBuf>, Vec<PathBuf>> {
        let mut files = Vec::new();
        walk(root, Path::new(self.name), &mut files);
        files.sort();
        let is_program = |file: &Path| has_extension(file, "rs") && file.components().count() == self.parts;
        let (programs, others): (Vec<_>, Vec<_>) = files.into_iter().partition(|file| is_program(file));
        let is_message = |file: &Path| self.messages && programs.contains(&file.with_extension("rs"));
        let is_stray = |file: &PathBuf| has_extension(file, "rs") || has_extension(file, "stderr") && !is_message(file);
        let strays: Vec<_> = others.into_iter().filter(is_stray).collect();
        if strays.is_empty() && !programs.is_empty() { Ok(programs) } else { Err(strays) }
    }
}

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn has_extension(file: &Path, extension: &str) -> bool {
    file.extension().is_some_and(|found| found == extension)
}

/// All files below a folder, from the root.
fn walk(root: &Path, folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(root.join(folder)).unwrap() {
        let entry = entry.unwrap();
        let path = folder.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() { walk(root, &path, files) } else { files.push(path) }
    }
}

/// A folder of a test's own with these files, which are empty, and no others.
fn folder_with(name: &str, files: &[&str]) -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ui").join(name);
    let _ = fs::remove_dir_all(&root);
    for file in files {
        let file = root.join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, "").unwrap();
    }
    root
}
