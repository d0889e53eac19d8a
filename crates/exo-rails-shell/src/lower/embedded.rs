//! Commands that code of another language runs with a literal text: `subprocess.run(["git", "log"])`, `execSync("ls")`.

use crate::word::mark;

/// A command in code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Embedded {
    /// A program with its arguments. What the code makes at run time has a mark.
    Words(Vec<String>),
    /// A text for a shell.
    Shell(String),
}

/// Calls that run what their first argument says, by the language.
fn callers(language: &str) -> &'static [&'static str] {
    match language {
        "python" => &[
            "subprocess.run(",
            "subprocess.call(",
            "subprocess.check_call(",
            "subprocess.check_output(",
            "subprocess.Popen(",
            "subprocess.getoutput(",
            "subprocess.getstatusoutput(",
            "os.system(",
            "os.popen(",
        ],
        "javascript" => &["execSync(", "execFileSync(", "spawnSync(", "spawn(", "execFile(", "exec("],
        "ruby" | "perl" | "awk" => &["system("],
        "php" => &["shell_exec(", "passthru(", "system(", "exec("],
        _ => &[],
    }
}

/// Returns the commands with a literal text, and the code without them.
pub(super) fn embedded(language: &str, code: &str) -> (Vec<Embedded>, String) {
    let mut rest = code.to_owned();
    let mut found = Vec::new();
    for caller in callers(language) {
        let mut from = 0;
        while let Some(at) = rest.get(from..).and_then(|text| text.find(caller)).map(|at| from + at) {
            let open = at + caller.len();
            // `execSync(` is not the end of another name.
            let is_name = rest[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric() && c != '_');
            match arguments(&rest[open..]).filter(|_| is_name) {
                Some((command, length)) => {
                    found.push(command);
                    rest.replace_range(at..open + length, &" ".repeat(open + length - at));
                    from = open + length;
                }
                None => from = open,
            }
        }
    }
    if language == "awk" {
        pipes(&mut rest, &mut found);
    }
    if !found.is_empty() {
        rest = without_imports(&rest);
        for name in ["PIPE", "DEVNULL", "STDOUT", "CalledProcessError", "TimeoutExpired", "CompletedProcess"] {
            rest = rest.replace(&format!("subprocess.{name}"), "x");
        }
    }
    (found, rest)
}

/// Reads the first arguments of a call: a text, a text and a list, or a list. Returns the command, and the bytes that it takes.
fn arguments(text: &str) -> Option<(Embedded, usize)> {
    let skip = |at: usize| at + text[at..].len() - text[at..].trim_start().len();
    let start = skip(0);
    if text[start..].starts_with('[') {
        let (words, end) = list(text, start)?;
        return Some((Embedded::Words(words), end));
    }
    let (first, end) = literal(text, start)?;
    let behind = skip(end);
    if text[behind..].starts_with(',') {
        let next = skip(behind + 1);
        if text[next..].starts_with('[') {
            let (words, end) = list(text, next)?;
            return Some((Embedded::Words(std::iter::once(first).chain(words).collect()), end));
        }
    }
    text[behind..].starts_with([',', ')']).then_some((Embedded::Shell(first), end))
}

/// Reads a text between quotes that has no code in it.
fn literal(text: &str, start: usize) -> Option<(String, usize)> {
    let quote = text[start..].chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let triple = quote.to_string().repeat(3);
    if text[start..].starts_with(&triple) {
        return None;
    }
    let mut value = String::new();
    let mut chars = text[start + 1..].char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => match chars.next()?.1 {
                'n' => value.push('\n'),
                't' => value.push('\t'),
                c @ ('\\' | '"' | '\'') => value.push(c),
                _ => return None,
            },
            c if c == quote => return Some((value, start + 1 + at + 1)),
            // A language may put code here.
            '$' | '#' | '`' if quote == '"' => return None,
            c => value.push(c),
        }
    }
    None
}

/// Reads `["a", b]`. What is not a literal text has a mark.
fn list(text: &str, start: usize) -> Option<(Vec<String>, usize)> {
    let mut words = Vec::new();
    let mut at = start + 1;
    loop {
        at += text[at..].len() - text[at..].trim_start().len();
        match text[at..].chars().next()? {
            ']' => return Some((words, at + 1)),
            ',' => at += 1,
            '"' | '\'' => {
                let (word, end) = literal(text, at)?;
                let behind = text[end..].trim_start();
                if !behind.starts_with([',', ']']) {
                    return None;
                }
                words.push(word);
                at = end;
            }
            _ => {
                // A name, a call or another expression without brackets in it.
                let end = at + text[at..].find([',', ']', '[', '"', '\''])?;
                if !text[end..].starts_with([',', ']']) {
                    return None;
                }
                words.push(mark::UNKNOWN.to_string());
                at = end;
            }
        }
    }
}

/// `print | "sort"` and `"date" | getline` of awk.
fn pipes(rest: &mut String, found: &mut Vec<Embedded>) {
    let mut from = 0;
    while let Some(at) = rest.get(from..).and_then(|text| text.find('|')).map(|at| from + at) {
        from = at + 1;
        if rest[from..].starts_with('|') {
            from += 1;
            continue;
        }
        let start = from + rest[from..].len() - rest[from..].trim_start().len();
        if let Some((command, end)) = literal(rest, start) {
            found.push(Embedded::Shell(command));
            rest.replace_range(at..end, &" ".repeat(end - at));
            from = end;
        }
    }
}

/// Takes away the lines and statements that only import what runs programs.
fn without_imports(code: &str) -> String {
    let mut kept = String::new();
    for line in code.split_inclusive(['\n', ';']) {
        let begin = line.trim_start();
        let imports = ["import ", "from ", "const ", "let ", "var "].iter().any(|word| begin.starts_with(word));
        if imports && line.contains("child_process") {
            continue;
        }
        let imports = begin.starts_with("import ") || begin.starts_with("from subprocess ");
        if imports && begin.starts_with("from ") {
            continue;
        }
        kept.push_str(&if imports { line.replace("subprocess", "sys") } else { line.to_owned() });
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literal_commands_are_found_and_taken_away() {
        let words = |words: &[&str]| Embedded::Words(words.iter().map(|word| (*word).to_owned()).collect());
        let shell = |text: &str| Embedded::Shell(text.to_owned());
        let open = mark::UNKNOWN.to_string();
        for (language, code, expected, rest) in [
            (
                "python",
                "import subprocess\nsubprocess.run(['git', 'log'])",
                vec![words(&["git", "log"])],
                "import sys\n)",
            ),
            ("python", "subprocess.run([\"rm\", x])", vec![words(&["rm", &open])], ")"),
            ("python", "os.system('ls -la')", vec![shell("ls -la")], ")"),
            ("javascript", "execFileSync('git', ['log'])", vec![words(&["git", "log"])], ")"),
            ("awk", "{print | \"sort -n\"}", vec![shell("sort -n")], "{print }"),
            // Code that makes a text is left.
            ("python", "os.system('ls ' + x)", vec![], "os.system('ls ' + x)"),
            ("python", "subprocess.run(cmd)", vec![], "subprocess.run(cmd)"),
            ("javascript", "execSync(`ls ${x}`)", vec![], "execSync(`ls ${x}`)"),
            ("ruby", "system(\"ls #{x}\")", vec![], "system(\"ls #{x}\")"),
        ] {
            let (found, left) = embedded(language, code);
            let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!((found, plain(&left)), (expected, plain(rest)), "{code}");
        }
    }
}
