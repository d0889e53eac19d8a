//! A directory with files, in which the program runs.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use tempfile::TempDir;

/// A machine that needs two rounds.
pub(crate) const REVIEW: &str = r#"machine "Review"

Context job {
    title<string>: "Tea";
    score<number>: 0;
}

Init begin;
Task draft { prompt: "Write about {{job.title}}."; }
Task review { prompt: "Rate the text from 0 to 1."; }
End done;

begin -> draft -> review;
draft -read: title-> job;
review -write: score-> job;
review -@auto, when: "score > 0.9"-> done;
review -> draft;
"#;

pub(crate) const SCRIPT: &str = r#"[
    { "say": "Tea is hot." },
    { "call": [{ "tool": "write_job", "arguments": { "field": "score", "value": 0.5 } }] },
    { "say": "Bad." },
    { "say": "Tea is hot, and good." },
    { "call": [{ "tool": "write_job", "arguments": { "field": "score", "value": 0.95 } }] },
    { "say": "Good." }
]"#;

pub(crate) struct Desk(TempDir);

/// What the program printed, and its code.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) errors: String,
}

impl Desk {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Makes a directory with the machine `review.dygram` and the script `script.json`.
    pub(crate) fn with_review() -> Self {
        let desk = Self::new();
        desk.write("review.dygram", REVIEW);
        desk.write("script.json", SCRIPT);
        desk
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    /// Returns the program in this directory, without the models of this machine's environment.
    pub(crate) fn program(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_exo-rails"));
        command.arg("machine").args(arguments.split_whitespace()).current_dir(self.0.path());
        for variable in
            ["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL", "CLICOLOR_FORCE"]
        {
            command.env_remove(variable);
        }
        command
    }

    pub(crate) fn run(&self, arguments: &str) -> Ran {
        let Output { status, stdout, stderr } = self.program(arguments).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Ran { code: status.code().unwrap(), out: text(stdout), errors: text(stderr) }
    }
}
