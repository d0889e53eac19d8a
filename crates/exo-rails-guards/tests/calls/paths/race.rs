//! Another thread replaces files, directories and links as fast as it can. Nothing from outside is ever read or written
//! through the handle.

use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use exo_rails_guards::paths::{PathError, Rights};

use crate::paths::Playground;
use crate::paths::handle::with_needs;

/// Calls the closure while another thread swaps the names `swap` and `swap-file` in the project, 40 times for each random case of other
/// tests. So `PROPTEST_CASES` sets the length of this test too.
fn while_swapping(playground: &Playground, mut work: impl FnMut()) {
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                swap(&playground.project());
            }
        });
        // Also when an assertion fails, the other thread ends.
        let _ends = Ends(&done);
        let until = Instant::now() + Duration::from_secs(20);
        for _ in 0..proptest::test_runner::Config::default().cases * 40 {
            work();
            if Instant::now() > until {
                break;
            }
        }
    });
}

struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn swap(project: &Path) {
    let (directory, file) = (project.join("swap"), project.join("swap-file"));
    // Renaming replaces a name in one step, so an opener sees one or the other, and rarely nothing.
    let next = project.join("next");
    for target in ["../outside", "src", "../outside/deep", "../../../../../../etc"] {
        drop(fs::remove_file(&next));
        drop(symlink(target, &next));
        drop(fs::rename(&next, &directory));
    }
    drop(fs::remove_file(&directory));
    drop(fs::create_dir(&directory));
    drop(fs::write(directory.join("secret.txt"), "inside"));
    drop(fs::write(directory.join("main.rs"), "inside"));
    for target in ["../outside/secret.txt", ".env", ".git/config", "README.md"] {
        drop(fs::remove_file(&next));
        drop(symlink(target, &next));
        drop(fs::rename(&next, &file));
    }
    drop(fs::write(&next, "inside"));
    drop(fs::rename(&next, &file));
    drop(fs::remove_dir_all(&directory));
}

#[test]
fn nothing_outside_is_read() {
    let playground = Playground::new();
    let roots = with_needs(&playground, Rights::ALL);
    let (mut opened, mut refused, mut raced) = (0, 0, 0);
    while_swapping(&playground, || {
        for path in ["swap/secret.txt", "swap-file", "swap/main.rs", "swap/passwd", "swap/../swap/deep/secret.txt"] {
            match roots.open(path) {
                Ok(mut file) => {
                    let mut content = String::new();
                    file.read_to_string(&mut content).unwrap();
                    // A file can be empty while the other thread writes it.
                    assert!(matches!(content.as_str(), "inside" | ""), "{path} reads {content}");
                    opened += 1;
                }
                Err(PathError::Refused(_)) => refused += 1,
                Err(_) => raced += 1,
            }
        }
        let Ok(entries) = roots.read_dir("swap") else { return };
        assert!(entries.iter().all(|entry| entry.name != "deep" && entry.name != "passwd"), "{entries:?}");
    });
    // The test proves something only if all three happen.
    assert!(opened > 0 && refused > 0 && raced > 0, "{opened} opened, {refused} refused, {raced} raced");
}

#[test]
fn nothing_outside_is_changed() {
    let playground = Playground::new();
    let roots = with_needs(&playground, Rights::ALL);
    let mut written = 0;
    while_swapping(&playground, || {
        for path in ["swap/secret.txt", "swap-file", "swap/new.txt"] {
            if let Ok(mut file) = roots.create(path) {
                // The other thread also removes files, so a failed write is no failure of the sandbox.
                written += usize::from(file.write_all(b"inside").is_ok());
            }
        }
        drop(roots.remove_file("swap/secret.txt"));
        drop(roots.create_dir_all("swap/made"));
        drop(roots.rename("swap/new.txt", "swap/secret.txt"));
    });
    assert!(written > 0);
    assert_eq!(fs::read_to_string(playground.path("outside/secret.txt")).unwrap(), "SECRET");
    assert_eq!(fs::read_to_string(playground.path("outside/deep/secret.txt")).unwrap(), "SECRET");
    assert_eq!(fs::read_to_string(playground.path("project/.env")).unwrap(), "DENIED");
    assert_eq!(fs::read_to_string(playground.path("project/.git/config")).unwrap(), "DENIED");
    for name in ["outside/new.txt", "outside/made", "outside/deep/new.txt", "outside/deep/made"] {
        assert!(!playground.path(name).exists(), "{name}");
    }
}
