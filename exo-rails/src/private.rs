//! What the expansions of the macros name. Nobody else should: it changes without notice.

pub use crate::chain::around::*;
pub use crate::chain::concurrent::*;
pub use crate::chain::crowded::*;
pub use crate::chain::lifecycle::*;
pub use crate::chain::stands_alone::*;
pub use crate::chain::walk::*;
pub use crate::chain::{
    ChainFacts, ChainSteps, ListedSteps, Listing, ListsNoChainAroundIt, NoRail, Order, RailAt, RailList,
    RunsEachRailOnce, Subject,
};
pub use crate::context::{DerivedProvided, ValueInfo};
pub use crate::decision::{CanSkip, Observes, PlacedRail, Reader, Returned, ReturnedAt, ReturnedAtCustom};
pub use crate::event::{
    AnySubstitute, BeforeTool, Carried, CarriedBy, CarriesForeign, Check, CustomPart, DerivedEvent, EventsOf,
    OperationEvents, Param, ReturnedAround, SharedBy, SharedParam, Sound, ToolEvent, once,
};
pub use crate::operation::ToolArgs;
pub use crate::operation::{
    DerivedToolArgs, HasSchema, IntoTools, Json, OpenArgs, distinct, into_tools, name_of, of_set,
};
pub use crate::rail::{
    EventList, EventVisitor, Handled, ListedByName, MissingValue, OneRailForEachType, Provides, Provision, Row,
    Stateless, ValueUse, begin_window, caught, caught_at_once, end_window, hand_on, known, named, needed, of_tool,
    share_window, within,
};

/// The JSON Schema of a tool's arguments. It is an alias, because rustc writes the short form of a path only when the
/// name is unique, and a re-export of the enum would add its variant `String`.
pub type Schema = serde_json::Value;

// For messages only, which write the short name of what is public.
pub use crate::action::{BeyondVerdict, GivesWay, IntoQuestion, IntoRetry};
pub use crate::operation::MakesPermits;
pub use crate::point::IntoReason;
