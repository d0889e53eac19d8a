//! What is wrong with machines whose syntax is right. Each mistake is shown with its place, and has one message.

use exo_rails_dygram::{Reader, Severity, read};

/// A strict file in which everything is right. A case replaces a part of it.
const RIGHT: &str = r#"machine "Review" @StrictMode { limit: 3; }
Context job { title<string>: "x"; score<number>: 0.5; tags<Array<string>>: []; }
Context log { score<number>: 0; lines: 1; }
Init begin;
Task draft { prompt: "Write {{job.title}}"; }
Process check {
    Task read @retry(3) { prompt: "Read {{tags}}"; }
    State rate;
    read -> rate;
    rate -when: "score > 0.9 && errorCount < limit"-> done;
    rate -@auto-> draft;
}
End done;
begin -> draft -> check;
draft -writes-> job;
check -reads-> job;
"#;

fn replaced(from: &str, to: &str) -> String {
    assert!(RIGHT.contains(from), "{from}");
    RIGHT.replacen(from, to, 1)
}

#[test]
fn the_correct_file_has_no_diagnostics() {
    let report = read("f.dygram", RIGHT).report;
    assert!(report.diagnostics().is_empty(), "{report}");
}

/// What is replaced by what, the code, the text at the place, and the message. All of them are errors in a strict file.
const STRICT: [(&str, &str, &str, &str, &str); 26] = [
    ("begin -> draft", "begin -> drafts", "unknown-node", "drafts", "no node is called `drafts`, and an edge names it"),
    ("job.title", "job.titel", "unknown-field", "{{job.titel}}", "`job` has no field `titel`"),
    ("{{tags}}", "{{tag}}", "unknown-field", "{{tag}}", "`tag` is not a field of a context that `check.read` may read"),
    (
        "errorCount",
        "errorCuont",
        "unknown-field",
        "errorCuont",
        "`errorCuont` is not a field of a context that `check.rate` may read",
    ),
    ("\"score >", "\"lines >", "read-without-permission", "lines", "`check.rate` may not read `lines` of `log`"),
    (
        "\"score >",
        "\"log.lines >",
        "read-without-permission",
        "log.lines",
        "`check.rate` may not read `lines` of `log`",
    ),
    (
        "check -reads-> job",
        "check -read: tags-> job",
        "read-without-permission",
        "score",
        "`check.rate` may not read `score` of `job`",
    ),
    ("-writes-> job", "-write: title, titel-> job", "unknown-field", "titel", "`job` has no field `titel`"),
    (
        "-writes-> job",
        "-wrties-> job",
        "unknown-permission",
        "wrties",
        "`wrties` gives no permission, so the edge allows only reading",
    ),
    (
        "check -reads-> job",
        "check -reads-> job; draft -reads-> done",
        "no-context",
        "-reads->",
        "the label gives permissions, and `done` is not a context",
    ),
    (
        "check -reads-> job",
        "check -reads-> job; log -writes-> draft",
        "write-without-permission",
        "-writes->",
        "an edge from a context allows only reading, so `draft` may not write `log`",
    ),
    ("End done;", "End done; State lost;", "unreachable", "lost", "the machine never reaches `lost`"),
    ("End done;", "End done; Task last; draft -> last;", "no-way-out", "last", "the task `last` has no way out"),
    ("End done;", "End done; done -> draft;", "end-leads-on", "done", "the end `done` has an edge to another node"),
    (
        "rate -@auto-> draft",
        "rate -@auto-> draft; rate -@auto-> done",
        "ambiguous-auto",
        "-@auto->",
        "`check.rate` has two `@auto` edges without a condition",
    ),
    (
        "rate -@auto-> draft",
        "rate -@auto-> draft; rate -@auto, when: \"true\"-> done",
        "never-taken",
        "-@auto, when: \"true\"->",
        "this edge is never taken: an earlier `@auto` edge of `check.rate` has no condition",
    ),
    (
        "rate -@auto->",
        "rate -when: \"limit > 1\"->",
        "no-fallback",
        "-when: \"limit > 1\"->",
        "`check.rate` cannot go on if all conditions of its edges are false",
    ),
    ("End done;", "End done; draft -@auto-> check;", "endless", "", ""),
    (
        "draft -writes->",
        "job \"1..n\" --> \"many jobs\" log; draft -writes->",
        "multiplicity",
        "-->",
        "\"many jobs\" beside the arrow is not a multiplicity",
    ),
    ("score > 0.9 &&", "score >", "condition", "<", ""),
    ("score > 0.9 &&", "score = 0.9 &&", "condition", "=", "`=` is not an operator of a condition"),
    (
        "\"score > 0.9 && errorCount < limit\"",
        "\"limit + 1\"",
        "condition",
        "limit + 1",
        "`limit + 1` is a number, and a condition is a bool",
    ),
    ("\"score > 0.9 && errorCount < limit\"", "5", "condition", "5", "a condition is a text in quotes"),
    (
        "limit\"->",
        "limit\"; unless: \"true\"->",
        "several-conditions",
        "\"true\"",
        "an edge can have only one condition",
    ),
    (
        "score<number>: 0.5",
        "score<number>: \"high\"",
        "wrong-type",
        "\"high\"",
        "the value of `score` is not of the type `number`",
    ),
    (
        "tags<Array<string>>: []",
        "tags<Array<string>>: [1]",
        "wrong-type",
        "[1]",
        "the value of `tags` is not of the type `Array<string>`",
    ),
];

#[test]
fn mistakes_of_strict_files_are_errors_with_one_message() {
    for (from, to, code, at, message) in STRICT {
        // These have their own tests.
        if message.is_empty() {
            continue;
        }
        let text = replaced(from, to);
        let report = read("f.dygram", &text).report;
        let found: Vec<_> = report
            .diagnostics()
            .iter()
            .map(|found| (found.code, found.place.span.of(&text), &*found.message))
            .collect();
        assert_eq!(found, [(code, at, message)], "{to}\n{report}");
        assert!(report.has_errors() && report.diagnostics()[0].help.is_some(), "{to}");
    }
}

#[test]
fn the_same_mistakes_are_warnings_in_other_files() {
    for (from, to, code, _, message) in STRICT {
        if message.is_empty() || code == "condition" {
            continue;
        }
        let text = replaced(from, to).replace(" @StrictMode", "");
        let report = read("f.dygram", &text).report;
        assert!(!report.has_errors(), "{to}\n{report}");
        assert!(report.diagnostics().iter().any(|found| found.code == code), "{to}\n{report}");
        assert!(Reader::new().strict().read("f.dygram", &text).report.has_errors(), "{to}");
    }
}

#[test]
fn some_mistakes_are_errors_in_every_file() {
    let cases = [
        ("a -@lazy @Eager-> b;", "contradiction", "`@lazy` and `@eager` contradict each other"),
        ("State a @retry(1) @retry(2);", "contradiction", "`@retry` is declared twice"),
        ("State a @retry(11);", "annotation-value", "`@retry` takes an integer from 0 to 10"),
        ("State a @timeout(\"soon\");", "annotation-value", "`@timeout` takes an integer from 1 to 300000"),
        ("a -@map-> b;", "annotation-value", "`@map` needs the name of a list"),
        (
            "machine \"m\" @errorHandling(\"panic\")",
            "annotation-value",
            "`@errorHandling` takes \"fail-fast\", \"continue\" or \"compensate\"",
        ),
        ("a -when: \"x ==\"-> b;", "condition", "expected a value in the condition, found the end"),
        (
            "Task a; Context c { x: 1; } Context d { x: 2; } a -reads-> c; a -reads-> d; a -when: \"x > 1\"-> b;",
            "ambiguous-field",
            "several contexts that `a` may read have a field `x`",
        ),
    ];
    for (text, code, message) in cases {
        let report = read("f.dygram", text).report;
        let found: Vec<_> = report.errors().map(|found| (found.code, &*found.message)).collect();
        assert_eq!(found, [(code, message)], "{text}");
    }
}

#[test]
fn circles_without_a_decision_are_endless() {
    let cases = [
        ("State a; State b; a -> b; b -> a;", true),
        ("State a; a -> a;", true),
        ("State a; State b; State c; a -> b; b -> c; c -@auto-> b;", true),
        ("Task a { prompt: \"p\"; } State b; a -@auto-> b; b -> a;", true),
        ("Task a { prompt: \"p\"; } State b; a -> b; b -> a;", false),
        ("State a; State b; State c; a -> b; b -> a; b -> c;", false),
        ("State a; State b; State c; a -> b; b -@auto-> a; b -> c;", true),
        ("State a; State b; State c; a -> b; b -when: \"errorCount > 1\"-> c; b -@auto-> a;", false),
    ];
    for (text, is_endless) in cases {
        let report = read("f.dygram", text).report;
        assert_eq!(report.diagnostics().iter().any(|found| found.code == "endless"), is_endless, "{text}\n{report}");
    }
}

#[test]
fn conditions_that_exclude_each_other_need_no_fallback() {
    let cases = [
        ("a -when: \"x > 1\"-> b; a -unless: \"x > 1\"-> c;", false),
        ("a -when: \"x > 1\"-> b; a -when: \"!(x > 1)\"-> c;", false),
        ("a -when: \"x > 1\"-> b; a -if: \"true\"-> c;", false),
        ("a -when: \"x > 1\"-> b; a -unless: \"false\"-> c;", false),
        ("a -when: \"x > 1\"-> b; a -unless: \"x > 2\"-> c;", true),
        ("a -when: \"x > 1\"-> b; a -> c;", false),
    ];
    for (edges, is_wrong) in cases {
        let report = read("f.dygram", &format!("x: 1; State a; {edges}")).report;
        assert_eq!(report.diagnostics().iter().any(|found| found.code == "no-fallback"), is_wrong, "{edges}\n{report}");
    }
}

#[test]
fn a_machine_enters_and_leaves_an_inner_node_with_its_parent() {
    let text = "machine \"m\" @strict State a; Process p { Context c { x: 1; } State s; Task t { prompt: \"p\"; } t -> s; } State b; a -> p -> b;";
    let report = read("f.dygram", text).report;
    assert!(report.diagnostics().is_empty(), "{report}");
    let report = read("f.dygram", &text.replace("t -> s;", "")).report;
    let found: Vec<_> = report.diagnostics().iter().map(|found| &*found.message).collect();
    assert_eq!(found, ["the machine never reaches `p.s`"]);
}

#[test]
fn names_that_are_nearly_known_are_warnings() {
    let cases = [
        ("Taks a;", "unknown-type", "write `task`"),
        ("State a @tiemout(5);", "unknown-annotation", "write `@timeout`"),
        ("State a { prompt: \"\\d\"; }", "unknown-escape", "write `\\\\d` for a backslash"),
        ("Task\na;", "type-on-other-line", "write `Task;` if it is a node"),
        ("a -> b; a -> b;", "duplicate-edge", "remove one of the two"),
        ("State a; Context c; State b; a --> c; a --> b;", "no-transition", "write `a -> b;` if it should"),
        ("State a; State b; a =go=> b;", "no-transition", "write `a -> b;` if it should"),
        (
            "State a; State c; a -> loadInput -> c;",
            "context-by-name",
            "declare it: `State loadInput;` or `Context loadInput;`",
        ),
    ];
    for (text, code, help) in cases {
        let report = read("f.dygram", text).report;
        let found = report.diagnostics().iter().find(|found| found.code == code);
        assert_eq!(found.and_then(|found| found.help.as_deref()), Some(help), "{text}\n{report}");
        assert_eq!(found.map(|found| found.severity), Some(Severity::Warning), "{text}");
    }
}

#[test]
fn strict_files_report_annotations_without_effect() {
    let cases = [
        ("State a; State b; a -@retry(2)-> b;", "`@retry` has no effect on an edge"),
        ("State a @parallel; State b; a -> b;", "`@parallel` has no effect on a node"),
        ("State a @concurrent(2); State b; a -> b;", "`@concurrent` has no effect on a node"),
        ("State a; State b; a -@aut-> b;", "`@aut` has no meaning"),
    ];
    for (text, message) in cases {
        let report = Reader::new().strict().read("f.dygram", text).report;
        let found: Vec<_> = report.diagnostics().iter().map(|found| &*found.message).collect();
        assert_eq!(found, [message], "{text}");
        assert!(read("f.dygram", text).report.diagnostics().is_empty(), "{text}");
    }
    let report = read("f.dygram", "machine \"m\" @strict @retry(2); State a @Critical; State b; a -@daily-> b;").report;
    let found: Vec<_> = report.diagnostics().iter().map(|found| &*found.message).collect();
    assert_eq!(found, ["`@retry` has no effect on the machine"]);
}

#[test]
fn the_list_of_a_map_needs_a_permission() {
    let text =
        "machine \"m\" @strict; Context c { items<array>: [1]; } State a; State b; a -@map(c.items)-> b; a -reads-> c;";
    assert!(read("f.dygram", text).report.diagnostics().is_empty(), "{}", read("f.dygram", text).report);
    let message = |text: &str| {
        let report = read("f.dygram", text).report;
        (report.has_errors(), report.diagnostics().iter().map(|found| found.message.clone()).collect::<Vec<_>>())
    };
    let unread = text.replace(" a -reads-> c;", "");
    assert_eq!(message(&unread), (true, vec!["`a` may not read `items` of `c`".to_owned()]));
    assert!(!message(&unread.replace(" @strict", "")).0, "a warning");
    let (is_wrong, found) = message(&text.replace("@map(c.items)", "@map(\"c.itms\")"));
    assert!(is_wrong && found == ["`c` has no field `itms`"], "{found:?}");
}

#[test]
fn compensation_nodes_are_not_part_of_the_flow() {
    let text = "machine \"m\" @strict @errorHandling(\"compensate\"); Task undo @compensate(work) { prompt: \"p\"; } State work; End e;\
        work -> e;";
    let reading = read("f.dygram", text);
    assert!(reading.report.diagnostics().is_empty(), "{}", reading.report);
    let machine = &reading.machine;
    assert_eq!(machine.starts(), Vec::from_iter(machine.find("work")));
    let found = |text: &str| {
        let report = read("f.dygram", text).report;
        report.diagnostics().iter().filter_map(|found| found.help.clone()).collect::<Vec<_>>()
    };
    assert_eq!(found(&text.replace("(work)", "(wrok)")), ["write `@compensate(work)`"]);
    assert_eq!(
        found(&text.replace("(\"compensate\")", "(\"continue\")")),
        ["add `@errorHandling(\"compensate\")` to the machine"]
    );
}

#[test]
fn only_nodes_with_meta_use_meta_tools() {
    let text = "Task a { prompt: \"p\"; } Tool construct_tool; End b; a -> b; a -uses-> construct_tool;";
    let found = |text: &str| {
        let report = Reader::new().strict().read("f.dygram", text).report;
        report.diagnostics().iter().map(|found| found.message.clone()).collect::<Vec<_>>()
    };
    assert_eq!(found(text), ["`a` may not use the meta tool `construct_tool`"]);
    assert!(found(&text.replace("prompt:", "meta: true; prompt:")).is_empty());
    let report = read("f.dygram", text).report;
    assert!(!report.has_errors() && report.to_string().contains("add `meta: true;` to `a`"), "{report}");
}

#[test]
fn templates_without_their_end_are_reported() {
    let text = "Context c { x: 1; } Task a { prompt: \"Use {{c.x} now\"; } End b; a -> b; a -reads-> c;";
    let report = read("f.dygram", text).report;
    let found: Vec<_> = report.diagnostics().iter().map(|found| (&*found.message, found.help.as_deref())).collect();
    assert_eq!(found, [("the template `{{c.x` has no end, so it is plain text", Some("write `{{c.x}}`"))]);
}

#[test]
fn common_names_and_annotations_are_not_reported_as_mistakes() {
    let texts = [
        "State a @Beta; Node b; a -> b;",
        "Context c { d { Context e { x: 1; } } } State a; State b; a -> b;",
        "machine \"m\" { size: 1; } State a { w: 1; prompt: \"{{machine.size}} {{w}}\"; } a -when: \"machine.size > w\"-> b; a -> b;\
         State b;",
        "machine \"m\" @strict; Context c { x: 1; d { y: 1; } } Task a { prompt: \"{{c.d.y}}\"; } End b; a -read: d-> c; a -> b;",
        "Context c; State a; State b; a --> c; a <|-- b; a <--> b;",
        "State a; State b; a -> b; a --> b; Task base; Task heir @Abstract; base <|-- a; base <|-- heir;",
        "Context c { l<array>: [1]; } State a; Task b { prompt: \"{{item.x}}\"; } State d; a -@map(c.l)-> b; a -reads-> c;\
         b -when: \"item.x > 1\"-> d; b -> d;",
        "Process p { v: 1; Context c { v: 2; } Task t { prompt: \"{{v}}\"; } } End e; p -> e;",
    ];
    for text in texts {
        let report = read("f.dygram", text).report;
        assert!(report.diagnostics().is_empty(), "{text}\n{report}");
    }
    let text = "p { Task a { size: 1; } } State b { prompt: \"{{p.a.sise}}\"; }";
    let report = read("f.dygram", text).report;
    let found = report.diagnostics().iter().find(|found| found.code == "unknown-field");
    let found = found.map(|found| (&*found.message, found.help.as_deref()));
    assert_eq!(found, Some(("`p.a` has no field `sise`", Some("write `p.a.size`"))));
    let text = "machine \"m\" { size: 1; } State a { prompt: \"{{machine.sise}}\"; }";
    assert_eq!(read("f.dygram", text).report.diagnostics()[0].code, "unknown-field");
}

#[test]
fn names_have_suggestions() {
    let text = "machine \"m\" @strict; State review; review -> reveiw;";
    let report = read("f.dygram", text).report;
    assert_eq!(report.diagnostics()[0].help.as_deref(), Some("write `review`, or declare the node: `State reveiw;`"));
}

#[test]
fn a_thousand_nodes_are_read_without_a_mistake() {
    let node = |n: usize| {
        let (next, other) = ((n + 1) % 1000, (n + 7) % 1000);
        let task = format!("Task t{n} \"Task {n}\" @retry(3) {{ prompt: \"Do {{{{c.x}}}}\"; }}");
        format!("{task}\nt{n} -reads-> c; t{n} -when: \"x > {n} && c.x < 5\"-> t{next}; t{n} -> t{other};\n")
    };
    let text = "machine \"m\" @strict; Context c { x: 1; }\n".to_owned() + &(0..1000).map(node).collect::<String>();
    let reading = read("f.dygram", &text);
    assert!(reading.report.diagnostics().is_empty(), "{}", reading.report);
    assert_eq!(reading.machine.nodes().len(), 1001);
}

/// Each mistake shows its line, and each text is searched for its end.
#[test]
fn a_line_with_20000_statements_is_read_in_seconds() {
    let begin = std::time::Instant::now();
    let report = read("flow.dygram", &"State a;".repeat(20_000)).report;
    assert_eq!(report.diagnostics().len(), 19_999);
    assert!(report.to_string().ends_with("more mistakes and warnings are not shown\n\n"));
    let texts: Vec<_> = (0..20_000).map(|number| format!("\"{number}\"")).collect();
    assert!(!read("flow.dygram", &format!("Context c {{ all: [{}]; }}", texts.join(", "))).report.has_errors());
    assert!(begin.elapsed().as_secs() < 20, "{:?}", begin.elapsed());
}
