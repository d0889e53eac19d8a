//! Configuration files that change while an agent runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use exo_rails::Reloadable;
use exo_rails::prelude::*;
use exo_rails_guards::store::GuardStore;
use exo_rails_guards::{ConfigWatch, Kit, Reload, WatchError};
use futures_util::future::join_all;
use serde_json::json;
use tempfile::TempDir;

fn rules(decision: &str) -> String {
    format!("[permissions]\nrules = [{{ tool = 'shell', decision = '{decision}' }}]\n")
}

fn start(file: &Path) -> Result<(Reloadable<Kit>, ConfigWatch), WatchError> {
    ConfigWatch::start(file, &Kit::builder())
}

/// Returns a file with rules that allow, and its directory.
fn file() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("policy.toml");
    fs::write(&file, rules("allow")).unwrap();
    (directory, file)
}

/// Waits for the next reading. The time is only a bound for a test that fails.
async fn changed(watch: &mut ConfigWatch) -> Reload {
    tokio::time::timeout(Duration::from_mins(1), watch.changed()).await.expect("the file is read again")
}

async fn runs(kit: &Reloadable<Kit>) -> bool {
    let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("done")) };
    let call = ToolCallInputs::new("shell").with_arguments(json!({ "command": "ls" }));
    kit.guard_tool_call(call, &mut RunContext::new("demo"), tool).await.unwrap().content == "done"
}

#[tokio::test]
async fn a_changed_file_replaces_the_guards() {
    let (_directory, file) = file();
    let (kit, mut watch) = start(&file).unwrap();
    assert!(runs(&kit).await);
    fs::write(&file, rules("deny")).unwrap();
    assert_eq!(changed(&mut watch).await.error, None);
    assert!(!runs(&kit).await);
}

#[tokio::test]
async fn a_file_that_is_replaced_by_a_rename_is_read() {
    let (directory, file) = file();
    let (kit, mut watch) = start(&file).unwrap();
    for decision in ["deny", "allow", "deny"] {
        let new = directory.path().join("new.toml");
        fs::write(&new, rules(decision)).unwrap();
        fs::rename(&new, &file).unwrap();
        assert_eq!(changed(&mut watch).await.error, None);
        assert_eq!(runs(&kit).await, decision == "allow");
    }
}

#[tokio::test]
async fn a_bad_file_changes_nothing_and_says_why() {
    let (_directory, file) = file();
    fs::write(&file, rules("deny")).unwrap();
    let (kit, mut watch) = start(&file).unwrap();
    let before = kit.current();
    let table = [
        ("[permissions]\nrule = 3", "line 2, column 1: unknown key `rule`: did you mean `rules`?"),
        ("[risk]\nthreshold = 300", "line 2, column 13: invalid value: integer `300`, expected u8"),
        ("", "the file is empty"),
        ("  \n", "the file is empty"),
        ("\u{feff}# The rules of the desk.\n\n  # They begin here.", "the file is empty"),
    ];
    for (text, error) in table {
        fs::write(&file, text).unwrap();
        let reload = changed(&mut watch).await;
        assert_eq!(reload.error.unwrap().to_string(), format!("{}: {error}", file.display()));
        assert!(std::sync::Arc::ptr_eq(&before, &kit.current()), "{text}");
        assert!(!runs(&kit).await);
    }
    fs::remove_file(&file).unwrap();
    assert!(changed(&mut watch).await.error.unwrap().to_string().contains("cannot be read"));
    assert!(!runs(&kit).await);
    fs::write(&file, rules("allow")).unwrap();
    // The new file may be read while it is empty.
    while changed(&mut watch).await.error.is_some() {}
    assert!(runs(&kit).await);
}

#[tokio::test]
async fn a_panic_of_the_function_that_makes_the_guard_is_an_error() {
    let (_directory, file) = file();
    let make = |text: &str, _: &GuardStore| {
        assert!(!text.contains("panic"), "a word is {}", "forbidden");
        Kit::from_toml(text)
    };
    let (_kit, mut watch) = ConfigWatch::start_with(&file, GuardStore::default(), make).unwrap();
    fs::write(&file, "[sizes] # panic").unwrap();
    let error = changed(&mut watch).await.error.unwrap().to_string();
    assert!(error.contains("the function that makes the guard panicked: a word is forbidden"), "{error}");
    fs::write(&file, rules("deny")).unwrap();
    assert_eq!(changed(&mut watch).await.error, None);
}

#[cfg(unix)]
#[tokio::test]
async fn symbolic_links_are_followed_and_may_change() {
    use std::os::unix::fs::symlink;

    let directory = tempfile::tempdir().unwrap();
    let [one, two] = ["one", "two"].map(|name| directory.path().join(name));
    for (version, decision) in [(&one, "allow"), (&two, "deny")] {
        fs::create_dir(version).unwrap();
        fs::write(version.join("policy.toml"), rules(decision)).unwrap();
    }
    // As Kubernetes mounts a `ConfigMap`: `policy.toml` -> `..data/policy.toml`, and `..data` -> a version.
    let mounted = directory.path().join("mounted");
    fs::create_dir(&mounted).unwrap();
    symlink(&one, mounted.join("..data")).unwrap();
    let file = mounted.join("policy.toml");
    symlink("..data/policy.toml", &file).unwrap();

    let (kit, mut watch) = start(&file).unwrap();
    assert!(runs(&kit).await);
    symlink(&two, mounted.join("..new")).unwrap();
    fs::rename(mounted.join("..new"), mounted.join("..data")).unwrap();
    assert_eq!(changed(&mut watch).await.error, None);
    assert!(!runs(&kit).await);
    // The directory of the new target is watched too.
    fs::write(two.join("policy.toml"), rules("allow")).unwrap();
    assert_eq!(changed(&mut watch).await.error, None);
    assert!(runs(&kit).await);
}

/// What is not a file must not block the watch, and must not fill the memory.
#[cfg(unix)]
#[tokio::test]
async fn pipes_devices_and_large_files_are_bad_files() {
    use std::os::unix::fs::symlink;
    use std::process::Command;

    /// A function that makes a file, and the error about the file.
    type Row<'a> = (&'a dyn Fn(&Path), &'a str);

    let (_directory, file) = file();
    let (kit, mut watch) = start(&file).unwrap();
    let pipe = |file: &Path| assert!(Command::new("mkfifo").arg(file).status().unwrap().success());
    let table: [Row<'_>; 4] = [
        (&pipe, "cannot be read: it is a pipe, not a regular file"),
        (&|file| symlink("/dev/zero", file).unwrap(), "cannot be read: it is a device, not a regular file"),
        (&|file| fs::create_dir(file).unwrap(), "cannot be read: it is a directory, not a regular file"),
        (&|file| fs::File::create(file).unwrap().set_len(1 << 40).unwrap(), "cannot be read: it has more than 4 MiB"),
    ];
    for (make, expected) in table {
        fs::remove_file(&file).or_else(|_| fs::remove_dir(&file)).unwrap();
        make(&file);
        while changed(&mut watch).await.error.is_none_or(|error| error.message != expected) {}
        assert!(runs(&kit).await);
        fs::remove_file(&file).or_else(|_| fs::remove_dir(&file)).unwrap();
        pipe(&file);
        assert!(start(&file).unwrap_err().to_string().ends_with("it is a pipe, not a regular file"));
        fs::remove_file(&file).unwrap();
        fs::write(&file, rules("allow")).unwrap();
        while changed(&mut watch).await.error.is_some() {}
    }
}

#[tokio::test]
async fn a_directory_that_is_made_again_is_read() {
    let parent = tempfile::tempdir().unwrap();
    let directory = parent.path().join("etc");
    let file = directory.join("policy.toml");
    fs::create_dir(&directory).unwrap();
    fs::write(&file, rules("allow")).unwrap();
    let (kit, mut watch) = start(&file).unwrap();
    fs::remove_dir_all(&directory).unwrap();
    assert!(changed(&mut watch).await.error.is_some());
    assert!(runs(&kit).await);
    for decision in ["deny", "allow"] {
        fs::create_dir_all(&directory).unwrap();
        fs::write(&file, rules(decision)).unwrap();
        while changed(&mut watch).await.error.is_some() {}
        assert_eq!(runs(&kit).await, decision == "allow");
    }
}

/// As programs are deployed: `current` is a link to the directory of a version.
#[cfg(unix)]
#[tokio::test]
async fn a_link_to_the_directory_may_change() {
    use std::os::unix::fs::symlink;

    let parent = tempfile::tempdir().unwrap();
    for decision in ["allow", "deny"] {
        fs::create_dir(parent.path().join(decision)).unwrap();
        fs::write(parent.path().join(decision).join("policy.toml"), rules(decision)).unwrap();
    }
    let current = parent.path().join("current");
    symlink("allow", &current).unwrap();
    let (kit, mut watch) = start(&current.join("policy.toml")).unwrap();
    symlink("deny", parent.path().join("new")).unwrap();
    fs::rename(parent.path().join("new"), &current).unwrap();
    assert_eq!(changed(&mut watch).await.error, None);
    assert!(!runs(&kit).await);
}

/// The guard stays as it is, also if the new one is made at this moment.
#[tokio::test]
async fn a_watch_that_is_dropped_replaces_nothing() {
    let (_directory, file) = file();
    let (start, begun) = std::sync::mpsc::channel();
    let (dropped, continues) = std::sync::mpsc::channel::<()>();
    let make = move |text: &str, _: &GuardStore| {
        if text.contains("deny") {
            start.send(()).unwrap();
            let _ = continues.recv();
        }
        Kit::from_toml(text)
    };
    let (kit, watch) = ConfigWatch::start_with(&file, GuardStore::default(), make).unwrap();
    fs::write(&file, rules("deny")).unwrap();
    begun.recv().unwrap();
    drop(watch);
    drop(dropped);
    // The thread drops the function at its end.
    assert!(begun.recv().is_err());
    assert!(runs(&kit).await);
}

#[tokio::test]
async fn other_files_of_the_directory_do_not_count() {
    let (directory, file) = file();
    let (_kit, mut watch) = start(&file).unwrap();
    fs::write(directory.path().join("other.toml"), "x").unwrap();
    fs::write(&file, rules("deny")).unwrap();
    assert_eq!(changed(&mut watch).await.number, 1);
}

#[test]
fn a_bad_file_at_the_start_is_an_error() {
    let (directory, file) = file();
    fs::write(&file, "[rsik]").unwrap();
    let error = start(&file).unwrap_err().to_string();
    assert_eq!(error, format!("{}: line 1, column 2: unknown key `rsik`: did you mean `risk`?", file.display()));
    let error = start(&directory.path().join("missing.toml")).unwrap_err().to_string();
    assert!(error.contains("cannot be read"), "{error}");
    let error = start(&directory.path().join("no/directory.toml")).unwrap_err().to_string();
    assert!(error.contains("cannot be watched"), "{error}");
}

#[test]
fn the_thread_ends_with_the_watch() {
    let (_directory, file) = file();
    let (kit, watch) = start(&file).unwrap();
    drop(watch);
    drop(kit);
}

/// A policy with several tables. The last ones deny the call.
fn long(decision: &str) -> String {
    format!("[sizes]\nmax_depth = 9\n\n[loops]\nwindow = 50\n\n{}", rules(decision))
}

/// Writes a file in pieces, and ends each with the rest of the pause.
fn write_slowly(file: &Path, text: &str, pieces: usize, pause: Duration, opens: impl Fn(&Path) -> fs::File) {
    use std::io::Write;

    let mut file = opens(file);
    for piece in text.as_bytes().chunks(text.len().div_ceil(pieces)) {
        file.write_all(piece).unwrap();
        std::thread::sleep(pause);
    }
}

fn truncated(file: &Path) -> fs::File {
    fs::File::create(file).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_written_slowly_switches_no_guard_off() {
    let writers = [(40, 20), (12, 150), (6, 900), (3, 2_500)];
    join_all(writers.map(|(pieces, pause)| is_written_slowly(pieces, pause))).await;
}

async fn is_written_slowly(pieces: usize, pause: u64) {
    let (_directory, file) = file();
    fs::write(&file, long("deny")).unwrap();
    let (kit, mut watch) = start(&file).unwrap();
    let new = format!("{}\n[risk]\nthreshold = 60\n", long("deny"));
    let path = file.clone();
    let writer = std::thread::spawn(move || write_slowly(&path, &new, pieces, Duration::from_millis(pause), truncated));
    while !writer.is_finished() {
        assert!(!runs(&kit).await, "{pieces} pieces with pauses of {pause} ms");
        let kit = kit.current();
        assert!(kit.sizes.is_some() && kit.loops.is_some(), "{pieces} pieces with pauses of {pause} ms");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    writer.join().unwrap();
    while kit.current().risk.is_none() {
        let _ = changed(&mut watch).await;
    }
    assert!(!runs(&kit).await);
}

#[tokio::test]
async fn a_file_that_lacks_a_guard_waits_for_a_confirmation() {
    let (_directory, file) = file();
    fs::write(&file, long("deny")).unwrap();
    let (kit, mut watch) = start(&file).unwrap();
    fs::write(&file, "[sizes]\nmax_depth = 9\n").unwrap();
    let reload = changed(&mut watch).await;
    assert!(reload.is_pending);
    let error = reload.error.unwrap().to_string();
    assert!(error.contains("the file lacks `loops`, `permissions`, which the guards have now"), "{error}");
    let finding = reload.finding.unwrap().to_string();
    assert!(finding.contains("watch/pending: the new configuration removes `loops`, `permissions`"), "{finding}");
    assert!(!runs(&kit).await);

    // Only this reading is confirmed.
    watch.confirm(reload.number + 1);
    tokio::time::sleep(Duration::from_millis(900)).await;
    assert!(!runs(&kit).await);
    watch.confirm(reload.number);
    let reload = changed(&mut watch).await;
    assert_eq!((reload.error, reload.is_pending), (None, false));
    assert_eq!(
        reload.finding.unwrap().to_string(),
        "watch/reloaded: the new configuration removes `loops`, `permissions`"
    );
    assert!(runs(&kit).await);
}

#[tokio::test]
async fn a_guard_that_a_file_switches_off_needs_no_confirmation() {
    let (_directory, file) = file();
    fs::write(&file, long("deny")).unwrap();
    let (kit, mut watch) = start(&file).unwrap();
    fs::write(&file, "[sizes]\nmax_depth = 9\n[loops]\nwindow = 50\n[permissions]\nmode = 'off'\n").unwrap();
    assert_eq!(changed(&mut watch).await.error, None);
    assert!(runs(&kit).await);
    // The table is off already.
    fs::write(&file, "[sizes]\nmax_depth = 9\n[loops]\nwindow = 50\n").unwrap();
    assert_eq!(changed(&mut watch).await.error, None);
}

#[tokio::test]
async fn a_complete_file_is_taken_after_an_incomplete_one() {
    let (_directory, file) = file();
    fs::write(&file, long("deny")).unwrap();
    let (kit, mut watch) = start(&file).unwrap();
    fs::write(&file, "[sizes]\n").unwrap();
    assert!(changed(&mut watch).await.is_pending);
    fs::write(&file, long("allow")).unwrap();
    let reload = changed(&mut watch).await;
    assert_eq!((reload.error, reload.is_pending), (None, false));
    assert!(runs(&kit).await);
}

/// Half of each limit is used, the file changes, and the other half is left.
#[tokio::test]
async fn a_changed_file_resets_no_guard() {
    let call = async |kit: &Reloadable<Kit>, ctx: &mut RunContext, tool: &str| {
        let call = ToolCallInputs::new(tool).with_arguments(json!({ "to": "qx@elsewhere.example" }));
        let output = |_| async { Ok::<_, OperationError>(ToolOutput::text("Write to qx@elsewhere.example.")) };
        kit.guard_tool_call(call, ctx, output).await.unwrap().content.starts_with("Write")
    };
    for (table, calls) in [
        (
            "[[budgets]]\nlimits = [{ name = 'b', of = 'tool_calls', most = 4, per = 'global' }]",
            [true, true, true, true, false],
        ),
        (
            "[[rate_limits]]\nlimits = [{ name = 'r', of = 'tool_calls', calls = 4, every = 'day' }]",
            [true, true, true, true, false],
        ),
        ("[sequence]\nrules = ['at most 4 send per agent']", [true, true, true, true, false]),
        ("[loops]\nrepetition = { warn = 2, refuse = 5, abort = 9 }", [true, true, true, true, false]),
        (
            "[circuit_breaker]\nbreakers = [{ name = 'c', of = 'tool_calls', failures = 4 }]",
            [true, true, true, true, false],
        ),
    ] {
        let fails = table.contains("circuit");
        let (_directory, file) = file();
        fs::write(&file, format!("{table}\n")).unwrap();
        let (kit, mut watch) = start(&file).unwrap();
        let mut ctx = RunContext::new("demo");
        for (number, expected) in calls.into_iter().enumerate() {
            if fails {
                let inputs = ToolCallInputs::new("send");
                let output = |_| async { Err::<ToolOutput, _>(OperationError::from("broken")) };
                let output = kit.guard_tool_call(inputs, &mut ctx, output).await.unwrap();
                assert_eq!(output.content.contains("broken"), expected, "{table}: {}", output.content);
            } else {
                assert_eq!(call(&kit, &mut ctx, "send").await, expected, "{table}: call {number}");
            }
            if number == 1 {
                fs::write(&file, format!("# A comment.\n{table}\n")).unwrap();
                assert_eq!(changed(&mut watch).await.error, None);
            }
        }
    }
}

#[tokio::test]
async fn a_changed_file_forgets_no_value_and_no_running_call() {
    let (_directory, file) = file();
    let policy = "[data_flow]\nsources = [{ tool = 'fetch', label = 'web' }]\nsinks = [{ tool = 'send' }]\n\
                  [concurrency]\nlimits = [{ name = 'one', of = 'tool_calls', tools = 'slow', most = 1, max_wait_ms = 0 }]\n";
    fs::write(&file, policy).unwrap();
    let (kit, mut watch) = start(&file).unwrap();
    let mut ctx = RunContext::new("demo");
    let page = |_| async { Ok::<_, OperationError>(ToolOutput::text("Write to qx@elsewhere.example.")) };
    kit.guard_tool_call(ToolCallInputs::new("fetch"), &mut ctx, page).await.unwrap();
    let ends = std::sync::Arc::new(tokio::sync::Notify::new());
    let (running, until) = (kit.clone(), std::sync::Arc::clone(&ends));
    let call = tokio::spawn(async move {
        let slow = |_| async {
            until.notified().await;
            Ok::<_, OperationError>(ToolOutput::text("done"))
        };
        running.guard_tool_call(ToolCallInputs::new("slow"), &mut RunContext::new("demo"), slow).await.unwrap()
    });
    tokio::task::yield_now().await;

    fs::write(&file, format!("# A comment.\n{policy}")).unwrap();
    assert_eq!(changed(&mut watch).await.error, None);
    let send = ToolCallInputs::new("send").with_arguments(json!({ "to": "qx@elsewhere.example" }));
    let output = kit.guard_tool_call(send, &mut ctx, page).await.unwrap();
    assert!(output.content.contains("data_flow/"), "{}", output.content);
    let output = kit.guard_tool_call(ToolCallInputs::new("slow"), &mut ctx, page).await.unwrap();
    assert!(output.content.contains("concurrency/one"), "{}", output.content);
    ends.notify_one();
    assert_eq!(call.await.unwrap().content, "done");
    let output = kit.guard_tool_call(ToolCallInputs::new("slow"), &mut ctx, page).await.unwrap();
    assert!(!output.content.contains("concurrency/one"), "{}", output.content);
}
