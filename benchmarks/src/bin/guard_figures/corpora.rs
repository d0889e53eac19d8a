//! The public corpora: where they come from, and where they are on this machine.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use crate::Failure;

const MANIFEST: &str = include_str!("../../../corpora.toml");

#[derive(Deserialize)]
struct Manifest {
    corpus: Vec<Corpus>,
}

#[derive(Deserialize)]
struct Corpus {
    name: String,
    repository: String,
    commit: String,
    paths: Vec<String>,
}

/// A folder with corpora.
pub(crate) struct Corpora {
    folder: PathBuf,
    known: Vec<Corpus>,
}

impl Corpora {
    pub(crate) fn new(folder: &Path) -> Result<Self, Failure> {
        Ok(Self { folder: folder.to_owned(), known: toml::from_str::<Manifest>(MANIFEST)?.corpus })
    }

    /// Returns the folder of a corpus. Warns if it has another commit than the manifest.
    pub(crate) fn folder(&self, name: &str) -> Result<PathBuf, Failure> {
        let corpus = self.known.iter().find(|corpus| corpus.name == name).ok_or("the manifest has no such corpus")?;
        let folder = self.folder.join(name);
        if let Some(missing) = corpus.paths.iter().map(|path| folder.join(path)).find(|path| !path.exists()) {
            let (missing, folder, Corpus { repository, commit, .. }) = (missing.display(), folder.display(), corpus);
            return Err(format!(
                "the corpus `{name}` is missing: there is no `{missing}`. Get it with\n  git clone {repository} {folder}\n  git -C {folder} checkout {commit}"
            )
            .into());
        }
        match commit(&folder) {
            Some(found) if found == corpus.commit => {}
            Some(found) => {
                eprintln!("warning: `{name}` is at commit {found}, and the figures are for {}", corpus.commit);
            }
            None => eprintln!("warning: `{name}` is not a checkout, so its commit is unknown"),
        }
        Ok(folder)
    }
}

/// Returns the commit of a checkout.
fn commit(folder: &Path) -> Option<String> {
    let git = |argument: &str| {
        let output = Command::new("git").arg("-C").arg(folder).args(["rev-parse", argument]).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    };
    // The folder could also be in another repository.
    git("--show-prefix").filter(String::is_empty)?;
    git("HEAD")
}
