//! The guard of paths: payloads of directory traversal, and everyday paths.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path};

use exo_rails_guards::PathSandbox;
use exo_rails_guards::paths::Rights;

use crate::Failure;
use crate::corpora::Corpora;
use crate::tau_bench;
use crate::time::median;

const CORPUS: &str = "PayloadsAllTheThings";
/// The lists whose payloads were looked at while the guard was written, and then those that were not.
const LISTS: [&str; 15] = [
    "Directory Traversal/Intruder/deep_traversal.txt",
    "Directory Traversal/Intruder/directory_traversal.txt",
    "Directory Traversal/Intruder/dotdotpwn.txt",
    "Directory Traversal/Intruder/traversals-8-deep-exotic-encoding.txt",
    "File Inclusion/Intruders/Traversal.txt",
    "File Inclusion/Intruders/dot-slash-PathTraversal_and_LFI_pairing.txt",
    "File Inclusion/Intruders/BSD-files.txt",
    "File Inclusion/Intruders/JHADDIX_LFI.txt",
    "File Inclusion/Intruders/LFI-FD-check.txt",
    "File Inclusion/Intruders/LFI-WindowsFileCheck.txt",
    "File Inclusion/Intruders/Linux-files.txt",
    "File Inclusion/Intruders/List_Of_File_To_Include.txt",
    "File Inclusion/Intruders/List_Of_File_To_Include_NullByteAdded.txt",
    "File Inclusion/Intruders/Mac-files.txt",
    "File Inclusion/Intruders/Windows-files.txt",
];
/// Everyday paths of our own, one a line. `{ROOT}` is the root.
const BENIGN: &str = include_str!("benign_paths.txt");

pub(crate) fn measure(corpora: Option<&Corpora>) -> Result<(), Failure> {
    let dir = std::env::temp_dir().join(format!("exo-rails-figures-{}", std::process::id()));
    let root = dir.join("project");
    for sub in ["src", "src/a/b", "src/a/c", "docs", "tests", "..data"] {
        fs::create_dir_all(root.join(sub))?;
    }
    fs::write(root.join("README.md"), "")?;
    let root = fs::canonicalize(root)?;
    let sandbox = PathSandbox::builder().root("project", &root, Rights::ALL).build()?;

    for (name, path) in
        [("a file", "src/a/b/../../README.md"), ("a new file", "docs/guide/new.md"), ("refused", "../x")]
    {
        println!("{name}: {}", median(|| sandbox.check_path(path, Rights::READ).is_ok()));
    }
    if let Some(corpora) = corpora {
        payloads(&sandbox, &root, corpora)?;
        let refused = |recorded: &tau_bench::Recorded| {
            sandbox.check(&recorded.call).err().map(|finding| format!("{}: {}", finding.place, finding.rule))
        };
        tau_bench::report(&tau_bench::calls(corpora)?.iter().map(refused).collect::<Vec<_>>());
    }
    everyday(&sandbox, &root);
    Ok(fs::remove_dir_all(dir)?)
}

fn payloads(sandbox: &PathSandbox, root: &Path, corpora: &Corpora) -> Result<(), Failure> {
    let folder = corpora.folder(CORPUS)?;
    println!("\npayloads of directory traversal ({CORPUS})");
    println!(
        "| list | payloads | refused | a plain name in the root | another path in the root |\n|---|---|---|---|---|"
    );
    let mut passed = BTreeMap::new();
    for list in LISTS {
        let content = fs::read(folder.join(list))?;
        let (mut all, mut refused, mut plain) = (0, 0, 0);
        for line in String::from_utf8_lossy(&content).lines().filter(|line| !line.is_empty()) {
            let payload = line.replace("{FILE}", "etc/passwd");
            all += 1;
            if sandbox.check_path(&payload, Rights::READ).is_err() {
                refused += 1;
                continue;
            }
            plain += usize::from(is_plain(root, &payload));
            passed.entry((!is_plain(root, &payload), payload)).or_insert(list);
        }
        println!("| {list} | {all} | {refused} | {plain} | {} |", all - refused - plain);
    }
    println!("\n{} different payloads passed:", passed.len());
    for ((is_other, payload), list) in &passed {
        let kind = if *is_other { "another path" } else { "plain" };
        println!("  {kind}: {payload:?} ({})", list.rsplit('/').next().unwrap_or(list));
    }
    Ok(())
}

fn everyday(sandbox: &PathSandbox, root: &Path) {
    let mut wrong = Vec::new();
    for path in BENIGN.lines() {
        let path = path.replace("{ROOT}", &root.display().to_string());
        if let Err(refusal) = sandbox.check_path(&path, Rights::READ | Rights::WRITE | Rights::CREATE) {
            wrong.push(format!("  {path:?}: {}", refusal.rule().name()));
        }
    }
    println!("\n{} of {} everyday paths refused:\n{}\n", wrong.len(), BENIGN.lines().count(), wrong.join("\n"));
}

/// Whether a path has no `..`, and is in the root: then no system and no program can leave the root with it.
fn is_plain(root: &Path, path: &str) -> bool {
    let joined = root.join(path);
    joined.starts_with(root) && joined.components().all(|component| component != Component::ParentDir)
}
