//! Sequence rules: the order of tool calls, and how often they happen.
//!
//! The guard [`Sequence`] has a list of rules. Each rule must allow a call.
//!
//! # Rules
//!
//! | rule | meaning |
//! |---|---|
//! | `refund only after approve` | a call of `refund` needs an earlier call of `approve` |
//! | `never send_mail after read_web` | after a call of `read_web`, `send_mail` is refused |
//! | `never send_mail after read_web unless review in between` | the same, until a call of `review` that has begun after the end of `read_web` |
//! | `at most 3 refund` | the fourth call of `refund` is refused |
//! | `sum of amount in refund at most 500` | a call is refused if its argument `amount` and the earlier ones are more than 500 |
//!
//! These clauses can follow, in any order:
//!
//! | clause | meaning |
//! |---|---|
//! | `within 1h` | only calls that have ended less than an hour ago count. The units are `ms`, `s`, `m`, `h` and `d` |
//! | `same order_id` | only calls whose argument `order_id` has the same value count. `same a and b` compares two arguments |
//! | `same order_id as id` | the argument `order_id` of the tool that the rule may refuse is compared with the argument `id` of the others |
//! | `per user` | whose calls count: `per run`, which is the default, `session`, `user`, `agent` or `global`. See [`Scope`](crate::Scope) |
//!
//! In the place of a tool, `refund or payout` is a list. In the text form, a tool is a [`ToolPattern`](crate::ToolPattern) such as
//! `send_*`, and a field is a name, names with dots such as `order.id`, or a JSON pointer such as `/order/id`. A name that is also a word of the grammar is in double
//! quotes.
//!
//! ## The call right before
//!
//! A glob is a tool, too. So `never deploy after edit_file unless * in between` refuses `deploy` only directly after `edit_file`:
//! each other call that succeeds makes it possible again. The opposite is not possible: no rule requires that a certain tool is the
//! last one that was called, because a rule remembers the calls of its own tools, and not those of all tools.
//!
//! # The calls that count
//!
//! By default, a call counts if its tool has run and succeeded. What the tool has done counts, and not what other rails have made
//! of its result: a call still counts if a guard withholds its output. A word before the tools changes this: `failed`, `refused` or
//! `attempted`, as in `at most 3 failed login within 10m`, or `never send_mail after attempted read_web`.
//!
//! | call | `only after` | `never`, `at most`, `sum of` |
//! |---|---|---|
//! | it runs | does not count yet | counts, because it can still end in any way |
//! | it has succeeded | counts | counts |
//! | it has failed: the tool has returned an error, or an output with `is_error` | does not count; `failed` and `attempted` count it | the same |
//! | it has failed, and a tool of [`Fallback`](crate::Fallback) has succeeded | counts | counts |
//! | it has not succeeded, and another rail has made an output without an error | does not count | counts, because the rail may have done the work of the tool |
//! | a guard has refused it | does not count; `refused` and `attempted` count it | the same |
//! | nobody knows how it has ended: its future was dropped, for example by [`Timeouts`](crate::Timeouts), its error has the kind [`Timeout`](exo_rails::OperationErrorKind::Timeout), its process has died, or a later rail has ended the run | does not count | counts as running for [`hold_for_ms`](field@SequenceConfig::hold_for_ms), and then as ended |
//!
//! - A call that is tried again counts once. If nobody knows how an attempt has ended, a later attempt that fails does not change
//!   this.
//! - A call counts twice if its tool may have done its work, and a tool of [`Fallback`](crate::Fallback) has succeeded too.
//! - A rule that names the fallback tool, and not the first one, counts the success of the fallback. It cannot refuse the fallback.
//! - A program that dispatches the events itself reports only the output. Then a call whose output has no error has succeeded.
//! - The time of a call is its end. So `within 1h` begins when the call ends, and a running call is always inside.
//! - `after` is about the beginning of the refused call: a call that has begun before the other one goes on.
//! - Only the exact name of a tool makes another call possible. Other spellings of a name are refused like the name itself.
//! - A rule with `same` or `sum of` needs its arguments. A call of one of its tools without them is refused. An argument that is
//!   `null` is missing. Numbers are equal if their values are, such as `7` and `7.0`. A text is equal to no number.
//! - If [`PersonalData`](crate::PersonalData) has replaced a value by a placeholder, `same` compares the values behind the
//!   placeholders, and `sum of` adds them. The store has hashes of the values for `same`.
//! - A sum adds exact decimals: numbers, or texts such as `"12.50"`. Digits after the ninth are rounded up. A negative amount is
//!   refused.
//!
//! # State
//!
//! Each rule has a record in the [store](crate::store) for each scope and each value of its `same` fields. Each check is one
//! atomic change of the record. So calls that run at the same time never pass a limit together, in one process or in several. All
//! times are times of the store, and exact up to the duration of its operations.
//!
//! A record is small. `only after` and `never` keep the last call. A count or a sum without `within` is one number. With `within`,
//! the record has at most 256 entries, and calls that lie close together share an entry. Then a call is forgotten up to 1 % of the
//! window later. A record with a window expires. A record of a run without a window expires after a week. Other records stay
//! until the program removes them, so use `within` if `same` has many values. A store that is full or fails is a fault, which
//! ends the run.

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
