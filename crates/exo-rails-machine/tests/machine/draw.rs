//! Drawings.

use exo_rails_machine::{dot, mermaid};

use crate::helper::run;

const FILE: &str = "machine \"A \\\"B\\\"\"
Process p \"Work & more\" { Task a { prompt: \"x\"; } Task b { prompt: \"y\"; } a -> b; } State s; End e; End never; Context c { n<integer>: 1; }
s -when: \"c.n < 3\"-> p; s -> never; p -> e; p -write: n-> c;";

#[tokio::test]
async fn drawings_show_the_path_that_was_taken() {
    let machine = exo_rails_dygram::read("flow.dygram", FILE).machine;
    let done = run(FILE, "[{ \"say\": \"1\" }, { \"say\": \"2\" }]").await.unwrap();
    let text = mermaid(&machine, Some(&done.history));
    for line in [
        "    subgraph n_p[\"p: Work #38; more\"]",
        "        n_p_da[\"a\"]",
        "    n_s -->|\"when: c.n #60; 3\"| n_p",
        "    n_p -.->|\"write: n\"| n_c",
        "    class n_p_da,n_p_db,n_s,n_e taken",
        "    linkStyle 0,1,3 stroke:#2a7,stroke-width:3px",
    ] {
        assert!(text.lines().any(|other| other == line), "{line}\n{text}");
    }
    let text = dot(&machine, Some(&done.history));
    for line in [
        "digraph \"A \\\"B\\\"\" {",
        "    subgraph cluster_n_p {",
        "        n_p_da [label=\"a\", shape=box, color=\"#22aa77\", penwidth=3];",
        "    n_s -> n_p_da [label=\"when: c.n < 3\", color=\"#22aa77\", penwidth=3, lhead=cluster_n_p];",
        "    n_s -> n_never;",
        "    n_p_da -> n_c [label=\"write: n\", style=dashed, ltail=cluster_n_p];",
    ] {
        assert!(text.lines().any(|other| other == line), "{line}\n{text}");
    }
}

#[test]
fn labels_show_their_parts_in_order() {
    let file =
        "Task a; State b; Context c { x; y; z; } a -write: x, y; read: z-> c; a -@priority(2), if: \"true\", good-> b;";
    let text = mermaid(&exo_rails_dygram::read("flow.dygram", file).machine, None);
    assert!(text.contains("|\"write: x, y, read: z\"|"), "{text}");
    assert!(text.contains("|\"@priority, when: true, good\"|"), "{text}");
}

#[test]
fn nodes_with_similar_paths_have_different_names_in_the_drawing() {
    let machine =
        exo_rails_dygram::read("flow.dygram", "State a_b; Process a { State b; State b_c; } State a_d; a_b -> a.b;")
            .machine;
    let names: std::collections::BTreeSet<_> = mermaid(&machine, None)
        .lines()
        .filter_map(|line| line.trim().split_once(['(', '[']).map(|(name, _)| name.to_owned()))
        .collect();
    assert_eq!(names.len(), 5, "{names:?}");
}
