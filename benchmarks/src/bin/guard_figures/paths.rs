//! The guard of paths: payloads of directory traversal, and everyday paths.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Component, Path};

use exo_rails_guards::PathSandbox;
use exo_rails_guards::paths::Rights;

const CORPUS: &str = "PayloadsAllTheThings";
const LISTS: [&str; 6] = [
    "Directory Traversal/Intruder/deep_traversal.txt",
    "Directory Traversal/Intruder/directory_traversal.txt",
    "Directory Traversal/Intruder/dotdotpwn.txt",
    "Directory Traversal/Intruder/traversals-8-deep-exotic-encoding.txt",
    "File Inclusion/Intruders/Traversal.txt",
    "File Inclusion/Intruders/dot-slash-PathTraversal_and_LFI_pairing.txt",
];
/// Everyday paths of our own, one a line. `{ROOT}` is the root.
const BENIGN: &str = include_str!("benign_paths.txt");

pub(crate) fn measure(corpora: &Path) -> Result<(), Box<dyn Error>> {
    let dir = std::env::temp_dir().join(format!("exo-rails-figures-{}", std::process::id()));
    let root = dir.join("project");
    for sub in ["src", "src/a/b", "src/a/c", "docs", "tests", "..data"] {
        fs::create_dir_all(root.join(sub))?;
    }
    fs::write(root.join("README.md"), "")?;
    let root = fs::canonicalize(root)?;
    let sandbox = PathSandbox::builder().root("project", &root, Rights::ALL).build()?;

    println!("paths: payloads of directory traversal ({CORPUS})");
    println!(
        "| list | payloads | refused | a plain name in the root | another path in the root |\n|---|---|---|---|---|"
    );
    let mut passed = BTreeMap::new();
    for list in LISTS {
        let content = fs::read(corpora.join(CORPUS).join(list))?;
        let (mut all, mut refused, mut plain) = (0, 0, 0);
        for line in String::from_utf8_lossy(&content).lines().filter(|line| !line.is_empty()) {
            let payload = line.replace("{FILE}", "etc/passwd");
            all += 1;
            if sandbox.check_path(&payload, Rights::READ).is_err() {
                refused += 1;
                continue;
            }
            plain += usize::from(is_plain(&root, &payload));
            passed.entry(payload).or_insert(list);
        }
        println!("| {list} | {all} | {refused} | {plain} | {} |", all - refused - plain);
    }
    println!("\n{} different payloads passed:", passed.len());
    for (payload, list) in &passed {
        println!("  {payload:?} ({})", list.rsplit('/').next().unwrap_or(list));
    }

    let mut wrong = Vec::new();
    for path in BENIGN.lines() {
        let path = path.replace("{ROOT}", &root.display().to_string());
        if let Err(refusal) = sandbox.check_path(&path, Rights::READ | Rights::WRITE | Rights::CREATE) {
            wrong.push(format!("  {path:?}: {}", refusal.rule().name()));
        }
    }
    println!("\n{} of {} everyday paths refused:\n{}\n", wrong.len(), BENIGN.lines().count(), wrong.join("\n"));
    Ok(fs::remove_dir_all(dir)?)
}

/// Whether a path has no `..`, and is in the root: then no system and no program can leave the root with it.
fn is_plain(root: &Path, path: &str) -> bool {
    let joined = root.join(path);
    joined.starts_with(root) && joined.components().all(|component| component != Component::ParentDir)
}
