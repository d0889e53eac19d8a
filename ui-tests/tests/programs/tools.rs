//! Sets of tools in all forms.

#![deny(warnings, dead_code)]

use exo_rails::prelude::*;
use exo_rails::tools;
use serde::{Deserialize, Serialize};

macro_rules! args {
    ($($name:ident $tool:literal)*) => {$(
        #[derive(Serialize, Deserialize, ToolArgs)]
        #[tool(name = $tool, schema = serde_json::json!({}))]
        pub struct $name {}
    )*};
}

args! { Search "search" Tool "tool" Value "value" }

mod files {
    args! { Search "search_file" Delete "delete_file" }

    use super::{Deserialize, Serialize, ToolArgs};
}

tools! {
    /// Everything.
    #[derive(Clone, Debug)]
    pub struct AllTools {
        search: Search,
        /// Of files.
        pub search_file: files::Search,
        pub(crate) r#move: files::Delete,
        tools: Tool,
        #[allow(dead_code)]
        names: crate::tools::Value,
    }
}

tools! {
    #[derive(Default)]
    struct NoTools {}
}

mod elsewhere {
    pub use exo_rails as guards;

    guards::tools! {
        #[tools(crate = crate::tools::elsewhere::guards)]
        pub(crate) struct Tools {
            pub(crate) search: super::Search,
        }
    }
}

fn done<A: ToolArgs>() -> exo_rails::ToolFor<A> {
    A::tool(|_| async { Ok::<_, OperationError>("done") })
}

#[test]
fn compiles_and_runs() {
    let all = AllTools { search: done(), search_file: done(), r#move: done(), tools: done(), names: done() };
    assert_eq!(AllTools::NAME, "AllTools");
    assert_eq!(AllTools::NAMES, ["search", "search_file", "delete_file", "tool", "value"]);
    let names: Vec<_> = all.clone().into_tools().iter().map(|tool| tool.name().to_owned()).collect();
    assert_eq!(names, AllTools::NAMES);
    assert_eq!(all.specs().len(), all.into_iter().count());
    assert_eq!(NoTools::default().into_tools().len(), NoTools::NAMES.len());
    assert_eq!(elsewhere::Tools { search: done() }.specs()[0].function.name, "search");
}
