//! Runs the example `guard_kit` as a user does, and checks its table.

use std::io;
use std::process::Command;

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

fn guard_kit(arguments: &[&str]) -> io::Result<Output> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args(["run", "--quiet", "--example", "guard_kit", "--"])
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()?;
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{err}");
    assert_eq!(err, "");
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
    Ok(Output { lines: lines.collect(), totals: totals.lines().map(str::to_owned).collect() })
}

#[test]
fn without_guards_each_attack_does_harm_and_with_them_none_does() -> io::Result<()> {
    let Output { lines, totals } = guard_kit(&[])?;
    assert!(lines.len() >= 20, "{} attacks", lines.len());
    for Line { attack, without, with, rules } in &lines {
        assert_ne!(without, "-", "{attack}");
        assert_eq!(with, "-", "{attack}");
        assert!(rules.contains('/'), "{attack}: no guard and rule: {rules}");
    }
    // Each guard of the kit refuses something.
    for guard in [
        "sizes",
        "capability_gap",
        "hook_handlers",
        "permissions",
        "structure",
        "paths",
        "urls",
        "tool_schemas",
        "structured_answer",
        "risk",
        "approval",
        "budgets",
        "rate_limits",
    ] {
        let refuses = |line: &Line| line.rules.split(", ").any(|rule| rule.starts_with(&format!("{guard}/")));
        assert!(lines.iter().any(refuses), "{guard}");
    }
    assert_eq!(
        totals[1..],
        ["harm with the kit: 0", "honest work without guards: 8 of 8", "honest work with the kit: 8 of 8"]
    );
    Ok(())
}

#[test]
fn in_shadow_the_harm_happens_and_each_refusal_is_reported() -> io::Result<()> {
    let Output { lines, totals } = guard_kit(&["--shadow"])?;
    for Line { attack, without, with, rules } in &lines {
        assert_eq!(without, with, "{attack}");
        assert!(rules.contains('/'), "{attack}: no guard and rule: {rules}");
    }
    assert_eq!(totals[0].replace("without guards", "in shadow"), totals[1]);
    assert_eq!(totals[3], "honest work in shadow: 8 of 8");
    Ok(())
}
