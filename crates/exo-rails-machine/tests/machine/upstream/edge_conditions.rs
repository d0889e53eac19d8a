//! Where the condition of an edge comes from.

use super::met;

/// The edge, and the text and the negation of its condition.
#[test]
fn an_edge_has_one_condition() {
    let cases: [(&str, Option<(&str, bool)>); 14] = [
        (r#"a -when: '(status == "valid")'-> b;"#, Some((r#"(status == "valid")"#, false))),
        (r#"a -unless: "(errorCount > 0)"-> b;"#, Some(("(errorCount > 0)", true))),
        (r#"a -if: 'status == "ready"'-> b;"#, Some((r#"status == "ready""#, false))),
        (r#"a -WHEN: "errorCount > 0"-> b;"#, Some(("errorCount > 0", false))),
        (r#"a -go, when: 'status == "valid"'-> b;"#, Some((r#"status == "valid""#, false))),
        (r#"a -"Go to b", unless: "errorCount > 0"-> b;"#, Some(("errorCount > 0", true))),
        (r#"a -@auto, when: "errorCount > 0"-> b;"#, Some(("errorCount > 0", false))),
        (r#"a -> b { when: 'status == "valid"'; };"#, Some((r#"status == "valid""#, false))),
        // The attribute is before the label, and `when` before `unless` before `if`.
        (
            r#"a -when: 'status == "invalid"'-> b { when: 'status == "valid"'; };"#,
            Some((r#"status == "valid""#, false)),
        ),
        (r#"a -if: "false", unless: "errorCount > 0", when: "true"-> b;"#, Some(("true", false))),
        (r#"a -if: "false", unless: "errorCount > 0"-> b;"#, Some(("errorCount > 0", true))),
        ("a -go-> b;", None),
        ("a -> b;", None),
        // There, a text that begins in this way is a condition. Here, a text is the description of the edge.
        (r#"a -"when: errorCount > 0"-> b;"#, None),
    ];
    for (edge, expected) in cases {
        let machine = exo_rails_dygram::read("flow.dygram", edge).machine;
        let edge_of = &machine.edges()[0];
        let found = exo_rails_machine::Condition::of(&machine, edge_of.source.node, edge_of).unwrap();
        let found = found.as_ref().map(|condition| (condition.text(), condition.is_negated()));
        assert_eq!(found, expected, "{edge}");
    }
}

/// Attributes of the machine, errors so far, the label of the edge, and whether its condition is true.
#[test]
fn conditions_read_the_attributes_of_the_machine() {
    let cases = [
        ("", 5, "when: 'errorCount > 0'", true),
        ("", 0, "unless: 'errorCount > 0'", true),
        ("", 5, "unless: 'errorCount > 0'", false),
        ("", 5, "when: 'errorCount > 10'", false),
        ("isReady: true;", 0, "if: 'isReady == true'", true),
        ("retryCount: 2; maxRetries: 3;", 1, "when: 'retryCount < maxRetries && errorCount > 0'", true),
        ("retryCount: 3; maxRetries: 3;", 1, "when: 'retryCount < maxRetries && errorCount > 0'", false),
        ("status: \"processing\";", 0, "when: 'status == \"processing\"'", true),
        ("status: \"valid\";", 0, "when: 'status == \"invalid\"'", false),
        ("config: { enabled: true; };", 0, "when: 'config.enabled == true'", true),
        ("timeout: \"30s\";", 0, "when: 'timeout == \"30s\"'", true),
        // A text is no number, also if it looks like one.
        ("count: '5';", 0, "when: 'count == \"5\"'", true),
        ("count: '5';", 0, "when: 'count == 5'", false),
        // There, a drawing takes both names from the machine. Here, they always are the facts of the execution.
        ("errorCount: 3;", 0, "unless: 'errorCount > 0'", true),
        ("activeState: \"other\";", 0, "when: 'activeState == \"a\"'", true),
    ];
    for (attributes, errors, label, expected) in cases {
        let file = format!("machine \"M\" {{ {attributes} }} State a; State b; a -{label}-> b;");
        assert_eq!(met(&file, errors), Ok(expected), "{file}");
    }
}
