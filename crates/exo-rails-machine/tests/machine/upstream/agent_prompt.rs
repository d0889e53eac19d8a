//! What an agent reads at a node.

use serde_json::json;

use crate::helper::{recorded, say};

/// The file, lines of the instructions at `work`, and texts that they do not have.
#[tokio::test]
async fn the_instructions_list_the_contexts_and_transitions_of_the_node() {
    let cases: [(&str, &[&str], &[&str]); 6] = [
        (
            "machine \"Test\" Task work { prompt: \"Analyze the data\"; }",
            &["- Node: **work** (Task)", "- Objective: Analyze the data"],
            &["Contexts", "Transitions"],
        ),
        (
            "Task work { prompt: \"x\"; } Context input { data: \"d4ta\"; } Context output; work -reads-> input; work -stores-> output;",
            &["- **input**: read", "  - Fields: data", "- **output**: write", "  - Fields: any"],
            &["d4ta"],
        ),
        (
            "Task work { prompt: \"x\"; } Context c; work -write: field1,field2-> c;",
            &["- **c**: read, write", "  - Fields: field1, field2"],
            &[],
        ),
        (
            "Task work { prompt: \"x\"; } State good; State bad; work -on success-> good; work -on failure-> bad; work -@auto, when: \"false\"-> later; State later;",
            &["- **good** with `transition_to_good`: on success", "- **bad** with `transition_to_bad`: on failure"],
            // There, an edge whose condition is false is offered, and so is one with `@auto` at some nodes.
            &["later"],
        ),
        (
            "Task work { prompt: \"x\"; } State open; State shut; work -> open; work -when: \"false\"-> shut; work -unless: \"false\"-> other; State other;",
            &["- **open** with `transition_to_open`", "- **other** with `transition_to_other`"],
            &["shut"],
        ),
        (
            "Process outer { prompt: \"The whole\"; Task work { prompt: \"The part\"; } Task beside { prompt: \"Another\"; } }",
            &["- Part of: The whole", "- Objective: The part"],
            &["Another"],
        ),
    ];
    for (file, lines, hidden) in cases {
        let script = json!([{ "call": [{ "tool": "transition_to_good", "arguments": { "reason": "x" } }, { "tool": "transition_to_open", "arguments": { "reason": "x" } }] }, say("done")]);
        let (builder, model) = recorded(file, &script.to_string());
        builder.build().unwrap().run().await.unwrap_or_else(|error| panic!("{file}: {error}"));
        let system = model.systems()[0].clone();
        for line in lines {
            assert!(system.lines().any(|other| other == *line), "{line}\n---\n{system}");
        }
        for hidden in hidden {
            assert!(!system.contains(hidden), "{hidden}\n---\n{system}");
        }
    }
}
