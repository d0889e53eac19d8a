#![allow(clippy::unwrap_used, reason = "tests may panic")]

use super::*;

fn expanded(input: &str) -> String {
    let input = format!("::exo_rails_machine; {input}").parse().unwrap();
    prettyplease::unparse(&syn::parse2(machine(input)).unwrap())
}

/// A machine with a body, whose first lines are the contexts.
fn with(body: &str) -> String {
    expanded(&format!("machine Orders {{ context order: Order; context notes: Notes; {body} }}"))
}

#[test]
fn a_machine_has_types_fields_and_conditions() {
    let code = expanded(
        r#"
        /// Handles orders.
        pub machine OrderDesk "Orders" @concurrent(3) {
            context order: Order;
            tools: DeskTools;

            /// Checks one.
            task Check @retry(2) {
                prompt: "Check {{order.id}}.";
                reads order { id, total };
                uses search;
                -> Ship @auto "it is small" when order.total < 100.0 && matches!(order.id, 1..5);
                -> Group;
            }
            state Group {
                task First { prompt: "First."; writes order; -> Ship; }
            }
            end Ship;
        }
        "#,
    );
    for part in [
        "/// Handles orders.",
        "pub struct OrderDesk;",
        "pub mod order_desk {",
        "/// Checks one.",
        "pub struct GroupFirst;",
        "const PATH: &'static str = \"Group.First\";",
        "pub fn machine(order: Order, tools: &DeskTools) -> ::exo_rails_machine::Definition",
        "fn condition(order: &Order) -> bool",
        "order.total < 100.0 && matches!(order.id, 1..5)",
        "::core::convert::AsRef::as_ref(&tools.search)",
        "let _ = &context.total;",
        "machine \\\"Orders\\\" @concurrent(3)",
        "Check -read: \\\"id, total\\\"-> order;",
    ] {
        assert!(code.contains(part), "{part} is missing in\n{code}");
    }
}

#[test]
fn mistakes_have_one_message_each() {
    let table = [
        ("task A { prompt: \"A\"; -> Dne; } end Done;", "there is no node `Dne` here: did you mean `Done`?"),
        ("task A { prompt: \"A\"; -> Other; }", "there is no node `Other`: declare it, such as `state Other;`"),
        ("task A { prompt: \"A\"; reads ordr; -> B; } end B;", "there is no context `ordr`: did you mean `order`?"),
        (
            "task A { prompt: \"A\"; reads bill; -> B; } end B;",
            "there is no context `bill`: declare it as `context bill: …;`",
        ),
        (
            "state A { -> B when order.total > 1.0; -> C; } end B; end C;",
            "`A` may not read `total` of `order`: add `reads order { total };` to it",
        ),
        (
            "state A { reads order { id }; -> B when is(order); -> C; } end B; end C;",
            "`A` may not read all of `order`: add `reads order;` to it, or name a field here",
        ),
        (
            "state A { reads order; -> B when format!(\"{}\", order.id) == \"\"; -> C; } end B; end C;",
            "a condition has no macro but `matches!`",
        ),
        (
            "state A { reads order; -> B when order.big; -> C when !order.big; } end B; end C;",
            "`A` cannot go on if all conditions of its edges are false: write an edge without `when` behind the others",
        ),
        (
            "state A { -> B @auto; -> C @auto; } end B; end C;",
            "`A` has two `@auto` edges without a condition: give the first one a condition",
        ),
        ("state A { -> B; } end B; state C;", "the machine never reaches `C`: write `-> C;` in a node that is reached"),
        (
            "state A { -> B; } task B { prompt: \"B\"; }",
            "the task `B` has no way out: write an edge such as `-> Done;`, with `end Done;`",
        ),
        (
            "state A { -> B; } state B { -> A; }",
            "the machine never leaves this circle: A -> B -> A: give one of the edges a condition",
        ),
        (
            "state A { -> B; } end B { -> A; }",
            "the end `B` has an edge to another node: remove the edge, or write `state`",
        ),
        ("state A @lazy @eager { -> B; } end B;", "`@lazy` and `@eager` contradict each other: remove one of them"),
        ("state A { -> B; } end B; end B;", "the node `B` is there twice: rename one of the two"),
        (
            "state A { -> B; } state B { state C; } end BC;",
            "the nodes `B.C` and `BC` would have the same type: rename one of the two",
        ),
        ("context order: Other; state A { -> B; } end B;", "the context `order` is there twice: rename one of the two"),
        ("state order { -> B; } end B;", "`order` is the name of a context and of a node: rename one of the two"),
        ("state A { uses search; -> B; } end B;", "the machine has no tools: write `tools: MyTools;`"),
        (
            "task A { prompt: \"{{order.id}}\"; -> B; } end B;",
            "`A` may not read `id` of `order`: add the field to `reads` of the node",
        ),
        ("task A { prompt: \"A\"; prompt: \"B\"; -> B; } end B;", "`prompt` is there twice: remove one of the two"),
        ("state A { -> B; } end B { prompt: \"B\"; }", "an end has no prompt: write a task before it"),
        ("state A { -> B when ; } end B;", "write a condition after `when`, such as `order.total < 100.0`"),
        ("state A { -> B if order.x; } end B;", "write `when` and a condition, or `;`"),
        ("stat A;", "write `context`, `tools`, or a node: `task`, `state`, `init`, `join` or `end`"),
        (
            "state A { promt: \"x\"; }",
            "write an edge `-> Target;`, a node, or `prompt`, `reads`, `writes`, `uses`, `agent` or `meta`",
        ),
        ("state A", "write `;`, or the parts of the node in braces"),
        ("state A @retry(x);", "write a text, a number or a boolean"),
    ];
    for (body, message) in table {
        let code = with(body);
        let errors = code.matches("compile_error!").count();
        let shown = code.replace("\\\"", "\"");
        assert!(errors == 1 && shown.contains(message), "{body}\n{message}\n{code}");
    }
}

#[test]
fn a_condition_may_read_what_its_node_may_write() {
    let code = with(
        "state A { -> B; } task B { prompt: \"B\"; writes notes { text }; -> C when notes.text.is_empty(); -> A; } end C;",
    );
    assert!(!code.contains("compile_error!"), "{code}");
}
