//! What the shipped rules for shell commands catch and ask, and how long it takes.

use std::collections::BTreeMap;
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use exo_rails_guards::shell::ShellRules;

use crate::Failure;
use crate::corpora::Corpora;

pub(crate) fn measure(corpora: Option<&Corpora>) -> Result<(), Failure> {
    let rules = ShellRules::default();
    if let Some(corpora) = corpora {
        let tests = corpora.folder("destructive_command_guard")?.join("tests");
        report(&rules, "corpus", &corpus(&tests.join("corpus"))?);
        report(&rules, "fixtures", &fixtures(&tests.join("fixtures"))?);
        report(&rules, "GTFOBins", &gtfobins(&corpora.folder("GTFOBins")?.join("_gtfobins"))?);
    }
    times(&rules);
    Ok(())
}

struct Case {
    command: String,
    /// The corpus says that the command must not run.
    harmful: bool,
}

fn corpus(folder: &Path) -> Result<Vec<Case>, Failure> {
    let mut cases = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            for entry in fs::read_dir(path)? {
                open.push(entry?.path());
            }
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            let read: toml::Table = toml::from_str(&fs::read_to_string(path)?)?;
            for case in read.get("case").and_then(toml::Value::as_array).into_iter().flatten() {
                let text = |key| case.get(key).and_then(toml::Value::as_str);
                // Cases without a command are about the protocol of a hook.
                if let (Some(command), Some(expected)) =
                    (text("command"), text("expected").or(text("expected_decision")))
                {
                    cases.push(Case { command: command.to_owned(), harmful: expected == "deny" });
                }
            }
        }
    }
    Ok(cases)
}

/// Reads the commands line by line: the files are not all YAML.
fn fixtures(folder: &Path) -> Result<Vec<Case>, Failure> {
    let mut cases = Vec::new();
    for file in ["destructive_commands.yaml", "safe_commands.yaml", "edge_cases.yaml"] {
        let mut harmful = file.starts_with("destructive");
        for line in fs::read_to_string(folder.join(file))?.lines() {
            match line {
                "false_positives:" => harmful = false,
                "false_negatives:" => harmful = true,
                _ => {}
            }
            let Some(value) = line.trim_start().strip_prefix("- command: ") else { continue };
            let value = value.trim_end();
            let inside = value.get(1..value.len().saturating_sub(1)).unwrap_or_default();
            let command = if value.starts_with('"') {
                inside.replace("\\\"", "\"").replace("\\\\", "\\")
            } else {
                inside.replace("''", "'")
            };
            cases.push(Case { command, harmful });
        }
    }
    Ok(cases)
}

/// The places of payloads in the examples of `GTFOBins`, and what stands there here.
const PAYLOADS: [(&str, &str); 6] = [
    ("/bin/sh", "rm -rf /home/other"),
    ("/path/to/command", "rm -rf /home/other"),
    ("/path/to/output-file", "/etc/cron.d/x"),
    ("/path/to/input-file", "/home/dev/.ssh/id_rsa"),
    ("/path/to/lib.so", "/home/other/lib.so"),
    ("attacker.com", "attacker.example.com"),
];

/// Reads the examples that run, write, send or load something, line by line. An example without a visible payload, such as `bash`, does
/// no harm that a text could show, so it is left out. An example that copies the command as a file is left out too: a command of
/// several words is not a file, so the example would do nothing.
fn gtfobins(folder: &Path) -> Result<Vec<Case>, Failure> {
    const KINDS: [&str; 7] =
        ["shell:", "command:", "file-write:", "file-upload:", "upload:", "reverse-shell:", "library-load:"];
    let mut files: Vec<_> = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_, Failure>>()?;
    files.sort();
    let mut cases = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file)?;
        let mut lines = text.lines().peekable();
        let mut is_wanted = false;
        while let Some(line) = lines.next() {
            let indent = line.len() - line.trim_start().len();
            if indent == 2 && line.trim_end().ends_with(':') {
                is_wanted = KINDS.contains(&line.trim());
            }
            let code = line.trim_start().trim_start_matches("- ");
            if !is_wanted || !code.starts_with("code: |") {
                continue;
            }
            let mut command = String::new();
            let inside = lines.peek().map_or(0, |next| next.len() - next.trim_start().len());
            while let Some(next) = lines.next_if(|next| next.trim().is_empty() || next.starts_with(&" ".repeat(inside)))
            {
                command.push_str(next.get(inside..).unwrap_or_default());
                command.push('\n');
            }
            if ["cp /bin/sh ", "cp /path/to/command "].iter().any(|copy| command.contains(copy)) {
                continue;
            }
            let plain = command.clone();
            for (place, payload) in PAYLOADS {
                command = command.replace(place, payload);
            }
            if command != plain {
                let command = command.replace("/path/to/", "/tmp/");
                cases.push(Case { command: command.trim_end().to_owned(), harmful: true });
            }
        }
    }
    Ok(cases)
}

fn report(rules: &ShellRules, name: &str, cases: &[Case]) {
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for case in cases {
        let verdict = rules.judge(&case.command);
        let expected = if case.harmful { "harmful" } else { "harmless" };
        *counts.entry((expected, verdict.decision.name())).or_default() += 1;
        if case.harmful == verdict.decision.passes() {
            let rule = verdict.deciding().map_or("no rule", |judgement| &judgement.rule);
            println!("{name}: {expected}, but {} ({rule}): {:?}", verdict.decision, case.command);
        }
    }
    println!("{name}: {} cases", cases.len());
    for ((expected, decision), count) in counts {
        println!("  {expected:8} {decision:6} {count}");
    }
}

fn times(rules: &ShellRules) {
    let texts = [
        ("plain, 201 bytes", "cd crates/core && RUST_LOG=debug cargo test --workspace --all-features -- --nocapture 2>&1 | grep -v warning | tail -20; git add -A && git commit -m 'Fix the parser of commands' && git push origin main".to_owned()),
        ("compound, 205 bytes", "for f in src/*.rs; do if grep -q unwrap \"$f\"; then echo \"$f: $(grep -c unwrap \"$f\")\"; sed -n '1,20p' \"$f\" | head -5; fi; done; while read -r line; do echo \"$line\" | tr a-z A-Z; done < names.txt 2>/dev/null".to_owned()),
        ("nested, 204 bytes", "find . -name '*.rs' -not -path './target/*' -exec grep -l Type {} + | xargs -I{} sh -c 'wc -l \"$1\" && git log -1 --format=%h -- \"$1\"' _ {} | sort -rn | head -20 && python3 -c 'print(sum(range(10)))' && ls".to_owned()),
        ("1 MB", "ls;".repeat(350_000)),
        ("64 kB of `$(`", "$(".repeat(32_000)),
        ("64 kB of `{a,b}`", "{a,b}".repeat(13_000)),
        ("4,000 variables", format!("psql {}", "a\"$x\"dro ".repeat(4_000))),
        ("512 commands", "git push;".repeat(512)),
    ];
    for (name, text) in texts {
        let mut measured: Vec<Duration> = (0..if text.len() < 300 { 5_001 } else { 21 })
            .map(|_| {
                let begin = Instant::now();
                black_box(rules.judge(black_box(&text)));
                begin.elapsed()
            })
            .collect();
        measured.sort();
        println!("{name:20} median {:?}, {}", measured[measured.len() / 2], rules.judge(&text).decision);
    }
}
