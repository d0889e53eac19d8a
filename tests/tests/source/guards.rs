//! `GUARDS.md`: each section with figures has its command, and the corpora are those of the manifest.

use std::path::{Path, PathBuf};

use exo_rails_guards::config;
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

#[test]
fn every_section_with_figures_has_a_command() {
    let page = page();
    let mut figures = 0;
    // The summary has links to the sections, and the corpora have no figures.
    for section in
        page.split("\n## ").skip(1).filter(|text| !text.starts_with("Summary") && !text.starts_with("Corpora"))
    {
        let (title, text) = section.split_once('\n').unwrap();
        if text.contains("|---") {
            assert!(text.contains("\n$ cargo "), "`{title}` has figures, and no command");
            figures += 1;
        }
    }
    assert!(figures >= 5, "{figures} sections have figures");
}

#[test]
fn the_corpora_are_those_of_the_manifest() {
    let page = page();
    let manifest = std::fs::read_to_string(root().join("benchmarks/corpora.toml")).unwrap();
    let Manifest { corpus } = config::from_toml(&manifest).unwrap();
    for Corpus { name, repository, commit, licence, sections, tuning, .. } in corpus {
        let row = format!("| [{name}]({repository}) | `{commit}` | {licence} |");
        assert!(page.contains(&row), "the table of corpora has no row\n{row}");
        assert!(!tuning.is_empty() && !sections.is_empty(), "{name}");
        for section in sections {
            let command = format!("--bin guard_figures -- --corpora DIR {section}\n");
            assert!(page.contains(&command), "no section has the command\n{command}");
        }
    }
}
