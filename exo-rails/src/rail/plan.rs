//! The plan of a chain: the rails of each event, in their order.

use std::fmt;

use serde::Serialize;

use crate::point::{HookPoint, RailInfo};
use crate::rail::declaration::Row;

/// The rails that a chain runs at each event, in their order. The plan is known at compile time as
/// [`Chain::PLAN`](crate::Chain::PLAN).
///
/// `Display` writes it as a table, and serde as data.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::Chain;
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Plan {
    /// The name of the chain.
    pub chain: &'static str,
    /// The events that have rails, in the order in which a run reaches them.
    pub events: &'static [EventPlan],
}

/// The rails of one event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct EventPlan {
    /// The event.
    pub event: HookPoint,
    /// Whether the rails run in the reverse order of their priorities. They do if the chain is an onion and the event
    /// comes after an operation.
    pub reversed: bool,
    /// The rails of the event, in the order in which they run.
    pub rails: &'static [PlannedRail],
}

/// A rail in a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PlannedRail {
    /// The name, the priority and the place.
    pub info: RailInfo,
    /// The plan of the rail, if it is a chain.
    pub inner: Option<&'static Plan>,
    /// All other facts about the rail.
    #[serde(skip)]
    pub(crate) row: &'static Row,
    /// The place of the rail in the list of its chain.
    #[serde(skip)]
    pub(crate) place: usize,
}

impl EventPlan {
    /// The value that fills a list of plans before they are computed.
    pub(crate) const EMPTY: Self = Self { event: HookPoint::Start, reversed: false, rails: &[] };
}

impl PlannedRail {
    pub(crate) const fn of(row: &'static Row, place: usize) -> Self {
        Self { info: row.info, inner: row.inner, row, place }
    }
}

impl Plan {
    /// Returns the rails of this event, in the order in which they run. Empty if the event has no rails.
    #[must_use]
    pub fn rails(&self, event: HookPoint) -> &'static [PlannedRail] {
        self.rails_at(event)
    }

    /// Returns the rails of this event in a constant.
    pub(crate) const fn rails_at(&self, event: HookPoint) -> &'static [PlannedRail] {
        self.at(event).rails
    }

    /// Returns the plan of this event.
    pub(crate) const fn at(&self, event: HookPoint) -> EventPlan {
        let mut i = 0;
        while i < self.events.len() {
            if self.events[i].event.same(event) {
                return self.events[i];
            }
            i += 1;
        }
        EventPlan { event, reversed: false, rails: &[] }
    }

    /// Returns the plan as a diagram in the Mermaid language. The diagram has a lane for each event, an arrow from rail
    /// to rail, and a box around the rails of an inner chain.
    ///
    /// The result is a `flowchart`. Markdown viewers render it inside a `mermaid` code fence.
    #[must_use]
    pub fn to_mermaid(&self) -> String {
        let mut lines = vec!["flowchart LR".to_owned()];
        for event in self.events {
            let lane = event.event.name();
            subgraph(&mut lines, 1, lane, lane, event.event, event.rails);
        }
        lines.join("\n") + "\n"
    }

    /// Returns each rail of the plan in order, with its event and depth. The rails inside a chain follow the chain.
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

/// Writes a box of rails. Each rail is a node, or another box if it is a chain.
fn subgraph(lines: &mut Vec<String>, depth: usize, id: &str, label: &str, event: HookPoint, rails: &[PlannedRail]) {
    let indent = "  ".repeat(depth);
    lines.push(format!("{indent}subgraph {id}[\"{label}\"]"));
    lines.push(format!("{indent}  direction LR"));
    for (i, rail) in rails.iter().enumerate() {
        let (node, label) = (format!("{id}_{i}"), format!("{} ({})", quoted(rail.info.name), rail.info.priority));
        match rail.inner {
            Some(inner) => subgraph(lines, depth + 1, &node, &label, event, inner.rails(event)),
            None => lines.push(format!("{indent}  {node}[\"{label}\"]")),
        }
        if i > 0 {
            lines.push(format!("{indent}  {id}_{} --> {node}", i - 1));
        }
    }
    lines.push(format!("{indent}end"));
}

/// Escapes a name for the quotes of a label, because quotes in the name would end the label.
fn quoted(name: &str) -> String {
    name.replace('"', "#quot;")
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

#[cfg(test)]
mod tests {
    use crate::chain::Chain;
    use crate::prelude::*;

    #[rail(priority = 10, on = [PreToolCall])]
    fn permission() {}

    #[rail(priority = 90, on = [PreToolCall, Finished])]
    fn audit() {}

    rail_chain! {
        #[chain(priority = 20)]
        struct Inner { audit, permission }
    }

    rail_chain! { struct Outer { audit, Inner } }

    #[test]
    fn the_table_shows_chains_with_their_rails() {
        let table = Outer::PLAN.to_string();
        let rows: Vec<Vec<_>> = table.lines().map(|row| row.split_whitespace().take(3).collect()).collect();
        assert_eq!(
            rows,
            [
                vec!["Outer"],
                vec!["event", "priority", "rail"],
                vec!["pre_tool_call", "20", "Inner"],
                vec!["10", "permission", permission::LOCATION.to_string().as_str()],
                vec!["90", "audit", audit::LOCATION.to_string().as_str()],
                vec!["90", "audit", audit::LOCATION.to_string().as_str()],
                vec!["finished", "20", "Inner"],
                vec!["90", "audit", audit::LOCATION.to_string().as_str()],
                vec!["90", "audit", audit::LOCATION.to_string().as_str()],
            ]
        );
    }

    #[rail(name = "says \"no\"", on = [Start])]
    fn says_no() {}

    rail_chain! { struct Quoting { says_no } }

    #[test]
    fn quotes_of_a_name_do_not_end_its_label() {
        let diagram = Quoting::PLAN.to_mermaid();
        assert!(diagram.contains(r#"start_0["says #quot;no#quot; (50)"]"#), "{diagram}");
    }

    #[test]
    fn a_plan_is_serialised_as_json() {
        let plan = serde_json::to_value(Outer::PLAN).unwrap_or_default();
        assert_eq!(plan["events"][0]["event"], "pre_tool_call");
        assert_eq!(plan["events"][0]["rails"][0]["inner"]["chain"], "Inner");
    }

    #[test]
    fn the_diagram_draws_nested_chains_as_boxes() {
        let diagram = Outer::PLAN.to_mermaid();
        let lane = diagram.split("subgraph finished").next().unwrap_or_default();
        assert_eq!(
            lane,
            r#"flowchart LR
  subgraph pre_tool_call["pre_tool_call"]
    direction LR
    subgraph pre_tool_call_0["Inner (20)"]
      direction LR
      pre_tool_call_0_0["permission (10)"]
      pre_tool_call_0_1["audit (90)"]
      pre_tool_call_0_0 --> pre_tool_call_0_1
    end
    pre_tool_call_1["audit (90)"]
    pre_tool_call_0 --> pre_tool_call_1
  end
  "#
        );
    }
}
