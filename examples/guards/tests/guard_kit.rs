//! Runs the example `guard_kit` as a user does, and checks its table.

use std::io;
use std::sync::LazyLock;

/// What the example prints with all guards. Two tests read it.
static ENFORCED: LazyLock<io::Result<String>> = LazyLock::new(|| run(&[]));

/// A line of the table: the attack, the harm without guards, the harm with them, and the rules that refused it.
struct Line {
    attack: String,
    without: String,
    with: String,
    rules: String,
}

struct Output {
    lines: Vec<Line>,
    /// The lines after the table.
    totals: Vec<String>,
}

/// Runs the example. Returns what it prints.
fn run(arguments: &[&str]) -> io::Result<String> {
    let output = examples_guards::command("guard_kit")?.args(arguments).output()?;
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{err}");
    assert_eq!(err, "");
    Ok(out.into_owned())
}

fn enforced() -> Output {
    assert!(ENFORCED.is_ok(), "{:?}", *ENFORCED);
    read(ENFORCED.as_deref().unwrap_or_default())
}

fn read(out: &str) -> Output {
    let (table, totals) = out.split_once("\n\n").unwrap_or_default();
    let column = |line: &str, from: usize, to: usize| {
        let text: String = line.chars().skip(from).take(to - from).collect();
        text.trim().to_owned()
    };
    let lines = table.lines().skip(1).map(|line| Line {
        attack: column(line, 0, 45),
        without: column(line, 45, 90),
        with: column(line, 90, 135),
        rules: column(line, 135, 300),
    });
    Output { lines: lines.collect(), totals: totals.lines().map(str::to_owned).collect() }
}

/// All guards of the crate.
const GUARDS: [&str; 27] = [
    "sizes",
    "capability_gap",
    "secrets",
    "personal_data",
    "hook_handlers",
    "permissions",
    "content",
    "injection",
    "structure",
    "paths",
    "urls",
    "tool_schemas",
    "structured_answer",
    "data_flow",
    "loops",
    "repetition",
    "risk",
    "approval",
    "budgets",
    "rate_limits",
    "sequence",
    "retry",
    "concurrency",
    "circuit_breaker",
    "timeouts",
    "fallback",
    "audit",
];

fn has(rules: &str, guard: &str) -> bool {
    rules.split(", ").any(|rule| rule.starts_with(&format!("{guard}/")))
}

#[test]
fn each_attack_does_harm_without_the_kit_and_none_with_it() {
    let Output { lines, totals } = enforced();
    assert!(lines.len() >= 48, "{} attacks", lines.len());
    for Line { attack, without, with, rules } in &lines {
        assert_ne!(without, "-", "{attack}");
        assert_eq!(with, "-", "{attack}");
        assert!(rules.contains('/'), "{attack}: no guard and rule: {rules}");
    }
    for guard in GUARDS {
        assert!(lines.iter().any(|line| has(&line.rules, guard)), "{guard}");
    }
    assert_eq!(
        totals[1..],
        ["harm with the kit: 0", "honest work without guards: 9 of 9", "honest work with the kit: 9 of 9"]
    );
}

#[test]
fn each_guard_stops_something_that_no_other_guard_stops() -> io::Result<()> {
    let table = run(&["--without-each"])?;
    for guard in GUARDS {
        let line = table.lines().find(|line| line.split_whitespace().next() == Some(guard));
        assert!(line.is_some_and(|line| line[20..].trim() != "-"), "{guard}: {line:?}");
    }
    Ok(())
}

#[test]
fn in_shadow_the_harm_happens_and_each_refusal_is_reported() -> io::Result<()> {
    let Output { lines, totals } = read(&run(&["--shadow"])?);
    // Read last, so that another test runs the example meanwhile.
    let enforced = enforced().lines;
    let mut silent = Vec::new();
    for (Line { attack, without, with, rules }, Line { rules: in_force, .. }) in lines.iter().zip(&enforced) {
        // The audit log has no shadow.
        if has(in_force, "audit") {
            assert_eq!((with.as_str(), rules), ("-", in_force), "{attack}");
            continue;
        }
        assert_eq!(without, with, "{attack}");
        if rules.is_empty() {
            silent.push(in_force.split('/').next().unwrap_or_default());
        }
    }
    silent.sort_unstable();
    // Guards around operations do and report nothing in shadow.
    assert_eq!(silent, ["circuit_breaker", "concurrency", "timeouts"]);
    assert_eq!(totals[3], "honest work in shadow: 9 of 9");
    Ok(())
}
