//! The guard of paths against attacks, against mishaps of a file system, and on everyday work.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may panic")]

mod call;
mod configuration;
mod evasion;
#[cfg(unix)]
mod files;
mod handle;
#[cfg(unix)]
mod race;
mod work;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use exo_rails_guards::paths::{PathRule, PathSandbox, PathSandboxBuilder, Rights};

/// A temporary directory with a root, `project`, and files outside of it.
struct Playground {
    dir: PathBuf,
}

impl Playground {
    fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let dir = std::env::temp_dir().join(format!("exo-rails-paths-{}-{number}", std::process::id()));
        let dir = {
            fs::create_dir_all(&dir).unwrap();
            fs::canonicalize(dir).unwrap()
        };
        for sub in ["project/src", "project/.git/hooks", "project/empty", "outside/deep", "library"] {
            fs::create_dir_all(dir.join(sub)).unwrap();
        }
        for (file, content) in [
            ("project/README.md", "inside"),
            ("project/src/main.rs", "inside"),
            ("project/.env", "DENIED"),
            ("project/.git/config", "DENIED"),
            ("project/server.pem", "DENIED"),
            ("outside/secret.txt", "SECRET"),
            ("outside/deep/secret.txt", "SECRET"),
            ("library/book.txt", "inside"),
        ] {
            fs::write(dir.join(file), content).unwrap();
        }
        Self { dir }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.dir.join(path)
    }

    fn project(&self) -> PathBuf {
        self.path("project")
    }

    fn builder(&self) -> PathSandboxBuilder {
        PathSandbox::builder().root("project", self.project(), Rights::ALL)
    }

    fn sandbox(&self) -> PathSandbox {
        self.builder().build().unwrap()
    }
}

impl Drop for Playground {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.dir));
    }
}

const READ: Rights = Rights::READ;

/// Returns the rule that a path breaks, if it breaks one.
fn rule(sandbox: &PathSandbox, path: &str) -> Option<PathRule> {
    sandbox.check_path(path, READ).err().map(|refusal| refusal.rule())
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}
