//! Writes and compiles the crates.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Result;
use crate::sources::Variant;

/// A crate with a number of functions or rails.
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
}

/// The kind of the crates.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Libraries,
    Programs,
}

impl Kind {
    fn folder(self) -> &'static str {
        match self {
            Self::Libraries => "libraries",
            Self::Programs => "programs",
        }
    }

    pub(crate) fn file(self) -> &'static str {
        match self {
            Self::Libraries => "src/lib.rs",
            Self::Programs => "src/main.rs",
        }
    }

    /// Returns the variants for each number of rails.
    fn variants(self) -> &'static [Variant] {
        match self {
            Self::Libraries => &[Variant::ByHand, Variant::Rails, Variant::Nested],
            Self::Programs => &[Variant::ByHand, Variant::Rails],
        }
    }

    fn source(self, variant: Variant, rails: usize) -> String {
        match self {
            Self::Libraries => variant.library(rails),
            Self::Programs => variant.program(rails),
        }
    }
}

/// Returns the folder of the crates.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/check_cost")
}

/// Writes a workspace with an empty crate. For each number, adds a crate of functions and a crate of rails, in this
/// order. For libraries, also adds a crate of rails in nested chains.
pub(crate) fn write(kind: Kind, rails: &[usize]) -> Result<Vec<Package>> {
    let root = root().join(kind.folder());
    let most = rails.iter().copied().max().unwrap_or_default();
    let mut packages = vec![package(&root, kind, Variant::Empty, most)?];
    for &rails in rails {
        for &variant in kind.variants() {
            packages.push(package(&root, kind, variant, rails)?);
        }
    }
    let members: Vec<_> = packages.iter().map(|package| format!("{:?}", package.name)).collect();
    fs::write(root.join("Cargo.toml"), format!("[workspace]\nmembers = [{}]\nresolver = \"3\"\n", members.join(", ")))?;
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.lock"), root.join("Cargo.lock"))?;
    Ok(packages)
}

fn package(root: &Path, kind: Kind, variant: Variant, rails: usize) -> Result<Package> {
    let name = match variant {
        Variant::Empty => variant.name().to_owned(),
        _ => format!("{}_{rails}", variant.name()),
    };
    let folder = root.join(&name);
    fs::create_dir_all(folder.join("src"))?;
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../exo-rails");
    fs::write(
        folder.join("Cargo.toml"),
        format!(
            "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\nexo-rails.path = '{}'\n",
            library.display(),
        ),
    )?;
    fs::write(folder.join(kind.file()), kind.source(variant, rails))?;
    Ok(Package { name, folder })
}

/// Removes the incremental results of the crate with this name.
pub(crate) fn forget(target: &Path, name: &str) -> Result<()> {
    for kept in fs::read_dir(target.join("debug/incremental"))? {
        let kept = kept?;
        // The rest of the name is a hash.
        if kept.file_name().to_string_lossy().rsplit_once('-').is_some_and(|(of, _)| of == name) {
            fs::remove_dir_all(kept.path())?;
        }
    }
    Ok(())
}

impl Package {
    /// Runs a command of Cargo, such as `check`, in the crate.
    pub(crate) fn cargo(&self, args: &[&str], target: &Path, incremental: bool) -> Result<()> {
        let output = Command::new(env!("CARGO"))
            .args(args)
            .args(["--quiet", "--offline", "--target-dir"])
            .arg(target)
            .env("CARGO_INCREMENTAL", if incremental { "1" } else { "0" })
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .output()?;
        if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into()) }
    }
}
