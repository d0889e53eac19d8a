//! The macros.

/// Makes a machine whose contexts are types of the program, and whose conditions are Rust.
///
/// The macro makes a type with the function `machine`, and a module with a type for each [`Node`](crate::Node). The module has the
/// name of the machine in lower case: `order_desk` for `OrderDesk`.
///
/// ```
/// use exo_rails_agent::ScriptedModel;
/// use exo_rails_machine::{Executor, Node, machine};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize)]
/// struct Order { total: f64, note: String }
///
/// machine! {
///     /// Decides about an order.
///     pub machine OrderDesk {
///         context order: Order;
///
///         /// Small orders are shipped at once.
///         init Arrived {
///             reads order { total };
///             -> Shipped when order.total < 100.0;
///             -> Check;
///         }
///         task Check {
///             prompt: "Check the order: {{order.note}}";
///             reads order { note };
///             -> Shipped;
///             -> Refused;
///         }
///         end Shipped;
///         end Refused;
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let model: ScriptedModel =
///     r#"[{ "call": [{ "tool": "transition_to_Refused", "arguments": { "reason": "too much" } }] }]"#.parse()?;
/// let order = Order { total: 250.0, note: "Twelve lamps".to_owned() };
/// let done = Executor::builder(OrderDesk::machine(order), model).build()?.run().await?;
/// assert_eq!(done.ended_at, [order_desk::Refused::PATH]);
/// # Ok(()) }
/// ```
///
/// # The machine
///
/// A machine has a name, perhaps a title in quotes, and annotations such as `@concurrent(3)`. In its braces are:
///
/// | item | meaning |
/// |---|---|
/// | `context order: Order;` | data of the type `Order`, which implements `Serialize` and `Deserialize`, and is an object in JSON |
/// | `tools: DeskTools;` | the tools, a type that `tools!` makes |
/// | `init`, `task`, `state`, `join`, `end` | a node, with a name, perhaps a title and annotations, and then `;` or its parts in braces |
///
/// # The parts of a node
///
/// | part | meaning |
/// |---|---|
/// | `prompt: "…";` | what the agent does here. `{{order.note}}` is a field that the node may read |
/// | `reads order { id, total };` | the fields that the node may read. Without braces, all fields |
/// | `writes order { note };` | the fields that the node may read and write |
/// | `uses search, send_mail;` | fields of the type of the tools. Other nodes do not have these tools |
/// | `agent: "clerk";` | the name of a conversation that several nodes share |
/// | `meta;` | the agent may change the machine here |
/// | `-> Target;` | an edge. The target is beside the node, or beside a node around it. `Group.Inner` is a node in another one |
/// | `-> Target @auto "why" when …;` | an edge with annotations, a label for the agent, and a condition |
/// | `-> Pack @map(order.lines);` | a path at `Pack` for each item of a list, which the node may read |
/// | a node | a node in this node |
///
/// A condition is an expression of the type `bool`. It reads contexts by their names: `order.total < 100.0`. Among conditions, the
/// order of the edges decides. A condition has no macro but `matches!`, so that the macro sees what it reads.
///
/// The README of the crate lists the annotations. `@compensate(Pack)` names a node.
///
/// # What does not compile
///
/// Unknown nodes, contexts, fields and tools; a node that is never reached; a task without a way out; two `@auto` edges without a
/// condition; conditions without an edge for the case that all are false; a condition that is not a `bool`; a condition or a prompt
/// that reads a field without permission; a list of `@map` without permission, or that is not a list; a template without its end;
/// nodes of one name; a circle that is never left; annotations that contradict each other, or that have no effect where they stand.
/// The same checks run on a strict DyGram file.
///
/// # Values
///
/// The function `machine` takes the first value of each context, and a reference to the tools. A write that would give a context
/// another type is refused, and the agent reads why.
///
/// Agents read and write the JSON of a context. Fields in `reads`, `writes`, prompts and `@map` must have the same name in JSON as in
/// Rust. If an attribute of serde renames or skips such a field, [`ExecutorBuilder::build`](crate::ExecutorBuilder::build) fails.
/// Conditions read the Rust type, so the other fields may have any names.
#[macro_export]
macro_rules! machine {
    ($($input:tt)*) => { $crate::__private::machine_macro! { $crate; $($input)* } };
}

/// Makes a type of a DyGram file. The mistakes of the file are errors of the compiler.
///
/// The path is relative to the file of the call, as for `include_str!`. The macro makes a type with the function `machine`, and a
/// module with a type for each [`Node`](crate::Node): the node `group.firstStep` is `GroupFirstStep`. Nodes whose types would have
/// the same name have none.
///
/// ```ignore
/// use exo_rails_machine::{Executor, machine_file};
///
/// machine_file!(pub struct Review = "review.dygram");
///
/// let executor = Executor::builder(Review::machine(), model).until(review::Complete::PATH, 1).build()?;
/// ```
///
/// Files are lenient: nodes that only edges name exist. `machine_file!(pub struct Review = "review.dygram", strict)` reads the file as
/// if it had `@StrictMode`. Warnings are not shown, because a macro has no way to show them.
#[macro_export]
macro_rules! machine_file {
    ($($input:tt)*) => { $crate::__private::machine_file_macro! { $crate; $($input)* } };
}
