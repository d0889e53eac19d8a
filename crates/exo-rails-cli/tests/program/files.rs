//! `check`, `fmt` and `draw`.

use std::io::Write;
use std::process::Stdio;

use crate::desk::{Desk, REVIEW};

#[test]
fn a_file_without_mistakes_prints_nothing() {
    let ran = Desk::with_review().run("check review.dygram");
    assert_eq!((ran.code, ran.out.as_str(), ran.errors.as_str()), (0, "", ""));
}

#[test]
fn all_mistakes_of_all_files_are_reported_with_their_lines() {
    let desk = Desk::with_review();
    desk.write("a.dygram", "State a;\nEnd b;\na -> b;\na -when: \"c.x > 1\"-> b;\nx -> ;\n");
    desk.write("b.mach", "Task t { prompt: 3;\n");
    let ran = desk.run("check review.dygram a.dygram b.mach");
    assert_eq!(ran.code, 1);
    assert!(ran.errors.contains("--> a.dygram:5:6") && ran.errors.contains("--> b.mach:"), "{}", ran.errors);
    assert!(ran.errors.contains("in `a.dygram`, `b.mach`"), "{}", ran.errors);
    assert!(!ran.errors.contains('\u{1b}'), "colours are for terminals: {:?}", ran.errors);
}

#[test]
fn undeclared_nodes_are_warnings_unless_the_file_is_strict() {
    let desk = Desk::new();
    desk.write("a.dygram", "State idle; idle -> done;");
    let (lenient, strict) = (desk.run("check a.dygram"), desk.run("check --strict a.dygram"));
    assert_eq!((lenient.code, strict.code), (0, 1));
    assert!(lenient.errors.contains("warning[unknown-node]"), "{}", lenient.errors);
    assert!(strict.errors.contains("error[unknown-node]"), "{}", strict.errors);
}

#[test]
fn a_machine_that_cannot_be_executed_is_a_mistake() {
    let desk = Desk::new();
    desk.write("a.dygram", "Context c { n: 1; }");
    let ran = desk.run("check a.dygram");
    assert!(ran.code == 1 && ran.errors.contains("error: a.dygram: "), "{ran:?}");
}

#[test]
fn files_import_others_below_their_directory() {
    let desk = Desk::new();
    std::fs::create_dir(desk.path("flows")).unwrap();
    desk.write("lib.dygram", "State shared;");
    desk.write("flows/main.dygram", "import { shared } from \"../lib.dygram\"; State a; a -> shared;");
    let outside = desk.run("check flows/main.dygram");
    assert!(outside.code == 1 && outside.errors.contains("outside the directory of the machine"), "{outside:?}");
    assert_eq!(desk.run("check --root . flows/main.dygram").code, 0);
}

#[test]
fn a_file_that_is_missing_or_elsewhere_is_named() {
    let desk = Desk::with_review();
    std::fs::create_dir(desk.path("other")).unwrap();
    for (arguments, expected) in [
        ("check missing.dygram", "missing.dygram: "),
        ("check --root other review.dygram", "the file is not in the directory"),
        ("check --root nowhere review.dygram", "nowhere: "),
        ("draw review.dygram --output x.png", "the extension is none of `.mmd`, `.dot`, `.gv` and `.svg`"),
        ("draw review.dygram --history review.dygram", "this is not a history"),
    ] {
        let ran = desk.run(arguments);
        assert!(ran.code == 2 && ran.errors.contains(expected), "{arguments}: {ran:?}");
    }
}

#[test]
fn formatting_changes_white_space_only_and_is_stable() {
    let desk = Desk::with_review();
    desk.write("a.dygram", "State   idle ;// stays\nEnd done;\nidle->done;");
    assert_eq!(desk.run("fmt --check a.dygram").code, 1);
    assert_eq!(desk.run("fmt a.dygram review.dygram").code, 0);
    assert_eq!(desk.read("a.dygram"), "State idle; // stays\nEnd done;\nidle -> done;\n");
    assert_eq!(desk.run("fmt --check a.dygram review.dygram").code, 0);
}

#[test]
fn fmt_skips_a_file_with_a_mistake_and_formats_the_others() {
    let desk = Desk::new();
    desk.write("a.dygram", "State {");
    desk.write("b.dygram", "State   b;");
    let ran = desk.run("fmt a.dygram b.dygram");
    assert!(ran.code == 1 && ran.errors.contains("--> a.dygram:1:"), "{ran:?}");
    assert_eq!((desk.read("a.dygram").as_str(), desk.read("b.dygram").as_str()), ("State {", "State b;\n"));
}

#[test]
fn the_standard_input_is_formatted_to_the_standard_output() {
    let desk = Desk::new();
    let mut child = desk.program("fmt -").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"State   a;").unwrap();
    assert_eq!(child.wait_with_output().unwrap().stdout, b"State a;\n");
}

#[test]
fn drawings_show_the_path_of_a_history() {
    let desk = Desk::with_review();
    assert_eq!(desk.run("exec review.dygram --script script.json").code, 0);
    let plain = desk.run("draw review.dygram").out;
    assert!(plain.starts_with("flowchart TD") && !plain.contains("taken"), "{plain}");
    for (file, begin) in [("a.mmd", "flowchart TD"), ("a.dot", "digraph"), ("a.svg", "<svg")] {
        let ran = desk.run(&format!("draw review.dygram --history execution-history.json -o {file}"));
        assert_eq!(ran.code, 0, "{ran:?}");
        let drawing = desk.read(file);
        assert!(drawing.starts_with(begin), "{drawing}");
    }
    assert!(desk.read("a.svg").contains("taken"));
    assert_eq!(desk.read("review.dygram"), REVIEW);
}
