//! Where machines begin, and what they never reach.

/// The file, where it begins, and the codes of its warnings.
#[test]
fn machines_have_a_beginning_and_reach_their_nodes() {
    let cases: [(&str, &[&str], &[&str]); 14] = [
        ("init start; task a; state b; start -> a -> b;", &["start"], &[]),
        ("task a; state b; a -> b;", &["a"], &[]),
        // There, a machine in which all nodes have incoming edges has no beginning. Here, it begins at its first node.
        ("task a; task b; a -> b; b -> a;", &["a"], &["endless"]),
        ("task a { prompt: \"x\"; } task b { prompt: \"y\"; } a -> b; b -> a;", &["a"], &[]),
        ("task a; a -> a;", &["a"], &["endless"]),
        ("context user { value: \"x\"; } task first; state next; user -> first; first -> next;", &["first"], &[]),
        (
            "context user { query: \"x\"; } process analysis { task pre; task analyze; state done; pre -> analyze -> done; }
            task a; task b; state merge; user -> analysis; analysis.done -> a, b; a -> merge; b -> merge;",
            &["analysis"],
            &[],
        ),
        ("init start; state success; start -> success;", &["start"], &[]),
        ("init start; task a; context config { value: 42; } start -> a; a -> end; end end;", &["start"], &[]),
        ("init start; task a; task lone; start -> a; a -> done; end done;", &["start"], &["unreachable"]),
        ("init start; state s; task a; task b; start -> s; a -> b; b -> a;", &["start"], &["endless", "unreachable", "unreachable"]),
        ("task a; task b; a -> b;", &["a"], &["no-way-out"]),
        ("context config { value: 42; }", &[], &[]),
        // An init that leads nowhere is a mistake, also if nothing else is there.
        ("init start; task a;", &["start"], &["no-way-out"]),
    ];
    for (file, starts, codes) in cases {
        let reading = exo_rails_dygram::read("flow.dygram", file);
        let machine = &reading.machine;
        let found: Vec<_> = machine.starts().into_iter().map(|id| machine.path(id)).collect();
        assert_eq!(found, starts, "{file}");
        let mut found: Vec<_> = reading.report.diagnostics().iter().map(|found| found.code).collect();
        found.sort_unstable();
        assert_eq!(found, codes, "{file}\n{}", reading.report);
    }
}
