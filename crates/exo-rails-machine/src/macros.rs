//! The macros.

/// Makes a machine whose contexts are types of the program, and whose conditions are Rust.
///
/// The macro makes a type with the function `machine`, and a module with a type for each node. These types implement
/// [`Node`](crate::Node). The name of the module is the name of the machine in snake case: `order_desk` for `OrderDesk`.
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
/// A machine has a name, optionally a title in quotes, and annotations such as `@concurrent(3)`. Its braces contain these
/// items:
///
/// | item | meaning |
/// |---|---|
/// | `context order: Order;` | data of the type `Order`. The type implements `Serialize` and `Deserialize`, and is an object in JSON |
/// | `tools: DeskTools;` | the tools. `DeskTools` is a type that `tools!` makes |
/// | `init`, `task`, `state`, `join`, `end` | a node. It has a name, optionally a title and annotations, and then `;` or its parts in braces |
///
/// # The parts of a node
///
/// | part | meaning |
/// |---|---|
/// | `prompt: "…";` | what the agent should do here. `{{order.note}}` inserts a field that the node may read |
/// | `reads order { id, total };` | the fields that the node may read. Without braces, all fields |
/// | `writes order { note };` | the fields that the node may read and write |
/// | `uses search, send_mail;` | the tools that the node has. These are fields of the type in `tools`. Nodes that do not name them do not have them |
/// | `agent: "clerk";` | the name of a conversation that several nodes share |
/// | `meta;` | the agent may change the machine here |
/// | `-> Target;` | an edge. The target is a sibling of the node, or of a node around it. `Group.Inner` is the node `Inner` in the node `Group` |
/// | `-> Target @auto "why" when …;` | an edge with annotations, a label for the agent, and a condition |
/// | `-> Pack @map(order.lines);` | starts a path at `Pack` for each item of the list. The node must be allowed to read the list |
/// | a node | a node inside this node |
///
/// A condition is an expression of the type `bool`. It reads contexts by their names, as in `order.total < 100.0`. If several
/// conditions of a node without a prompt are true, the machine takes the first edge. The only macro that a condition may call
/// is `matches!`, because `machine!` cannot see what other macros read.
///
/// The [documentation of the crate](crate) lists the annotations. In `@compensate(Pack)`, `Pack` is the name of a node.
///
/// # What does not compile
///
/// The compiler reports these mistakes:
///
/// - unknown nodes, contexts, fields and tools, and several nodes with the same name
/// - a node that the machine never reaches, a task without a way out, and a circle that the machine never leaves
/// - two `@auto` edges of a node without a condition, and a node that cannot go on if all conditions of its edges are false
/// - a condition that is not a `bool`
/// - a condition, a prompt or an `@map` that reads a field without permission
/// - a field of `@map` that is not a list
/// - a template without the closing `}}`
/// - annotations that contradict each other, and annotations that have no effect at their place
///
/// A strict DyGram file gets the same checks.
///
/// # Values
///
/// The function `machine` takes the first value of each context, and a reference to the tools if the machine has some. If an
/// agent writes a value that does not fit the type of the context, the machine refuses the write, and the agent reads why.
///
/// Agents read and write the JSON of a context. Fields in `reads`, `writes`, prompts and `@map` must have the same name in JSON
/// as in Rust. If an attribute of serde renames or skips such a field,
/// [`ExecutorBuilder::build`](crate::ExecutorBuilder::build) fails. Conditions read the Rust type, so the other fields may have
/// any names.
#[macro_export]
macro_rules! machine {
    ($($input:tt)*) => { $crate::for_macros::machine_macro! { $crate; $($input)* } };
}

/// Makes a type from a DyGram file at compile time. Mistakes in the file are compile errors.
///
/// The path is relative to the source file that calls the macro, as for `include_str!`. The macro makes a type with the
/// function `machine`, and a module with a type for each node. These types implement [`Node`](crate::Node). The node
/// `group.firstStep` gets the type `GroupFirstStep`. If the types of several nodes would have the same name, these nodes get no
/// types.
///
/// ```ignore
/// use exo_rails_machine::{Executor, machine_file};
///
/// machine_file!(pub struct Review = "review.dygram");
///
/// let executor = Executor::builder(Review::machine(), model).until(review::Complete::PATH, 1).build()?;
/// ```
///
/// Files are lenient by default, so an edge can name a node that no statement declares. To read the file as if it had
/// `@StrictMode`, write `machine_file!(pub struct Review = "review.dygram", strict)`. The macro does not show warnings, because
/// macros can only report errors.
#[macro_export]
macro_rules! machine_file {
    ($($input:tt)*) => { $crate::for_macros::machine_file_macro! { $crate; $($input)* } };
}
