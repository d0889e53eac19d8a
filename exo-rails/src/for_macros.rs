//! The names that the expansions of the macros use. Do not use them in other code: they change without notice.

pub use crate::chain::around::*;
pub use crate::chain::concurrent::*;
pub use crate::chain::crowded::*;
pub use crate::chain::lifecycle::*;
pub use crate::chain::stands_alone::*;
pub use crate::chain::walk::*;
pub use crate::chain::{
    ChainFacts, ChainSteps, ListedSteps, Listing, ListsNoChainAroundIt, NoRail, Order, RailAt, RailList,
    RunsEachRailOnce, SharedField, Subject, sent, shared,
};
pub use crate::context::{DerivedProvided, ValueInfo};
pub use crate::decision::{CanSkip, Observes, PlacedRail, Reader, Returned, ReturnedAt, ReturnedAtCustom, Surrounds};
pub use crate::event::{
    AnySubstitute, BeforeTool, Carried, CarriedBy, CarriesForeign, Check, CustomPart, DerivedEvent, EventsOf, Inside,
    Layer, NoLayer, OneLayer, OperationEvents, Param, ReturnedAround, SharedBy, SharedParam, Sound, Surroundings,
    SurroundingsOf, ToolEvent, begins, once,
};
pub use crate::operation::ToolArgs;
pub use crate::operation::{
    DerivedToolArgs, HasSchema, IntoTools, Json, OpenArgs, distinct, into_tools, name_of, of_set,
};
pub use crate::rail::{
    EventList, EventVisitor, Handled, HasRailAboveItsBlock, ListedByName, MissingValue, OneRailForEachType, Provides,
    Provision, Row, Stateless, ValueUse, begin_window, caught, caught_at_once, end_window, hand_on, known, named,
    needed, of_tool, share_window, within,
};

/// The JSON Schema of a tool's arguments. It is an alias and not a re-export: a re-export of the enum would add its variant
/// `String`. rustc shortens a path only if its last name is unique, so messages would then have the full path of every
/// `String`.
pub type Schema = serde_json::Value;

// These are here only for messages: rustc writes the short name of a public item.
pub use crate::action::{BeyondVerdict, GivesWay, IntoQuestion, IntoRetry};
pub use crate::context::Kept;
pub use crate::operation::MakesPermits;
pub use crate::point::IntoReason;
