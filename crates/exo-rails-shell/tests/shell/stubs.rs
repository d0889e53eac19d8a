//! What bash really runs: random compositions of wrappers, quotes and descriptors around a payload. If bash runs the payload, the crate has
//! found it, or asks because something is not known.
//!
//! The payload is a program that leaves a file. The only directory of programs has links to a few harmless ones, and everything runs in a
//! temporary folder. `EXO_RAILS_STUBS` is the number of compositions, 100 without it.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use exo_rails_shell::{EffectKind, ShellRules};

/// Programs that the compositions use. None of them changes anything outside of the folder.
const PROGRAMS: [&str; 19] = [
    "base64", "bash", "cat", "env", "find", "head", "nice", "nohup", "printf", "rev", "sed", "seq", "sh", "sort",
    "tail", "tee", "timeout", "tr", "xargs",
];

/// A source of numbers that is the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % end as u64).unwrap()
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// The spellings of a command that runs the payload.
const PAYLOADS: [&str; 12] = [
    "payload x",
    "pay''load x",
    r"p\ayload x",
    "$'payl\\157ad' x",
    "\"payload\" x",
    "${none:-payload} x",
    "$(echo payload) x",
    "p=payload; $p x",
    "{payload,x}",
    "p=(payload x); \"${p[@]}\"",
    "p=load; \"pay$p\" x",
    "printf -v p %s payload; $p x",
];

/// Puts a text into another one that runs it.
fn wrapped(text: &str, numbers: &mut Numbers) -> String {
    let q = quoted(text);
    let twice = quoted(&q);
    let end = format!("END{}", numbers.below(1_000));
    let forms = [
        format!("bash -c {q}"),
        format!("sh -c {q}"),
        format!("eval {q}"),
        format!("echo {q} | bash"),
        format!("printf '%s\\n' {q} | sh"),
        format!("bash <<< {q}"),
        format!("bash -s <<< {q}"),
        format!("bash /dev/stdin <<< {q}"),
        format!("bash <<'{end}'\n{text}\n{end}"),
        format!("env A=1 bash -c {q}"),
        format!("nice -n 5 timeout 9 bash -c {q}"),
        format!("nohup sh -c {q} 2> /dev/null"),
        format!("( {text}\n)"),
        format!("{{ {text}\n}}"),
        format!("if true; then {text}\nfi"),
        format!("if {text}\nthen :; fi"),
        format!("for i in 1; do {text}\ndone"),
        format!("while true; do {text}\nbreak; done"),
        format!("until {text}\ndo break; done"),
        format!("case x in x) {text}\n;; esac"),
        format!("f() {{ {text}\n}}; f"),
        format!("function g {{ {text}\n}}; g a"),
        format!("trap {q} EXIT"),
        format!("exec 3<<<{q}; bash <&3"),
        format!("exec 7<<<{q}; bash /dev/fd/7"),
        format!("exec {{d}}<<<{q}; bash <&$d"),
        format!("source /dev/stdin <<< {q}"),
        format!(". <(printf %s {q})"),
        format!("bash <(echo {q})"),
        format!("cat <<'{end}' > s.sh\n{text}\n{end}\nbash s.sh"),
        format!("echo {q} > t.sh; . ./t.sh"),
        format!("echo {q} | tee u.sh > /dev/null; sh u.sh"),
        format!("v={q}; eval \"$v\""),
        format!("v={q}; bash -c \"$v\""),
        format!("a=(bash -c {q}); \"${{a[@]}}\""),
        format!("mapfile -t m <<< {q}; eval \"${{m[@]}}\""),
        format!("IFS= read -r -d '' l <<< {q}; eval \"$l\""),
        format!("printf -v w %s {q}; eval \"$w\""),
        format!("true && {{ {text}\n}}"),
        format!("false || {{ {text}\n}}"),
        format!("echo $({text}\n)"),
        format!("echo \"$({text}\n)\""),
        format!("cat <({text}\n)"),
        format!("echo a > >({text}\n); wait"),
        format!("{{ {text}\n}} & wait"),
        format!("coproc {{ {text}\n}}; wait"),
        format!("[[ -n $({text}\n) ]]"),
        format!("(( 1 + $({text}\n echo 1) ))"),
        format!("echo ${{y:=$({text}\n)}}"),
        format!("k='$({})'; echo \"${{k@P}}\"", text.replace('\'', r"'\''")),
        format!("find . -maxdepth 0 -exec bash -c {q} \\;"),
        format!("echo 1 | xargs -I% bash -c {q}"),
        format!("echo {twice} | xargs bash -c"),
        format!("time {{ {text}\n}}"),
        format!("! {{ {text}\n}}"),
        format!("command bash -c {q}"),
        format!("builtin eval {q}"),
        format!("echo {q} | cat | sort | bash"),
        format!("echo {q} | rev | rev | bash"),
        format!("echo {q} | base64 | base64 -d | sh"),
        format!("BASH_ENV=<(echo {q}) bash -c true"),
        format!("echo {q} > e.sh; BASH_ENV=e.sh bash -c :"),
        format!("export Z={q}; bash -c 'eval \"$Z\"'"),
        format!("set -- {q}; eval \"$1\""),
        format!("h() {{ eval \"$1\"; }}; h {q}"),
        format!("bash -c 'eval \"$0\"' {q}"),
        format!("sed 's/^/ /' <<< {q} | bash"),
        format!("{{ cat; }} <<< {q} | bash"),
    ];
    forms[numbers.below(forms.len())].clone()
}

fn folder() -> PathBuf {
    let folder = std::env::temp_dir().join(format!("exo-rails-shell-stubs-{}", std::process::id()));
    let programs = folder.join("programs");
    fs::create_dir_all(&programs).unwrap();
    for program in PROGRAMS {
        if let Some(path) = ["/usr/bin", "/bin"].iter().map(|at| Path::new(at).join(program)).find(|path| path.exists())
        {
            symlink(path, programs.join(program)).unwrap();
        }
    }
    let payload = programs.join("payload");
    fs::write(&payload, format!("#!/bin/sh\n: > {}/ran\n", folder.display())).unwrap();
    fs::set_permissions(&payload, fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

#[test]
fn what_bash_runs_is_found() {
    let is_there = |program: &str| Command::new(program).arg("--version").stdout(Stdio::null()).status().is_ok();
    if !is_there("bash") || !is_there("timeout") {
        println!("skipped: there is no `bash`, or no `timeout`");
        return;
    }
    let texts = std::env::var("EXO_RAILS_STUBS").ok().and_then(|count| count.parse().ok()).unwrap_or(100);
    let folder = folder();
    let work = folder.join("work");
    let mut numbers = Numbers(42);
    let (mut ran, mut missed) = (0, Vec::new());
    for _ in 0..texts {
        let mut text = PAYLOADS[numbers.below(PAYLOADS.len())].to_owned();
        for _ in 0..=numbers.below(3) {
            text = wrapped(&text, &mut numbers);
        }
        let _ = fs::remove_dir_all(&work);
        let _ = fs::remove_file(folder.join("ran"));
        fs::create_dir_all(&work).unwrap();
        let status = Command::new("timeout")
            .args(["--signal=KILL", "1", "bash", "--noprofile", "--norc", "-c", &text])
            .env_clear()
            .env("PATH", folder.join("programs"))
            .env("HOME", &work)
            .current_dir(&work)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        if status.is_err() || !folder.join("ran").exists() {
            continue;
        }
        ran += 1;
        let judged = ShellRules::default().judge(&text);
        let is_payload = |object: &str| object == "payload" || object.starts_with("an unknown program");
        let found =
            judged.effects.iter().any(|effect| effect.kind == EffectKind::Unknown && is_payload(&effect.object));
        if !found && judged.decision.passes() {
            missed
                .push(format!("{text}\n    {:?}", judged.effects.iter().map(ToString::to_string).collect::<Vec<_>>()));
        }
    }
    fs::remove_dir_all(&folder).unwrap();
    println!("bash ran the payload in {ran} of {texts} texts");
    assert!(ran > texts / 2, "bash ran the payload in {ran} of {texts} texts");
    assert!(missed.is_empty(), "{} of {ran}:\n{}", missed.len(), missed.join("\n"));
}
