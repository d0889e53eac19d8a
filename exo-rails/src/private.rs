//! What the expansions of the macros name. Nobody else should: it changes without notice.

pub use crate::args::OpenArgs;
pub use crate::chain::concurrent::*;
pub use crate::chain::flow::Flow;
pub use crate::chain::order::Checks;
pub use crate::chain::sorting::{Listing, Row, Sorted, Summary};
pub use crate::chain::walk::*;
pub use crate::chain::{NoRail, Places, RailAt};
pub use crate::checks::Sound;
pub use crate::custom_event::CustomPart;
pub use crate::handled::{Handled, caught, caught_at_once, within};
pub use crate::provided::{hand_on, needed};
pub use crate::rail::{EventList, EventVisitor};
pub use crate::tool_args::ToolArgs;
pub use crate::tool_set::{IntoTools, into_tools, name_of};
pub use serde_json::Value;
