//! Sequence rules: the order of tool calls, and how often they happen.
//!
//! The guard [`Sequence`] has a list of rules. Each rule must allow a call.
//!
//! The page "The order of calls" of the book describes the rules, the calls that count, and the state.

mod compiled;
mod guard;
mod held;
mod state;
pub(crate) mod typed;
mod values;

pub use exo_rails_policy::sequence::{SequenceConfig, SequenceRule};
pub use guard::{Sequence, SequenceError};
pub use typed::{Amount, SameAs};

const GUARD: &str = "sequence";

/// Makes sequence rules, and checks the names of their tools and fields at compile time.
///
/// The macro takes a [set of tools](macro@exo_rails::tools), and rules in the [text form](self#rules). A tool is the name of its
/// field in the set, and a field is a field of the arguments of the tools. The value is an array of [`SequenceRule`].
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::tools;
/// use exo_rails_guards::sequence::{Sequence, sequence_rules};
/// use serde::{Deserialize, Serialize};
/// # use serde_json::json;
///
/// #[derive(Serialize, Deserialize, ToolArgs)]
/// #[tool(name = "approve", schema = json!({ "type": "object" }))]
/// struct Approve { order_id: u64 }
///
/// #[derive(Serialize, Deserialize, ToolArgs)]
/// #[tool(name = "refund", schema = json!({ "type": "object" }))]
/// struct Refund { order_id: u64, euros: f64 }
///
/// tools! { struct OrderTools { approve: Approve, refund: Refund } }
///
/// # fn main() -> Result<(), exo_rails_guards::ConfigError> {
/// let rules = sequence_rules! {
///     tools = OrderTools;
///     refund only after approve within 1h same order_id;
///     at most 1 refund same order_id;
///     /// A person pays more than 500 euros.
///     large: sum of euros in refund at most 500 within 1d per user;
/// };
/// assert_eq!(rules[0], "refund only after approve within 1h same order_id".parse()?);
/// let sequence = Sequence::builder().rules(rules).build()?;
/// # drop(sequence); Ok(()) }
/// ```
///
/// - A rule ends with `;`. A name and `:` before a rule are its [name](SequenceRule::named). The doc comment of a rule is its
///   [reason](SequenceRule::because) for the model.
/// - A tool or a field whose name is a word of the grammar is a raw identifier, such as `r#after`.
/// - A field inside of a field has dots: `same order.id`. The compiler checks each name. The type of `order` must be a struct, and
///   not an `Option` or a list of one. If serde gives the inner field another name in JSON, [`Sequence::new`] returns an error:
///   write this rule as a text, with the name in JSON.
/// - The fields of the set and of the arguments must be visible: write the rules in the module of the tools, or make the fields
///   `pub`.
/// - `crate = my::guards;` before `tools` is the path of this library, for a crate that re-exports it.
///
/// What does not compile: a tool that the set does not have, a field that the arguments of one of the tools do not have, a sum of
/// a field that is not an [`Amount`], `same` of fields with different types, and each mistake of the text form:
///
/// ```compile_fail,E0609
/// # use exo_rails::prelude::*;
/// # use exo_rails::tools;
/// # use exo_rails_guards::sequence_rules;
/// # use serde::{Deserialize, Serialize};
/// # use serde_json::json;
/// # #[derive(Serialize, Deserialize, ToolArgs)]
/// # #[tool(name = "refund", schema = json!({ "type": "object" }))]
/// # struct Refund { order_id: u64 }
/// # tools! { struct OrderTools { refund: Refund } }
/// let rules = sequence_rules! { tools = OrderTools; at most 1 refnd; };
/// ```
///
/// The same holds for the fields inside of a field:
///
/// ```compile_fail,E0609
/// # use exo_rails::prelude::*;
/// # use exo_rails::tools;
/// # use exo_rails_guards::sequence_rules;
/// # use serde::{Deserialize, Serialize};
/// # use serde_json::json;
/// #[derive(Serialize, Deserialize)]
/// struct Order { id: u64 }
///
/// # #[derive(Serialize, Deserialize, ToolArgs)]
/// # #[tool(name = "refund", schema = json!({ "type": "object" }))]
/// # struct Refund { order: Order }
/// # tools! { struct OrderTools { refund: Refund } }
/// let rules = sequence_rules! { tools = OrderTools; at most 1 refund same order.number; };
/// ```
pub use exo_rails_macros::sequence_rules;
