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
        "fn condition(order: &__Context_order) -> bool",
        "order.total < 100.0 && matches!(order.id, 1..5)",
        "::core::convert::AsRef::as_ref(&tools.search)",
        "let _ = &context.total;",
        "machine \\\"Orders\\\" @concurrent(3)",
        "Check -read: \\\"id, total\\\"-> order;",
    ] {
        assert!(code.contains(part), "{part} is missing in\n{code}");
    }
}

/// What a user writes, and what the compiler says.
const MISTAKES: &[(&str, &str)] = &[
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
        "a condition can only use the macro `matches!`",
    ),
    (
        "state A { reads order; -> B when order.big; -> C when !order.big; } end B; end C;",
        "`A` cannot go on if all conditions of its edges are false: write an edge without `when` after the others",
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
    ("state A { -> B; } end B { -> A; }", "the end `B` has an edge to another node: remove the edge, or write `state`"),
    ("state A @lazy @eager { -> B; } end B;", "`@lazy` and `@eager` contradict each other: remove one of them"),
    ("state A { -> B; } end B; end B;", "the node `B` is declared twice: rename one of the two"),
    (
        "state A { -> B; } state B { state C; } end BC;",
        "the nodes `B.C` and `BC` would have the same type: rename one of the two",
    ),
    ("context order: Other; state A { -> B; } end B;", "the context `order` is declared twice: rename one of the two"),
    ("state order { -> B; } end B;", "`order` is the name of a context and of a node: rename one of the two"),
    ("state A { uses search; -> B; } end B;", "the machine has no tools: write `tools: MyTools;`"),
    (
        "task A { prompt: \"{{order.id}}\"; -> B; } end B;",
        "`A` may not read `id` of `order`: add `reads order { id };` to it",
    ),
    ("task A { prompt: \"A\"; prompt: \"B\"; -> B; } end B;", "`prompt` is declared twice: remove one of the two"),
    ("state A { -> B; } end B { prompt: \"B\"; }", "an end has no prompt: write a task before it"),
    ("state A { -> B when ; } end B;", "write a condition after `when`, such as `order.total < 100.0`"),
    ("state A { -> B when \"order.x > 3\"; } end B;", "a condition has no quotes: write `when order.x > 3`"),
    ("state A { -> B if order.x; } end B;", "write `when` and a condition, or `;`"),
    ("stat A;", "there is no `stat` here: did you mean `state`?"),
    ("process A;", "write `context`, `tools`, or a node: `task`, `state`, `init`, `join` or `end`"),
    ("state A { promt: \"x\"; }", "there is no `promt` here: did you mean `prompt`?"),
    (
        "state A { color: \"x\"; }",
        "write an edge `-> Target;`, a node, or `prompt`, `reads`, `writes`, `uses`, `agent` or `meta`",
    ),
    ("state A { -> B; } A -> B; end B;", "an edge is a part of its source: write it into the braces of that node"),
    ("state A { -> B; } -> B; end B;", "an edge is a part of its source"),
    ("state A { -> B, C; }", "an edge has one target: write `;` and another edge"),
    ("state A { -> B::C; }", "write `.` between the names of a node and of the node in it"),
    ("state A { -> B when: true; }", "write the condition without a colon: `when order.total < 100.0`"),
    ("state A { -> B when true @auto; }", "write annotations before `when`"),
    ("state A { /// why\n -> B; } end B;", "only nodes have docs and attributes: write a comment with `//`"),
    ("task A { prompt: PROMPT; -> B; } end B;", "write the prompt as a text in quotes"),
    ("state A { meta: true; -> B; } end B;", "the word is enough: write `meta;`"),
    ("state A { uses construct_tool; -> B; } end B;", "`construct_tool` is a meta tool: write `meta;` instead"),
    (
        "state A { meta; uses get_tool_nodes; -> B; } end B;",
        "`get_tool_nodes` is a meta tool: remove it, because `meta;` includes it",
    ),
    ("state A @retyr(2) { -> B; } end B;", "`@retyr` has no meaning: write `@retry`"),
    ("state A { -> B @aut; } end B;", "`@aut` has no meaning: write `@auto`"),
    ("state A { -> B @retry(2); } end B;", "`@retry` has no effect on an edge: write it on a node"),
    ("state A @timeout(2s) { -> B; } end B;", "write the number without `s`"),
    ("state A @auto { -> B; } end B;", "`@auto` has no effect on a node: write it on an edge"),
    ("state A @concurrent(2) { -> B; } end B;", "`@concurrent` has no effect on a node: write it on the machine"),
    (
        "task A { prompt: \"{{order.id}\"; reads order; -> B; } end B;",
        "the template `{{order.id` has no end, so it is plain text: write `{{order.id}}`",
    ),
    (
        "task A { prompt: \"{{order.nte}}\"; reads order { note }; -> B; } end B;",
        "`A` may not read `nte` of `order`: did you mean `note`?",
    ),
    (
        "task A { prompt: \"{{oder.id}}\"; reads order { id }; -> B; } end B;",
        "`oder.id` is not a field of a context that `A` may read: write `order`",
    ),
    ("state A { -> B @map(ordr.items); } end B;", "there is no context `ordr`: did you mean `order`?"),
    ("state A { -> B @map(\"ordr.items\"); } end B;", "there is no context `ordr`: did you mean `order`?"),
    ("state A { -> B @map(items); } end B;", "write the context and the field of a list, such as `@map(order.items)`"),
    ("state A { -> B @each(\"\"); } end B;", "write the context and the field of a list, such as `@each(order.items)`"),
    ("state A { -> B @map; } end B;", "`@map` needs the name of a list: write `@map(input.items)`"),
    (
        "state A { -> B @map(order.items); } end B;",
        "`A` may not read `items` of `order`: add `reads order { items };` to it",
    ),
    (
        "state A { -> B; } end B; state C @compensate(order);",
        "`@compensate` names `order`, which is not a node of the flow: write the node whose work it undoes",
    ),
    (
        "state A { -> B; } end B; state C @compensate;",
        "`@compensate` has no effect, because the machine does not compensate: add `@errorHandling(\"compensate\")` to the",
    ),
    ("state A { -> B @priority(a.b); } end B;", "write a text, a number or a boolean"),
    ("state A", "write `;`, or the parts of the node in braces"),
    ("state A @retry(x);", "write a text, a number or a boolean"),
];

#[test]
fn mistakes_have_one_message_each() {
    for (body, message) in MISTAKES {
        let code = with(body);
        let errors = code.matches("compile_error!").count();
        let shown = code.replace("\\\"", "\"");
        assert!(errors == 1 && shown.contains(message), "{body}\n{message}\n{code}");
    }
}

#[test]
fn a_condition_may_read_a_field_that_its_node_may_write() {
    let code = with(
        "state A { -> B; } task B { prompt: \"B\"; writes notes { text }; -> C when notes.text.is_empty(); -> A; } end C;",
    );
    assert!(!code.contains("compile_error!"), "{code}");
}

/// Both forms name the same list, whose type the compiler checks.
#[test]
fn the_list_of_a_map_is_a_field() {
    for list in ["order.lines.all", "\"order.lines.all\""] {
        let code = with(&format!("state A {{ reads order; -> B @map({list}); }} end B;"));
        assert!(code.contains("for_macros::list(") && code.contains("&context.lines.all,"), "{code}");
        assert!(code.contains("@map(\\\"order.lines.all\\\")"), "{code}");
        assert!(code.contains("context::<__Context_order>(\"order\", &order, &[\"lines\"])"), "{code}");
    }
}
