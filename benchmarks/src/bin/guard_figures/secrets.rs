//! The guard of secrets: the tests of gitleaks and of detect-secrets, and benign text.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use exo_rails_guards::Secrets;

use crate::Failure;
use crate::corpora::Corpora;
use crate::text::{benign, times};

type Result<T> = std::result::Result<T, Failure>;

/// Reads the cases of the tests, which are Go and Python.
const READ: &str = include_str!("read_secrets.py");

/// A text of a test, and whether it has a secret.
struct Case {
    corpus: String,
    rule: String,
    text: String,
    is_secret: bool,
    secret: Option<String>,
}

pub(crate) async fn measure(corpora: Option<&Corpora>) -> Result<()> {
    let secrets = Secrets::builder().build()?;
    times("secrets", &secrets, Secrets::redacted, HOSTILE).await?;
    let Some(corpora) = corpora else { return Ok(()) };
    let gitleaks = corpora.folder("gitleaks")?;
    let cases = cases(&[gitleaks.clone(), corpora.folder("detect-secrets")?])?;
    let theirs = Secrets::builder().default_rules(false).files([gitleaks.join("config/gitleaks.toml")]).build()?;
    println!("\n## Tests of other projects\n");
    println!("| corpus | rules | texts with a secret | found | recall | texts without | wrongly found | precision |");
    println!("|---|---|---|---|---|---|---|---|");
    let mut missed = Vec::new();
    for corpus in ["gitleaks", "detect-secrets"] {
        let of_corpus: Vec<&Case> = cases.iter().filter(|case| case.corpus == corpus).collect();
        missed.push((corpus, row(corpus, "of the guard", &secrets, &of_corpus)));
        row(corpus, "of gitleaks, read by the guard", &theirs, &of_corpus);
    }
    for (corpus, by_rule) in missed {
        print_rules(corpus, &by_rule);
    }
    benign("secrets", corpora, |text| secrets.redacted(text))
}

/// The worst texts for the rules: beginnings without ends.
const HOSTILE: &[&str] = &[
    "eyJ-",
    "eyJaaaaaaaaaaaaaa.eyJ",
    "password=",
    "key = aaaaaaaaaaaaaaaaaaaa\n",
    "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq",
    "postgres://a:",
    "ghp_",
    "curl -u ",
    "a",
    "0123456789abcdef",
];

/// Counts for one rule of a corpus: secrets, found secrets, texts without, wrongly found.
type Counts = [usize; 4];

fn row(corpus: &str, rules: &str, secrets: &Secrets, cases: &[&Case]) -> BTreeMap<String, Counts> {
    let mut by_rule: BTreeMap<String, Counts> = BTreeMap::new();
    for case in cases {
        let redacted = secrets.redacted(&case.text);
        let is_found = match &case.secret {
            Some(secret) => !redacted.contains(secret.as_str()),
            None => redacted != case.text,
        };
        let counts = by_rule.entry(case.rule.clone()).or_default();
        let at = if case.is_secret { 0 } else { 2 };
        counts[at] += 1;
        counts[at + 1] += usize::from(is_found);
    }
    let sum = by_rule.values().fold([0; 4], |sum: Counts, counts| std::array::from_fn(|at| sum[at] + counts[at]));
    let [all, found, without, wrong] = sum;
    let precision = percent(found, found + wrong);
    println!("| {corpus} | {rules} | {all} | {found} | {} | {without} | {wrong} | {precision} |", percent(found, all));
    by_rule
}

fn print_rules(corpus: &str, by_rule: &BTreeMap<String, Counts>) {
    let part = |counts: &Counts| counts[0] > 0;
    let all = by_rule.values().filter(|counts| part(counts)).count();
    let whole = by_rule.values().filter(|counts| part(counts) && counts[0] == counts[1]).count();
    println!("\n{corpus}: {all} rules with texts, of which the guard finds all texts of {whole}.");
    for (what, is_it) in [
        ("not found at all", (|counts: &Counts| counts[0] > 0 && counts[1] == 0) as fn(&Counts) -> bool),
        ("found in part", |counts| counts[1] > 0 && counts[1] < counts[0]),
        ("wrongly found", |counts| counts[3] > 0),
    ] {
        let rules = by_rule.iter().filter(|(_, counts)| is_it(counts));
        let rules = rules.map(|(rule, [all, found, without, wrong])| {
            if what == "wrongly found" { format!("{rule} {wrong}/{without}") } else { format!("{rule} {found}/{all}") }
        });
        println!("- {what}: {}", rules.collect::<Vec<_>>().join(", "));
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of cases are small")]
pub(crate) fn percent(part: usize, all: usize) -> String {
    format!("{:.1} %", part as f64 * 100.0 / (all.max(1)) as f64)
}

fn cases(folders: &[PathBuf]) -> Result<Vec<Case>> {
    let lines = python(READ, folders)?;
    let case = |line: &str| {
        let (corpus, rule, text, is_secret, secret) = serde_json::from_str(line)?;
        Ok(Case { corpus, rule, text, is_secret, secret })
    };
    lines.lines().map(case).collect()
}

/// Runs a Python program, and returns what it prints.
pub(crate) fn python(program: &str, folders: &[impl AsRef<Path>]) -> Result<String> {
    let output = Command::new("python3").arg("-c").arg(program).args(folders.iter().map(AsRef::as_ref)).output()?;
    if !output.status.success() {
        return Err(format!("python3 cannot read the cases: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    eprint!("{}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?)
}
