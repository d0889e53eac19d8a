//! Files that import each other.

#![allow(clippy::expect_used, reason = "a test may panic")]

use std::collections::HashMap;

use exo_rails_dygram::{Reader, Reading, read};

fn reading(files: &[(&str, &str)]) -> Reading {
    let files: HashMap<_, _> = files.iter().copied().collect();
    Reader::new().with_loader(&files).read_file("main.dygram").expect("the files have a main file")
}

fn paths(reading: &Reading) -> Vec<&str> {
    reading.machine.ids().map(|id| reading.machine.path(id)).collect()
}

fn edges(reading: &Reading) -> Vec<String> {
    let machine = &reading.machine;
    machine
        .edges()
        .iter()
        .map(|edge| format!("{} {}", machine.path(edge.source.node), machine.path(edge.target.node)))
        .collect()
}

/// Names and texts.
type Files = &'static [(&'static str, &'static str)];

const LIB: &str = "Process work { Task draft; Task check; draft -> check; }\nState start; State lost;\nstart -> work; work -> lost;\n\
                   Note work \"what is done\"; limit: 3;";

#[test]
fn imported_nodes_bring_their_children_and_the_edges_between_them() {
    let main = "import { start as begin, work } from \"lib/work.dygram\"\nState done; work -> done;";
    let reading = reading(&[("main.dygram", main), ("lib/work.dygram", LIB)]);
    assert!(!reading.report.has_errors(), "{}", reading.report);
    assert_eq!(paths(&reading), ["begin", "work", "work.draft", "work.check", "done"]);
    assert_eq!(edges(&reading), ["work.draft work.check", "begin work", "work done"]);
    assert_eq!(reading.machine.notes().len(), 1);
    assert!(reading.machine.attributes.is_empty());
    assert_eq!(read("printed", &reading.machine.to_string()).machine, reading.machine);
}

#[test]
fn an_imported_qualified_name_keeps_its_path_and_an_alias_replaces_it() {
    let main = "import { work.draft, work.check as review } from \"./lib.dygram\"; work.draft -> review;";
    let reading = reading(&[("main.dygram", main), ("lib.dygram", LIB)]);
    assert_eq!(paths(&reading), ["work", "work.draft", "review"]);
    assert_eq!(edges(&reading), ["work.draft review", "work.draft review"]);
}

#[test]
fn two_import_paths_may_lead_to_the_same_file() {
    let files = [
        ("main.dygram", "import { a } from \"x/a.dygram\"; import { b } from \"x/b.dygram\"; a -> b;"),
        ("x/a.dygram", "import { c as a } from \"./c.dygram\""),
        ("x/b.dygram", "import { c as b } from \"../x/c.dygram\""),
        ("x/c.dygram", "State c { size: 3; }"),
    ];
    let reading = reading(&files);
    assert!(!reading.report.has_errors(), "{}", reading.report);
    assert_eq!(paths(&reading), ["a", "b"]);
}

#[test]
fn mistakes_of_imports_name_the_file_and_what_to_write() {
    let cases: [(&str, Files, &str, &str); 6] = [
        (
            "import { a } from \"./no.dygram\"",
            &[],
            "main.dygram:1:19",
            "the file `no.dygram` cannot be imported: there is no such file",
        ),
        (
            "import { strat } from \"lib.dygram\"",
            &[("lib.dygram", LIB)],
            "main.dygram:1:10",
            "`lib.dygram` has no node `strat`",
        ),
        (
            "import { start } from \"lib.dygram\" State start;",
            &[("lib.dygram", LIB)],
            "main.dygram:1:42",
            "the node `start` is declared twice",
        ),
        (
            "import { start, lost as start } from \"lib.dygram\"",
            &[("lib.dygram", LIB)],
            "main.dygram:1:25",
            "the node `start` is declared twice",
        ),
        (
            "import { a } from \"a.dygram\"",
            &[("a.dygram", "import { b } from \"b.dygram\""), ("b.dygram", "import { a } from \"a.dygram\"")],
            "b.dygram:1:19",
            "files import each other in a circle: a.dygram -> b.dygram -> a.dygram",
        ),
        ("import { a } from \"a.dygram\"", &[("a.dygram", "State a\nState { }")], "a.dygram:2:1", ""),
    ];
    for (main, others, place, message) in cases {
        let files: Vec<_> = others.iter().copied().chain([("main.dygram", main)]).collect();
        let reading = reading(&files);
        let found = reading
            .report
            .errors()
            .next()
            .map(|found| (reading.report.locate(found).to_string(), found.message.clone()));
        // The last file is right: a node may be called `State`.
        let expected = (!message.is_empty()).then(|| (place.to_owned(), message.to_owned()));
        assert_eq!(found, expected, "{main}");
    }
}

#[test]
fn a_long_row_of_files_is_a_mistake() {
    let files: Vec<_> =
        (0..1000).map(|n| (format!("f{n}.dygram"), format!("import {{ a }} from \"f{}.dygram\"", n + 1))).collect();
    let files: HashMap<_, _> = files.into_iter().collect();
    let reading = Reader::new().with_loader(&files).read_file("f0.dygram").expect("the files have this one");
    assert!(reading.report.errors().any(|found| found.code == "import-depth"));
}

#[test]
fn a_text_alone_imports_nothing() {
    let report = read("main.dygram", "import { a } from \"a.dygram\"").report;
    assert!(report.to_string().contains("imports are not available here"), "{report}");
}
