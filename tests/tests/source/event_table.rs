//! The lists of events that cannot be generated from the table, held against it.

use std::path::Path;

use exo_rails::HookPoint;

/// Each list: its file, and the words before and after it.
const LISTS: [(&str, &str, &str); 8] = [
    ("exo-rails-macros/src/paths.rs", "pub(crate) const EVENTS", "];"),
    ("exo-rails/src/prelude.rs", "pub use crate::events::{", "};"),
    ("exo-rails/src/event/mod.rs", "/// | event | payload | a skip may bring |", "#[diagnostic"),
    ("exo-rails/src/bus/record.rs", "/// | event | parts |", "pub payload"),
    ("exo-rails/src/event/changes.rs", "fn changeable", "\n}"),
    ("book/src/events.md", "| event | when it fires |", "\n\n"),
    ("book/src/events.md", "| event | continue |", "\n\n"),
    ("book/src/watching.md", "| parts of the payload | events |", "\n\n"),
];

#[test]
fn every_list_of_events_is_complete() {
    for (file, before, after) in LISTS {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
        let source = std::fs::read_to_string(path).unwrap();
        let list = source.split_once(before).and_then(|(_, rest)| rest.split_once(after)).map(|(list, _)| list);
        let list = list.unwrap_or_else(|| panic!("`{file}` has no list between `{before}` and `{after}`"));
        let names: Vec<_> = list.split(|char: char| !char.is_alphanumeric()).collect();
        for point in HookPoint::ALL {
            let event = format!("{point:?}");
            // Its name is that of the trait `std::error::Error`.
            if file.ends_with("prelude.rs") && event == "Error" {
                continue;
            }
            assert!(names.contains(&event.as_str()), "`{file}`: `{event}` is missing in the list after `{before}`");
        }
    }
}
