//! The packages: what a registry shows and contains.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Everything in a folder of the repository, without what Cargo and Git write.
fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap();
        if name == "target" || name == ".git" {
            continue;
        }
        if path.is_dir() && !path.is_symlink() {
            walk(&path, found);
        }
        found.push(path);
    }
}

/// The folders of the packages that a registry gets.
fn packages() -> Vec<PathBuf> {
    let mut all = Vec::new();
    walk(&root(), &mut all);
    let manifests = all.iter().filter(|path| path.ends_with("Cargo.toml"));
    let published = manifests.filter(|path| {
        let text = std::fs::read_to_string(path).unwrap();
        text.contains("[package]") && !text.contains("\npublish = false")
    });
    let folders: Vec<_> = published.map(|path| path.with_file_name("")).collect();
    assert!(folders.len() >= 8, "{folders:?}");
    folders
}

/// The links of a page that do not lead to another site or to a heading of the same page.
fn relative_links(page: &str) -> Vec<&str> {
    let prose = page.split("```").step_by(2);
    let inline = prose.clone().flat_map(|text| text.split("](").skip(1)).filter_map(|rest| rest.split(')').next());
    let definitions = prose.clone().flat_map(str::lines).filter_map(|line| {
        let (name, target) = line.split_once("]: ")?;
        name.starts_with('[').then_some(target)
    });
    let is_relative = |link: &&str| !link.starts_with("https://") && !link.starts_with('#');
    // A name in brackets without a target is a link for rustdoc only.
    let names = prose.flat_map(|text| text.split("[`").skip(1)).filter_map(|rest| {
        let (name, after) = rest.split_once("`]")?;
        (!after.starts_with('(')).then_some(name)
    });
    inline.chain(definitions).filter(is_relative).chain(names).collect()
}

#[test]
fn readmes_have_no_relative_links() {
    assert_eq!(relative_links("[a](b.md) [`C`] [d](https://e) [f](#g)\n[h]: i.md\n"), ["b.md", "i.md", "C"]);
    for folder in packages() {
        let readme = folder.join("README.md");
        let page = std::fs::read_to_string(&readme).unwrap_or_else(|error| panic!("{}: {error}", readme.display()));
        let links = relative_links(&page);
        assert!(links.is_empty(), "{}: a registry's page cannot follow {links:?}", readme.display());
    }
}

#[test]
fn packages_contain_the_licences() {
    for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
        let licence = std::fs::read_to_string(root().join(name)).unwrap();
        for folder in packages() {
            let copy = std::fs::read_to_string(folder.join(name)).unwrap_or_default();
            assert!(copy == licence, "{} is not a copy of the {name} of the repository", folder.join(name).display());
        }
    }
}

#[test]
fn packages_say_what_they_are() {
    for folder in packages() {
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        for key in ["description", "keywords", "categories", "license", "repository", "readme"] {
            let has = manifest.lines().any(|line| line.starts_with(key) && line.contains('='));
            assert!(has, "{}: the key `{key}` is missing", folder.display());
        }
    }
}

#[test]
fn packages_leave_out_their_tests() {
    for folder in packages() {
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let excluded = manifest.lines().find(|line| line.starts_with("exclude = ")).unwrap_or_default();
        for data in ["golden", "tests"].into_iter().filter(|data| folder.join(data).is_dir()) {
            assert!(excluded.contains(&format!("\"/{data}\"")), "{}: exclude `/{data}`", folder.display());
        }
    }
}

#[test]
fn only_the_core_pins_its_macros() {
    let mut pinned = Vec::new();
    for folder in packages().into_iter().chain([root()]) {
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let pins = manifest.lines().filter(|line| line.contains("version = \"=")).map(str::to_owned);
        pinned.extend(pins.map(|line| line.split_whitespace().next().unwrap().to_owned()));
    }
    assert_eq!(pinned, ["exo-rails-macros"]);
}

#[test]
fn the_repository_has_no_symbolic_links() {
    let mut all = Vec::new();
    walk(&root(), &mut all);
    let links: Vec<_> = all.iter().filter(|path| path.is_symlink()).collect();
    assert!(links.is_empty(), "a checkout without symbolic links cannot use {links:?}");
}
