//! `exec` and `step`.

use serde_json::Value;

use crate::desk::Desk;

const EXEC: &str = "exec review.dygram --script script.json";

/// Returns the nodes of the history.
fn nodes(desk: &Desk) -> Vec<String> {
    let history: Value = serde_json::from_str(&desk.read("execution-history.json")).unwrap();
    history["steps"].as_array().unwrap().iter().map(|step| step["currentNode"].as_str().unwrap().to_owned()).collect()
}

/// Returns the history without times.
fn timeless(desk: &Desk) -> Value {
    let mut history: Value = serde_json::from_str(&desk.read("execution-history.json")).unwrap();
    for key in ["startTime", "endTime"] {
        history[key] = Value::Null;
    }
    for step in history["steps"].as_array_mut().unwrap() {
        step["timestamp"] = Value::Null;
    }
    history
}

#[test]
fn a_machine_runs_to_its_end() {
    let desk = Desk::with_review();
    let ran = desk.run(EXEC);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.out.contains("   3  review -> draft\n        job.score = 0.5\n        tools: write_job\n"),
        "{}",
        ran.out
    );
    assert!(ran.out.ends_with("completed at done: 6 steps, 0 decisions of the agent\n"), "{}", ran.out);
    assert_eq!(nodes(&desk), ["begin", "draft", "review", "draft", "review", "done"]);
    assert!(!desk.has("review.dygram.state.json"));
}

#[test]
fn steps_one_by_one_have_the_same_history_as_a_run() {
    let (whole, single) = (Desk::with_review(), Desk::with_review());
    assert_eq!(whole.run(EXEC).code, 0);
    for at in ["draft", "review", "draft", "review", "done"] {
        let ran = single.run("step review.dygram --script script.json");
        assert!(ran.code == 0 && ran.out.ends_with(&format!("at {at}\n")), "{ran:?}");
        assert!(single.has("review.dygram.state.json"));
    }
    let last = single.run("step review.dygram --script script.json");
    assert!(last.out.ends_with("completed\n"), "{last:?}");
    assert!(!single.has("review.dygram.state.json"));
    assert_eq!(timeless(&single), timeless(&whole));
}

#[test]
fn an_execution_that_has_not_ended_is_not_forgotten_by_accident() {
    let desk = Desk::with_review();
    assert_eq!(desk.run("step review.dygram --script script.json --steps 2").code, 0);
    let ran = desk.run(EXEC);
    assert!(
        ran.code == 2 && ran.errors.contains("continue it with `--resume`, or begin again with `--restart`"),
        "{ran:?}"
    );
    let resumed = desk.run(&format!("{EXEC} --resume"));
    assert_eq!(resumed.code, 0, "{resumed:?}");
    assert_eq!(nodes(&desk).len(), 6);
    assert_eq!(desk.run(&format!("{EXEC} --restart")).code, 0);
}

#[test]
fn a_limit_stops_the_machine_and_a_higher_limit_resumes_it() {
    let desk = Desk::with_review();
    for (limit, more) in [("--max-steps 3", "--max-steps 6"), ("--max-visits 1", "--max-visits 2")] {
        let ran = desk.run(&format!("{EXEC} {limit}"));
        assert!(ran.code == 1 && ran.errors.contains(&format!("machine {EXEC} --resume {more}\n")), "{ran:?}");
        let resumed = desk.run(&format!("{EXEC} --resume {more}"));
        assert_eq!(resumed.code, 0, "{resumed:?}");
    }
}

#[test]
fn the_option_until_ends_the_machine_at_a_visit() {
    let desk = Desk::with_review();
    assert_eq!(desk.run(&format!("{EXEC} --until draft:2")).code, 0);
    assert_eq!(nodes(&desk), ["begin", "draft", "review", "draft"]);
    for until in ["draft:0", "draft:x", "drafts"] {
        assert_eq!(desk.run(&format!("{EXEC} --until {until}")).code, 2, "{until}");
    }
}

#[test]
fn values_are_set_with_the_checks_of_a_write() {
    let desk = Desk::with_review();
    desk.write("quick.json", r#"[{ "say": "x" }, { "say": "y" }]"#);
    let ran = desk.run("exec review.dygram --script quick.json --set job.title=7 --set job.score=0.95");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(desk.read("execution-history.json").contains("Write about 7."));
    for (value, expected) in [
        ("job.titel=x", "titel"),
        ("jobs.title=x", "jobs"),
        ("job.score=high", "score"),
        ("job.title", "write the context, the field and the value"),
    ] {
        let ran = desk.run(&format!("{EXEC} --set {value}"));
        assert!(ran.code == 2 && ran.errors.contains(expected), "{value}: {ran:?}");
    }
}

#[test]
fn each_step_is_a_line_of_json() {
    let desk = Desk::with_review();
    let ran = desk.run(&format!("{EXEC} --json --log log.jsonl --history h.json"));
    let steps: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((ran.code, steps.len()), (0, 6));
    assert_eq!(desk.read("log.jsonl"), ran.out);
    let history: Value = serde_json::from_str(&desk.read("h.json")).unwrap();
    assert_eq!(history["steps"], Value::from(steps));
}

/// Terminals obey control characters, and JSON has them as they are from `U+007F` on.
#[test]
fn a_line_of_json_has_no_control_characters() {
    let desk = Desk::with_review();
    let ran = desk.run(&format!("{EXEC} --json --set job.title=\u{9b}31mRed\u{7f}\u{1b}[0m --history h.json"));
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(!ran.out.lines().any(|line| line.contains(char::is_control)), "{ran:?}");
    let steps: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let history: Value = serde_json::from_str(&desk.read("h.json")).unwrap();
    assert_eq!(history["steps"], Value::from(steps));
    assert!(desk.read("h.json").contains("Write about \u{9b}31mRed\u{7f}\\u001b[0m."));
}

#[test]
fn a_machine_without_a_model_says_how_to_name_one() {
    let desk = Desk::with_review();
    let ran = desk.run("exec review.dygram");
    assert!(ran.code == 1 && ran.errors.contains("ANTHROPIC_API_KEY") && ran.errors.contains("--script"), "{ran:?}");
    desk.write("plain.dygram", "State a; End b; a -> b;");
    assert_eq!(desk.run("exec plain.dygram").code, 0);
}

#[test]
fn a_guard_that_asks_suspends_the_machine_until_a_person_answers() {
    let desk = Desk::with_review();
    desk.write("policy.toml", "[approval]\nrules = [{ tool = 'write_job', because = 'scores matter' }]\n");
    let exec = format!("{EXEC} --policy policy.toml");
    let asked = desk.run(&exec);
    assert!(asked.code == 3 && asked.errors.contains("scores matter"), "{asked:?}");
    let id = asked.errors.split("--approve '").nth(1).unwrap().split('\'').next().unwrap().to_owned();

    let wrong = desk.run(&format!("{exec} --resume --approve nothing"));
    assert!(wrong.code == 2 && wrong.errors.contains(&format!("the open questions are `{id}`")), "{wrong:?}");
    let alone = desk.run(&format!("{exec} --approve {id}"));
    assert!(alone.code == 2, "{alone:?}");
    let still = desk.run(&format!("{exec} --resume"));
    assert_eq!(still.code, 3, "{still:?}");
    // The guards also see what comes next.
    assert!(still.errors.contains(&format!("exo-rails machine {exec} --resume --deny '{id}'")), "{still:?}");

    let approved = desk.run(&format!("{exec} --resume --approve {id}"));
    assert_eq!(approved.code, 3, "the second write is another question: {approved:?}");
    assert_eq!(nodes(&desk), ["begin", "draft", "review", "draft"]);
    let second = approved.errors.split("--deny '").nth(1).unwrap().split('\'').next().unwrap();
    let denied = desk.run(&format!("{exec} --resume --deny {second} --until draft:3"));
    assert_eq!(denied.code, 0, "{denied:?}");
    assert!(desk.read("execution-history.json").contains("a person has refused this call"));
}

#[test]
fn guards_refuse_transitions_by_the_names_of_their_tools() {
    let desk = Desk::new();
    desk.write("a.dygram", "State a; End b; End c; a -> b, c;");
    desk.write("policy.toml", "[permissions]\ndefault = 'allow'\nrules = [{ tool = 'transition_to_b', decision = 'deny', because = 'b is closed' }]\n");
    let call =
        |to: &str| format!(r#"{{ "call": [{{ "tool": "transition_to_{to}", "arguments": {{ "reason": "r" }} }}] }}"#);
    desk.write("script.json", &format!("[{}, {}]", call("b"), call("c")));
    let ran = desk.run("exec a.dygram --script script.json --policy policy.toml");
    assert!(ran.code == 0 && ran.out.contains("a -> c (agent: r)"), "{ran:?}");
    // `--guards` is the old name of the option.
    desk.write("policy.toml", "[permissions]\nrule = []\n");
    let ran = desk.run("exec a.dygram --script script.json --guards policy.toml");
    assert!(ran.code == 2 && ran.errors.contains("policy.toml"), "{ran:?}");
}

#[test]
fn the_program_accepts_every_table_of_a_policy() {
    let desk = Desk::new();
    desk.write("a.dygram", "State a; End b; End c; a -> b, c;");
    let policy = r#"
        [audit]
        path = "audit.jsonl"
        [permissions]
        default = "allow"
        [permissions.shell]
        unreadable = "ask"
        [paths]
        roots = [{ name = "here", path = "." }]
        [urls]
        [structure]
        [tool_schemas]
        [hook_handlers]
        [timeouts]
        limits = [{ name = "slow", of = "tool_calls", limit_ms = 60000 }]
    "#;
    desk.write("policy.toml", policy);
    desk.write("script.json", r#"[{ "call": [{ "tool": "transition_to_c", "arguments": { "reason": "r" } }] }]"#);
    let ran = desk.run("exec a.dygram --script script.json --policy policy.toml");
    assert!(ran.code == 0 && ran.out.contains("a -> c (agent: r)"), "{ran:?}");
    // The log is complete and closed.
    let log = desk.read("audit.jsonl");
    assert!(log.contains("transition_to_c") && log.lines().count() > 3, "{log}");
}

#[test]
fn texts_of_the_model_cannot_change_the_terminal() {
    let desk = Desk::new();
    desk.write("a.dygram", "State a; End b; End c; a -> b, c;");
    desk.write(
        "script.json",
        r#"[{ "call": [{ "tool": "transition_to_b", "arguments": { "reason": "\u001b[2Jgone" } }] }]"#,
    );
    let ran = desk.run("exec a.dygram --script script.json");
    assert!(ran.code == 0 && !ran.out.contains('\u{1b}') && ran.out.contains("gone"), "{ran:?}");
}

#[test]
fn a_damaged_state_is_named_and_can_be_left_behind() {
    let desk = Desk::with_review();
    desk.write("review.dygram.state.json", "{");
    let ran = desk.run(EXEC);
    assert!(ran.code == 2 && ran.errors.contains("review.dygram.state.json"), "{ran:?}");
    assert_eq!(desk.run(&format!("{EXEC} --restart")).code, 0);
}

#[test]
fn a_state_of_another_machine_is_refused() {
    let desk = Desk::with_review();
    assert_eq!(desk.run("step review.dygram --script script.json").code, 0);
    desk.write("review.dygram", "State a; End b; a -> b;");
    let ran = desk.run(&format!("{EXEC} --resume"));
    assert!(ran.code == 2 && ran.errors.contains("the state is of another machine"), "{ran:?}");
}

#[test]
fn a_machine_continues_from_a_checkpoint() {
    let desk = Desk::with_review();
    let file = desk.read("review.dygram").replace("Task review", "Task review @checkpoint");
    desk.write("review.dygram", &file);
    assert_eq!(desk.run(EXEC).code, 0);
    let whole = timeless(&desk);

    let checkpoint = "review.dygram.state.review.1.json";
    assert!(desk.has(checkpoint) && desk.has("review.dygram.state.review.2.json"));
    let ran = desk.run(&format!("{EXEC} --from {checkpoint}"));
    assert!(ran.code == 0 && ran.out.starts_with("   3  review -> draft"), "{ran:?}");
    assert_eq!(timeless(&desk), whole);

    // An unfinished execution is not forgotten.
    assert_eq!(desk.run("step review.dygram --script script.json").code, 0);
    assert_eq!(desk.run(&format!("{EXEC} --from {checkpoint}")).code, 2);
    assert_eq!(desk.run(&format!("{EXEC} --from {checkpoint} --restart")).code, 0);
    for (wrong, message) in [("nothing.json", "there is no file `nothing.json`"), ("script.json", "script.json")] {
        let ran = desk.run(&format!("{EXEC} --from {wrong}"));
        assert!(ran.code == 2 && ran.errors.contains(message), "{ran:?}");
    }
}

#[test]
fn a_text_of_a_model_in_a_failure_does_not_change_the_terminal() {
    let desk = Desk::new();
    let file =
        "Context c { key<string>: \"\"; } Task t { prompt: \"x\"; } State s; End a; End b; t -writes-> c; s -reads-> c;
        t -> s; s -when: \"{'x': 1}[c.key] == 1\"-> a; s -> b;";
    desk.write("flow.dygram", file);
    let write = r#"{ "tool": "write_c", "arguments": { "field": "key", "value": "\u001b[2J" } }"#;
    desk.write("script.json", &format!(r#"[{{ "call": [{write}] }}, {{ "say": "ok" }}]"#));
    let mut program = desk.program("exec flow.dygram --script script.json");
    let output = program.env("CLICOLOR_FORCE", "1").output().unwrap();
    let printed = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert!(printed.contains("No such key: \\u{1b}[2J"), "{printed}");
    assert!(!printed.contains("\u{1b}[2J"), "{printed}");
}
