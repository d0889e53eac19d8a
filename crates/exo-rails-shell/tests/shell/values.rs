//! An unknown word is judged like the worst of the values that it may have.

use std::sync::LazyLock;

use exo_rails_shell::{Caution, ShellDecision, ShellRules};

static STRICT: LazyLock<ShellRules> = LazyLock::new(|| {
    let rules = ShellRules::builder().strict(true).unknown(Caution::Deny).unreadable(Caution::Deny);
    rules.unlisted(ShellDecision::Deny).project(ShellDecision::Deny).build().unwrap()
});

/// Values that make one command or another harmful: operands, and options without a value.
const NASTY: [&str; 40] = [
    "--force",
    "-f",
    "-rf",
    "-r",
    "-D",
    "-d",
    "--hard",
    "--delete",
    "-delete",
    "-i",
    "-R",
    "--mirror",
    "-x",
    "--privileged",
    "+main",
    ":main",
    "/",
    "/etc/passwd",
    "~",
    "..",
    "../x",
    ".",
    "*",
    ".git",
    "/dev/sda",
    "~/.bashrc",
    "777",
    "-1",
    "rm",
    "delete",
    "push",
    "publish",
    "clean",
    "reset",
    "stop",
    "ext::sh -c id",
    "ext::sh",
    "drop table x",
    "-g",
    "--amend",
];

/// Values that are options with values of their own, and assignments.
const NASTIER: [&str; 20] = [
    "--output=/etc/passwd",
    "-o/etc/passwd",
    "--exec=./x",
    "--upload-pack=./x",
    "--config=./x",
    "-K/x",
    "-cdrop table x",
    "--to-command=sh",
    "-I./x",
    "--checkpoint-action=exec=sh",
    "--rsh=./x",
    "-e./x",
    "--target-directory=/etc",
    "-t/etc",
    "--compress-program=./x",
    "SHELL=./x",
    "--git-dir=/x",
    "-calias.x=!sh",
    "-v/:/x",
    "--post-file=/etc/passwd",
];

/// Commands around an unknown word.
const WITH_A_WORD: [&str; 96] = [
    "rm @",
    "rm -f @",
    "rm -rf @",
    "rm -rf src @",
    "rm -- @",
    "cp @ x",
    "cp a @",
    "cp @ @",
    "mv @ x",
    "mv a @",
    "ln -s a @",
    "echo @",
    "cat @",
    "grep @ f",
    "grep x @",
    "sed s/a/b/ @",
    "sed -i s/a/b/ @",
    "awk '{print}' @",
    "sort @",
    "head @",
    "tee @",
    "touch @",
    "mkdir @",
    "chmod +x @",
    "chmod @ x",
    "chown @ x",
    "find @",
    "find . @",
    "find . -name @",
    "find . -exec grep @ {} +",
    "tar xf @",
    "tar xf a.tar @",
    "tar czf @ src",
    "git @",
    "git @ main",
    "git push @",
    "git push origin @",
    "git push -u origin @",
    "git checkout @",
    "git checkout -b @",
    "git checkout main @",
    "git switch @",
    "git reset @",
    "git clean @",
    "git branch @",
    "git tag @",
    "git log @",
    "git diff @",
    "git show @",
    "git add @",
    "git commit -m @",
    "git merge @",
    "git rebase @",
    "git fetch @",
    "git fetch origin @",
    "git clone @",
    "git stash @",
    "git rm @",
    "git restore @",
    "git config @ x",
    "git remote @ x",
    "git worktree @",
    "git -C @ status",
    "git grep @",
    "cargo @",
    "cargo test @",
    "cargo build -p @",
    "npm @",
    "npm run @",
    "npm install @",
    "pip install @",
    "make @",
    "go test @",
    "python x.py @",
    "curl @",
    "curl -o @ http://x",
    "curl -d @ http://x",
    "curl -X @ http://x",
    "wget @",
    "docker @",
    "docker run @",
    "docker run @ ls",
    "docker exec @ ls",
    "docker rm @",
    "docker compose down @",
    "kubectl @ pod",
    "kubectl get @",
    "aws s3 ls @",
    "aws s3 @ s3://b",
    "psql -c @",
    "psql @ -c 'select 1'",
    "kill @",
    "systemctl @ x",
    "timeout @ ls",
    "xargs @",
    "dd @",
];

/// Values of [`NASTY`] that are not like the others for one program: options whose value is the next word, and a statement where
/// the program takes the name of a database.
const OTHER: [(&str, &str); 3] =
    [("psql @ -c 'select 1'", "-f"), ("psql @ -c 'select 1'", "-rf"), ("psql @ -c 'select 1'", "drop table x")];

/// Writes a value so that the shell passes it on as it is. The home directory has no quotes.
fn written(value: &str) -> String {
    if value.starts_with('~') { value.to_owned() } else { format!("'{value}'") }
}

#[test]
fn a_known_word_is_not_judged_more_strictly_than_an_unknown_one() {
    let rules = ShellRules::default();
    let mut milder = Vec::new();
    for command in WITH_A_WORD {
        for unknown in ["\"$x\"", "$x", "\"$(cat f)\""] {
            let passes = rules.judge(&command.replace('@', unknown)).decision.passes();
            let strict = STRICT.judge(&command.replace('@', unknown)).decision;
            for value in NASTY.iter().chain(&NASTIER) {
                let known = command.replace('@', &written(value));
                let is_operand_or_option = !NASTIER.contains(value) && !OTHER.contains(&(command, value));
                // Without quotes, it may be several words.
                if passes && (is_operand_or_option || unknown == "$x") {
                    let verdict = rules.judge(&known);
                    if !verdict.decision.passes() && !of_names(&verdict.judgements) {
                        milder.push(format!("{unknown}: {known}\n{}", verdict.explain(&known)));
                    }
                }
                let verdict = STRICT.judge(&known);
                if verdict.decision > strict {
                    milder.push(format!("strict, {unknown}: {known}\n{}", verdict.explain(&known)));
                }
            }
        }
    }
    assert!(milder.is_empty(), "{}:\n{}", milder.len(), milder.join("\n"));
}

/// Returns whether only rules decided that know a few names among many harmless ones.
fn of_names(judgements: &[exo_rails_shell::Judgement]) -> bool {
    let of_names = |rule: &str| IGNORING.contains(&rule);
    judgements.iter().filter(|judgement| !judgement.decision.passes()).all(|judgement| of_names(&judgement.rule))
}

/// The rules of the shipped rule set that ignore unknown parts.
const IGNORING: [&str; 5] = ["write-network", "http-files", "http-search-deletes", "secrets-read", "secrets-env-files"];

#[test]
fn few_rules_ignore_unknown_parts() {
    let config: exo_rails_shell::ShellConfig = exo_rails_policy::from_toml(exo_rails_shell::DEFAULT_RULES).unwrap();
    let ignoring: Vec<&str> = config
        .rule
        .iter()
        .filter(|rule| rule.if_unknown == exo_rails_shell::IfUnknown::Ignore)
        .map(|rule| rule.name.as_str())
        .collect();
    assert_eq!(ignoring, IGNORING);
}
