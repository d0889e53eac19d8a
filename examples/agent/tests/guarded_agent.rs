//! Runs the example `guarded_agent` as a user does, and checks its output.

use std::fs;
use std::path::PathBuf;

/// The key in the committed files.
const KEY: &str = "sk-live-4f9dEXAMPLE27b1a6e";

struct Run {
    code: Option<i32>,
    out: String,
    err: String,
}

fn guarded_agent(arguments: &[&str]) -> std::io::Result<Run> {
    let output = examples_agent::command("guarded_agent")?
        .args(arguments)
        // These runs use scripts, even if a live model is available.
        .env_remove("OPENAI_BASE_URL")
        .env_remove("OPENAI_API_KEY")
        .output()?;
    Ok(Run {
        code: output.status.code(),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}

/// A file or directory of this test. It is removed when it is dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> std::io::Result<Self> {
        let path = std::env::temp_dir().join(format!("guarded-agent-test-{}-{name}", std::process::id()));
        fs::create_dir_all(&path)?;
        Ok(Self(path))
    }

    /// Writes a file into the directory and returns its path.
    fn file(&self, name: &str, text: &str) -> std::io::Result<String> {
        let path = self.0.join(name);
        fs::write(&path, text)?;
        Ok(path.display().to_string())
    }

    fn path(&self) -> String {
        self.0.display().to_string()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Asserts that the output has these lines, in this order.
#[track_caller]
fn assert_in_order(out: &str, lines: &[&str]) {
    let mut rest = out;
    for line in lines {
        let at = rest.find(line);
        assert!(at.is_some(), "no `{line}` (or not in this place) in:\n{out}");
        rest = &rest[at.unwrap_or_default() + line.len()..];
    }
}

#[test]
fn the_agent_answers_and_every_decision_is_shown() -> std::io::Result<()> {
    let Run { code, out, err } = guarded_agent(&[])?;
    assert_eq!(code, Some(0), "{err}");
    assert_eq!(err, "");
    assert_in_order(
        &out,
        &[
            "start           \"Which orders are late",
            "[input_length > redact_keys]",
            // A rail replaces other names for a file with its plain path.
            "read_file path=\"notes/../orders.csv\"",
            "[no_shell > keep_files > stay_inside > no_repeats > call_budget]",
            "rewritten to read_file path=\"orders.csv\"",
            "llm_error       too many requests (rate limited, status 429)  [back_off]",
            "retry by back_off: rate limited (again after 50ms, at most 3 times)",
            "attempt 2",
            "[redact_keys > audit]",
            "rewritten to api_key = \"[key hidden]\"",
            "skip by stay_inside: `../../../etc/passwd` leads out of the directory of this",
            "skip by stay_inside: `/etc/hosts` leads out",
            "skip by stay_inside: `shared/passwords.txt` leads out",
            "tool_error      track_parcel: there is no tool `track_parcel`",
            "tool_error      search: the arguments of `search` are not JSON: EOF while parsing",
            "skip by no_repeats: this is call 3 with the same arguments",
            "skip by keep_files: files are deleted by people, not by agents",
            "post_llm_call   not accepted, so not shown  [keep_secrets]",
            "retry by keep_secrets: the answer tells a key (again, at most 1 time)",
            "Answer\n  Two orders are late: 1042 (Cafe Linden) and 1044 (Green Yard).",
            "52 continue, 5 skip, 2 retry",
            "10 run (2 of them failed), 5 skipped",
            "added reports/late-orders.md; changed none; deleted none",
        ],
    );
    Ok(())
}

#[test]
fn the_output_is_narrow_and_plain_and_contains_no_key() -> std::io::Result<()> {
    let out = guarded_agent(&[])?.out;
    assert!(!out.contains(KEY));
    assert!(!out.contains('\x1b'), "colours are for terminals");
    for line in out.lines() {
        assert!(line.chars().count() <= 100, "too wide: {line}");
        assert_eq!(line, line.trim_end());
    }
    Ok(())
}

#[test]
fn the_committed_files_stay_as_they_are() -> std::io::Result<()> {
    let files = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("guarded_agent/files");
    guarded_agent(&[])?;
    assert!(files.join("old/orders-2024.csv").is_file());
    assert!(!files.join("reports").exists());
    Ok(())
}

#[test]
fn an_abort_ends_the_run_and_names_the_rail_and_the_reason() -> std::io::Result<()> {
    let Run { code, out, .. } =
        guarded_agent(&["--files", "guarded_agent/abort/files", "--script", "guarded_agent/abort/script.json"])?;
    assert_eq!(code, Some(1));
    assert_in_order(
        &out,
        &[
            "[no_shell]",
            "abort by no_shell: `run_shell` could do anything",
            "error           the run ends without an answer",
            "No answer\n  rail `no_shell` aborted at pre_tool_call: `run_shell` could do anything",
            "deleted none",
        ],
    );
    assert!(!out.contains("The order is repaired."));
    Ok(())
}

#[test]
fn retries_that_are_used_up_end_the_run() -> std::io::Result<()> {
    let scratch = Scratch::new("retries")?;
    let script = scratch.file("script.json", &format!(r#"[{{ "say": "{KEY}" }}, {{ "say": "again: {KEY}" }}]"#))?;
    let Run { code, out, .. } = guarded_agent(&["--script", &script])?;
    assert_eq!(code, Some(1));
    assert!(!out.contains(KEY));
    assert_in_order(
        &out,
        &["retry by keep_secrets", "No answer", "rail `keep_secrets` wants a retry at post_llm_call"],
    );
    Ok(())
}

#[test]
fn a_key_in_the_question_or_in_a_call_is_hidden() -> std::io::Result<()> {
    let scratch = Scratch::new("keys")?;
    // The first letter of the key, as a JSON escape.
    let escaped = KEY.replacen('s', r"\\u0073", 1);
    let call = format!(r#"{{ "tool": "search", "raw_arguments": "{{\"text\": \"{escaped}\"}}" }}"#);
    let script = scratch.file("script.json", &format!(r#"[{{ "call": [{call}] }}, {{ "say": "Done." }}]"#))?;
    let Run { code, out, .. } = guarded_agent(&["--script", &script, "--input", &format!("Is {KEY} ours?")])?;
    assert_eq!(code, Some(0));
    assert!(!out.contains(KEY));
    assert_in_order(
        &out,
        &["\"Is [key hidden] ours?\"", "the call of `search` tells a key", "0 run (0 of them failed), 0 skipped"],
    );
    Ok(())
}

#[test]
fn a_question_that_is_not_accepted_is_not_shown() -> std::io::Result<()> {
    let Run { code, out, .. } = guarded_agent(&["--input", &format!("{KEY} {}", "a".repeat(2_000))])?;
    assert_eq!(code, Some(1));
    assert!(!out.contains(KEY));
    assert_in_order(
        &out,
        &["start", "abort by input_length: a question of", "No answer", "rail `input_length` aborted"],
    );
    Ok(())
}

#[test]
fn a_script_that_ends_too_early_fails_the_run() -> std::io::Result<()> {
    let scratch = Scratch::new("short")?;
    let script = scratch.file("script.json", "[]")?;
    let Run { code, out, .. } = guarded_agent(&["--script", &script])?;
    assert_eq!(code, Some(1));
    assert!(out.contains("No answer\n  the model failed: the script has 0 turns and this is call 1"), "{out}");
    Ok(())
}

#[test]
fn a_script_never_harms_the_files_of_the_user() -> std::io::Result<()> {
    let files = Scratch::new("files")?;
    files.file("mine.txt", "mine")?;
    let scratch = Scratch::new("harm")?;
    let write = r#"{ "tool": "write_file", "arguments": { "path": "mine.txt", "text": "yours" } }"#;
    let script = scratch.file("script.json", &format!(r#"[{{ "call": [{write}] }}, {{ "say": "Done." }}]"#))?;
    let Run { code, out, .. } = guarded_agent(&["--files", &files.path(), "--script", &script])?;
    assert_eq!(code, Some(0));
    assert!(out.contains("added none; changed mine.txt; deleted none"), "{out}");
    assert_eq!(fs::read_to_string(files.0.join("mine.txt"))?, "mine");
    Ok(())
}

#[test]
fn a_path_without_a_name_is_not_followed() -> std::io::Result<()> {
    let scratch = Scratch::new("unnamed")?;
    let call = r#"{ "tool": "read_file", "arguments": ["../../etc/passwd"] }"#;
    let script = scratch.file("script.json", &format!(r#"[{{ "call": [{call}] }}, {{ "say": "Done." }}]"#))?;
    let Run { code, out, .. } = guarded_agent(&["--script", &script])?;
    assert_eq!(code, Some(0));
    assert_in_order(&out, &["skip by stay_inside: arguments without names", "0 run (0 of them failed), 1 skipped"]);
    Ok(())
}

#[cfg(unix)]
#[test]
fn a_script_cannot_write_through_links_that_leave_the_folder() -> std::io::Result<()> {
    let (files, outside) = (Scratch::new("links")?, Scratch::new("outside")?);
    std::os::unix::fs::symlink(&outside.0, files.0.join("out"))?;
    std::os::unix::fs::symlink(outside.0.join("new.txt"), files.0.join("dangling"))?;
    let paths = ["out/new.txt", "dangling", "no/../../new.txt", "out/../../new.txt"];
    let calls = paths.map(|path| {
        format!(r#"{{ "tool": "write_file", "arguments": {{ "path": "{path}", "text": "from the agent" }} }}"#)
    });
    let script = outside.file("script.json", &format!(r#"[{{ "call": [{}] }}, {{ "say": "" }}]"#, calls.join(",")))?;
    let Run { code, out, .. } = guarded_agent(&["--files", &files.path(), "--script", &script])?;
    assert_eq!(code, Some(0));
    assert!(out.contains("0 run (0 of them failed), 4 skipped"), "{out}");
    assert!(!outside.0.join("new.txt").exists());
    Ok(())
}

#[test]
fn bad_input_is_one_clear_message() -> std::io::Result<()> {
    let scratch = Scratch::new("bad")?;
    let script = scratch.file("script.json", "[\n  { \"said\": \"Done.\" }\n]")?;
    let malformed = format!("the script {script} is wrong at line 2, column 10: unknown field `said`");
    for (arguments, message) in [
        (&["--script", &script][..], malformed.as_str()),
        (&["--script", "no/such.json"], "cannot read the script no/such.json"),
        (&["--files", "no/such"], "cannot copy the files in no/such"),
        (&["--files", "Cargo.toml"], "cannot copy the files in Cargo.toml: not a directory"),
        (&["--fils", "x"], "invalid option '--fils'"),
        (&["--files"], "missing argument for option '--files'"),
        (&["stray"], "unexpected argument \"stray\""),
    ] {
        let Run { code, out, err } = guarded_agent(arguments)?;
        assert_eq!(code, Some(2), "{arguments:?}: {err}");
        assert!(err.contains(message), "{arguments:?}: {err}");
        assert_eq!(out, "", "{arguments:?}");
        assert!(!err.contains("panicked"), "{err}");
    }
    Ok(())
}

#[test]
fn the_help_lists_the_options() -> std::io::Result<()> {
    let Run { code, out, .. } = guarded_agent(&["--help"])?;
    assert_eq!(code, Some(0));
    assert_in_order(
        &out,
        &["Usage:", "--files DIR", "It is copied first", "--script FILE", "--input TEXT", "Exit codes"],
    );
    Ok(())
}
