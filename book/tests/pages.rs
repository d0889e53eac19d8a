//! Every page of the book is compiled, stands in the list of pages, and links to what exists.

use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

const MODULES: &str = include_str!("../src/lib.rs");

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The pages, and the list of them.
fn files() -> Result<Vec<PathBuf>> {
    let mut files = vec![root().join("README.md")];
    let mut folders = vec![root().join("src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "md") {
                files.push(path);
            }
        }
    }
    Ok(files)
}

/// The pages, relative to `src`.
fn names() -> Result<BTreeSet<String>> {
    let src = root().join("src");
    Ok(files()?.iter().filter_map(|file| Some(file.strip_prefix(&src).ok()?.to_str()?.replace('\\', "/"))).collect())
}

/// The texts between these marks.
fn between(text: &str, begin: &str, end: char) -> Vec<String> {
    text.split(begin).skip(1).filter_map(|rest| Some(rest.split(end).next()?.to_owned())).collect()
}

/// The text without programs and other blocks of code.
fn prose(page: &str) -> String {
    page.split("```").step_by(2).collect()
}

/// The anchors of the headings, as code hosts make them.
fn anchors(page: &str) -> Vec<String> {
    let headings = prose(page);
    let headings =
        headings.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    let anchor = |heading: &str| {
        let kept = heading.chars().filter(|char| char.is_alphanumeric() || matches!(char, ' ' | '-' | '_'));
        kept.collect::<String>().to_lowercase().replace(' ', "-")
    };
    headings.map(anchor).collect()
}

#[test]
fn each_page_is_compiled_and_listed() -> Result {
    let pages = names()?;
    let compiled: BTreeSet<_> = between(MODULES, "= \"", '"').into_iter().collect();
    assert_eq!(compiled, pages, "the pages in `src/lib.rs`, and the files");
    let list = fs::read_to_string(root().join("README.md"))?;
    let listed: BTreeSet<_> = between(&list, "](src/", ')').into_iter().collect();
    assert_eq!(listed, pages, "the pages in `README.md`, and the files");
    Ok(())
}

/// Pages beside the book.
const OTHER_PAGES: [&str; 10] = [
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "SECURITY.md",
    "BENCHMARKS.md",
    "GUARDS.md",
    "exo-rails-macros/golden/README.md",
    "fuzz/README.md",
    "tests/README.md",
    "ui-tests/README.md",
];

#[test]
fn links_lead_to_files_and_headings() -> Result {
    let others = OTHER_PAGES.iter().map(|page| root().join("..").join(page));
    for file in files()?.into_iter().chain(others) {
        let page = fs::read_to_string(&file)?;
        for link in between(&prose(&page), "](", ')').iter().filter(|link| !link.contains("://")) {
            let (path, anchor) =
                link.split_once('#').map_or((link.as_str(), None), |(path, anchor)| (path, Some(anchor)));
            let target = if path.is_empty() { file.clone() } else { file.with_file_name("").join(path) };
            assert!(target.exists(), "{}: there is no file for `{link}`", file.display());
            let Some(anchor) = anchor else { continue };
            let is_there = anchors(&fs::read_to_string(&target)?).iter().any(|heading| heading == anchor);
            assert!(is_there, "{}: there is no heading for `{link}`", file.display());
        }
    }
    Ok(())
}

/// A code host shows a page as it is, so a program that readers copy is complete. One that must not compile may hide lines.
#[test]
fn programs_that_readers_copy_have_no_hidden_lines() -> Result {
    for file in files()? {
        let page = fs::read_to_string(&file)?;
        let blocks = page.split("```").skip(1).step_by(2);
        for block in blocks.filter(|block| block.starts_with("rust\n")) {
            let hidden = block.lines().find(|line| *line == "#" || line.trim_start().starts_with("# "));
            assert_eq!(hidden, None, "{}: a hidden line", file.display());
            assert!(block.contains("fn main"), "{}: a program without `main`: {block}", file.display());
        }
    }
    Ok(())
}

/// A configuration on a page has no mistake.
#[test]
fn configurations_can_be_read() -> Result {
    let mut count = 0;
    for file in files()? {
        let page = fs::read_to_string(&file)?;
        let blocks = page.split("```").skip(1).step_by(2).filter_map(|block| block.strip_prefix("toml\n"));
        for block in blocks.filter(|block| !block.contains("[dependencies]")) {
            if let Err(error) = exo_rails_guards::Kit::from_toml(block) {
                return Err(format!("{}: {error}\n{block}", file.display()).into());
            }
            count += 1;
        }
    }
    // Most configurations are in programs, which run.
    assert!(count >= 2, "{count} configurations");
    Ok(())
}
