//! The plan of a chain: which rails run at which event, in which order.

use std::fmt;

use crate::hook_point::HookPoint;
use crate::rail::RailInfo;

/// Which rails a chain runs at which event, in which order: known at compile time as
/// [`Chain::PLAN`](crate::Chain::PLAN).
///
/// `Display` writes it as a table.
///
/// ```
/// use exo_rails::prelude::*;
///
/// #[rail(priority = 90, on = [PreToolCall, PostToolCall])]
/// fn audit() {}
///
/// #[rail(priority = 10, on = [PreToolCall])]
/// fn permission() -> Verdict { Verdict::Continue }
///
/// rail_chain! { pub struct Guards { audit, permission } }
///
/// let names: Vec<_> = Guards::PLAN.rails(HookPoint::PreToolCall).iter().map(|rail| rail.info.name).collect();
/// assert_eq!(names, ["permission", "audit"]);
/// assert!(Guards::PLAN.to_string().contains("pre_tool_call"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The name of the chain.
    pub chain: &'static str,
    /// The events that have rails, in the order in which a run reaches them.
    pub events: &'static [EventPlan],
}

/// The rails of one event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventPlan {
    /// The event.
    pub event: HookPoint,
    /// Its rails, in the order in which they run.
    pub rails: &'static [PlannedRail],
}

/// A rail in a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedRail {
    /// Name, priority and place.
    pub info: RailInfo,
    /// The plan of the rail, when it is a chain.
    pub inner: Option<&'static Plan>,
}

impl Plan {
    /// The rails of this event, in the order in which they run; none where the event has none.
    #[must_use]
    pub fn rails(&self, event: HookPoint) -> &'static [PlannedRail] {
        self.events.iter().find(|plan| plan.event == event).map_or(&[], |plan| plan.rails)
    }

    /// The plan as a diagram in the Mermaid language: a lane for each event, an arrow from rail to rail.
    ///
    /// The result is a `flowchart` that Markdown viewers render inside a `mermaid` code fence.
    #[must_use]
    pub fn to_mermaid(&self) -> String {
        let mut diagram = String::from("flowchart LR\n");
        for event in self.events {
            mermaid_lane(&mut diagram, event);
        }
        diagram
    }

    /// Each rail of the plan in order, chains followed by what is inside: event, depth and rail.
    fn rows(&self) -> Vec<(HookPoint, usize, &'static PlannedRail)> {
        let mut rows = Vec::new();
        for event in self.events {
            push_rows(&mut rows, event.event, 0, event.rails);
        }
        rows
    }
}

fn push_rows(
    rows: &mut Vec<(HookPoint, usize, &'static PlannedRail)>,
    event: HookPoint,
    depth: usize,
    rails: &'static [PlannedRail],
) {
    for rail in rails {
        rows.push((event, depth, rail));
        if let Some(inner) = rail.inner {
            push_rows(rows, event, depth + 1, inner.rails(event));
        }
    }
}

fn mermaid_lane(diagram: &mut String, plan: &EventPlan) {
    use fmt::Write as _;

    let lane = plan.event.name();
    // Writing to a `String` cannot fail.
    let _ = writeln!(diagram, "  subgraph {lane}\n    direction LR");
    for (i, rail) in plan.rails.iter().enumerate() {
        let RailInfo { name, priority, .. } = rail.info;
        let _ = writeln!(diagram, "    {lane}_{i}[\"{name} ({priority})\"]");
        if i > 0 {
            let _ = writeln!(diagram, "    {lane}_{} --> {lane}_{i}", i - 1);
        }
    }
    diagram.push_str("  end\n");
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = self.rows();
        let names = || rows.iter().map(|(_, depth, rail)| 2 * depth + rail.info.name.len());
        let event_width = rows.iter().map(|(event, ..)| event.name().len()).max().unwrap_or(0).max("event".len());
        let name_width = names().max().unwrap_or(0).max("rail".len());

        writeln!(f, "{}", self.chain)?;
        write!(f, "{:event_width$}  priority  {:name_width$}  declared at", "event", "rail")?;
        let mut last = None;
        for (event, depth, rail) in rows {
            let shown = if last == Some(event) { "" } else { event.name() };
            last = Some(event);
            let name = format!("{:1$}{2}", "", 2 * depth, rail.info.name);
            let RailInfo { priority, declared, .. } = rail.info;
            write!(f, "\n{shown:event_width$}  {priority:>8}  {name:name_width$}  {declared}")?;
        }
        Ok(())
    }
}
