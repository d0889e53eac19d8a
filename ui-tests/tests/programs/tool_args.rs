//! Arguments of tools in all forms.

#![deny(warnings, dead_code)]

use exo_rails::prelude::*;
use exo_rails::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Deletes a file.
///
///     and this is how
#[derive(Serialize, Deserialize, JsonSchema, ToolArgs)]
#[tool(name = "delete_file")]
pub struct DeleteFile {
    /// From the root.
    path: String,
    #[serde(default)]
    recursive: bool,
    mode: Mode,
}

#[derive(JsonSchema, Serialize, Deserialize)]
enum Mode {
    Trash,
    Shred,
}

/// A type with a schema alone, as a message proposes it.
#[derive(JsonSchema)]
#[allow(dead_code, reason = "its schema is all that is needed")]
struct Schema {
    path: String,
}

/// Not this one.
#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "Ping-1", description = "Says hello.", schema = schema())]
struct Ping {}

fn schema() -> Value {
    json!({ "type": "object" })
}

mod elsewhere {
    mod vendored {
        pub use exo_rails as guards;
    }

    #[allow(unused)]
    mod exo_rails {}

    use vendored::guards::prelude::*;

    #[derive(Clone, Debug, serde::Serialize, serde::Deserialize, ToolArgs)]
    #[tool(name = "r", schema = serde_json::Value::Null)]
    #[tool(crate = vendored::guards)]
    pub(crate) struct r#Move {
        pub(crate) r#type: String,
        pub(crate) schema: u8,
    }
}

macro_rules! args {
    ($name:ident, $tool:literal, $doc:expr) => {
        #[doc = $doc]
        #[derive(Serialize, Deserialize, ToolArgs)]
        #[tool(name = $tool, schema = json!({}))]
        struct $name {}
    };
}

args!(Made, "made", "By a macro.");

#[test]
fn compiles_and_runs() -> Result<(), exo_rails::ArgsError> {
    assert_eq!(DeleteFile::DESCRIPTION, "Deletes a file.\n\n    and this is how");
    assert_eq!(
        DeleteFile::schema()["properties"]["path"],
        json!({ "type": "string", "description": "From the root." })
    );
    assert_eq!(DeleteFile::schema()["properties"]["mode"], json!({ "type": "string", "enum": ["Trash", "Shred"] }));
    assert_eq!((Ping::NAME, Ping::DESCRIPTION), ("Ping-1", "Says hello."));
    assert_eq!((Made::NAME, Made::DESCRIPTION), ("made", "By a macro."));
    assert_eq!(ToolCallInputs::of(&Made {})?.arguments, json!({}));
    assert_eq!(ToolCallInputs::of(&Ping {})?.arguments, json!({}));
    let args = DeleteFile { path: "a".into(), recursive: true, mode: Mode::Shred };
    assert_eq!(ToolCallInputs::of(&args)?.str_argument("mode"), Some("Shred"));
    let _ = Mode::Trash;
    let args = Args::new(elsewhere::r#Move { r#type: "a".into(), schema: 0 }).clone();
    assert_eq!(args.r#type.len(), usize::from(args.schema) + 1);
    Ok(())
}
