//! `GUARDS.md` and the pages of the guards: figures have their commands, and the corpora are those of the manifest.

use std::path::{Path, PathBuf};

use serde::Deserialize;

#[derive(Deserialize)]
struct Manifest {
    corpus: Vec<Corpus>,
}

#[derive(Deserialize)]
struct Corpus {
    name: String,
    repository: String,
    commit: String,
    licence: String,
    sections: Vec<String>,
    tuning: String,
    #[serde(rename = "paths")]
    _paths: Vec<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn page() -> String {
    std::fs::read_to_string(root().join("GUARDS.md")).unwrap()
}

/// The pages of the guards in the book: the name, and the text.
fn pages_of_guards() -> Vec<(String, String)> {
    let files = std::fs::read_dir(root().join("book/src/guards")).unwrap().map(|entry| entry.unwrap().path());
    let pages: Vec<_> =
        files.map(|file| (file.display().to_string(), std::fs::read_to_string(file).unwrap())).collect();
    assert!(pages.len() >= 28, "{} pages", pages.len());
    pages
}

/// The sections of a page: the title, and the text.
fn sections(page: &str) -> impl Iterator<Item = (&str, &str)> {
    page.split("\n## ").skip(1).filter_map(|section| section.split_once('\n'))
}

#[test]
fn every_section_with_figures_has_a_command() {
    let page = page();
    // The summary has links to the pages, and the corpora have no figures.
    for (title, text) in sections(&page).filter(|(title, _)| !["Summary", "Corpora"].contains(title)) {
        assert!(!text.contains("|---") || text.contains("\n$ cargo "), "`{title}` has figures, and no command");
    }
    let mut figures = 0;
    for (file, page) in pages_of_guards() {
        for (_, text) in sections(&page).filter(|(title, _)| *title == "What it catches and misses") {
            let has_command = text.contains("\n$ cargo run --release -p benchmarks ");
            assert!(!text.contains("|---") || has_command, "{file} has figures, and no command");
            figures += usize::from(has_command);
        }
        assert!(!page.contains(" µs") || page.contains("\n$ cargo "), "{file} has times, and no command");
    }
    assert!(figures >= 13, "{figures} pages have figures");
}

/// The page of a guard says what the guard misses, or why there are no figures.
#[test]
fn every_guard_says_what_it_misses() {
    for (file, page) in pages_of_guards() {
        // Two pages are about all guards.
        if file.ends_with("stores.md") || file.ends_with("reloading.md") {
            continue;
        }
        let has_section =
            sections(&page).any(|(title, text)| title == "What it catches and misses" && !text.trim().is_empty());
        assert!(has_section, "{file} does not say what the guard catches and misses");
    }
}

/// The guards of the list `kit!`: the table, and the type.
fn kit() -> Vec<(String, String)> {
    let list = std::fs::read_to_string(root().join("crates/exo-rails-guards/src/kit/mod.rs")).unwrap();
    let list = list.rsplit_once("\nkit! {").unwrap().1.to_owned();
    let guards = list.lines().filter_map(|line| {
        let (table, guard) = line.trim().split_once(": ").filter(|(table, _)| !table.starts_with('/'))?;
        let guard = guard.split_once("<crate::")?.1.split_once('>')?.0.rsplit("::").next()?;
        Some((table.to_owned(), guard.to_owned()))
    });
    let guards: Vec<_> = guards.collect();
    assert!(guards.len() >= 26, "{guards:?}");
    guards
}

/// A new guard has to be in each of these lists.
#[test]
fn each_list_of_guards_has_every_guard_of_the_kit() {
    let read = |file: &str| (file.to_owned(), std::fs::read_to_string(root().join(file)).unwrap());
    let (readme, docs) = (read("crates/exo-rails-guards/README.md"), read("crates/exo-rails-guards/src/lib.rs"));
    let (overview, starts) = (read("book/src/guards.md"), read("GUARDS.md"));
    let measured = read("benchmarks/src/bin/guard_start/guards.rs");
    let mut missing = Vec::new();
    for (table, guard) in kit() {
        let page = format!("book/src/guards/{}.md", table.replace('_', "-"));
        let mut lists = vec![
            (&readme, format!("`{guard}`")),
            (&docs, format!("`{guard}`")),
            (&overview, format!("| [`{table}`](guards/{}.md) |", table.replace('_', "-"))),
        ];
        // Its tools come from code.
        if table != "fallback" {
            lists.extend([(&starts, format!("| `{table}` |")), (&measured, format!("\"{table}\""))]);
        }
        let absent = lists.into_iter().filter(|((_, text), entry)| !text.contains(entry));
        missing.extend(absent.map(|((file, _), entry)| format!("{file} has no {entry}")));
        // The page says how the guard is configured, and the list of all guards says the same.
        let page_of = std::fs::read_to_string(root().join(&page)).unwrap_or_default();
        let row = |text: &str, start: &str| text.lines().find(|line| line.starts_with(start)).map(str::to_owned);
        let priority = |row: Option<String>, column: usize| Some(row?.split('|').nth(column)?.trim().to_owned());
        let of_page = priority(row(&page_of, &format!("| `{table}` |")), 3);
        let of_overview = priority(row(&overview.1, &format!("| [`{table}`]")), 3);
        if of_page.is_none() || of_page != of_overview {
            missing.push(format!("the priority of {page} is {of_page:?}, and that of the overview {of_overview:?}"));
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn the_page_lists_the_corpora_of_the_manifest() {
    let page = page();
    let pages = pages_of_guards();
    let manifest = std::fs::read_to_string(root().join("benchmarks/corpora.toml")).unwrap();
    let Manifest { corpus } = toml::from_str(&manifest).unwrap();
    for Corpus { name, repository, commit, licence, sections, tuning, .. } in corpus {
        let row = format!("| [{name}]({repository}) | `{commit}` | {licence} |");
        assert!(page.contains(&row), "the table of corpora has no row\n{row}");
        assert!(!tuning.is_empty() && !sections.is_empty(), "{name}");
        for section in sections {
            let command = format!("--bin guard_figures -- --corpora DIR {section}\n");
            let is_there = pages.iter().any(|(_, page)| page.contains(&command));
            assert!(is_there, "no page has the command\n{command}");
        }
    }
}
