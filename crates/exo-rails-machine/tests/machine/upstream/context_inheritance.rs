//! Contexts of the nodes around a node.

use serde_json::json;

use crate::helper::{call, recorded, say};

/// The edges to `config`, and the tools of `outer.inner.work` for it. There, children inherit in the prompt, and any tool runs.
#[tokio::test]
async fn children_inherit_read_access_and_no_write_access() {
    let read: &[&str] = &["read_config"];
    let write: &[&str] = &["write_config"];
    let both: &[&str] = &["read_config", "write_config"];
    let cases = [
        ("", [].as_slice()),
        ("inner -reads-> config;", read),
        ("outer -reads-> config;", read),
        ("outer -writes-> config;", read),
        ("outer -stores-> config;", read),
        ("inner -writes, store-> config;", read),
        ("outer -write: key-> config;", read),
        ("outer -writes-> config; inner -reads-> config;", read),
        // An edge of its own is before those around it.
        ("outer -reads-> config; work -writes-> config;", both),
        ("outer -reads-> config; work -stores-> config;", write),
        ("outer -reads-> config; inner -writes-> config; work -reads-> config;", read),
        // Permissions of other nodes mean nothing.
        ("beside -writes-> config;", &[]),
        ("config -> work;", read),
        // Words that only contain a permission give none but to read. There, `reset` writes.
        ("work -reset-> config;", read),
    ];
    for (edges, expected) in cases {
        let file = format!(
            "Context config {{ key<string>: \"k\"; other<string>: \"o\"; }}
            Process outer {{ Process inner {{ Task work {{ prompt: \"Work\"; }} }} Task beside {{ prompt: \"x\"; }} }} {edges}"
        );
        let script = json!([
            call("read_config", json!({ "field": "key" })),
            call("write_config", json!({ "field": "key", "value": "new" })),
            say("done"),
        ]);
        let (builder, model) = recorded(&file, &script.to_string());
        let done = builder.start_at("outer.inner.work").build().unwrap().run().await.unwrap();
        assert_eq!(model.tools()[0], expected, "{edges}");
        let may_write = expected.contains(&"write_config");
        let after = if may_write { "new" } else { "k" };
        assert_eq!(done.state.contexts().get("config", "key"), Some(&json!(after)), "{edges}");
        let requests = model.requests.lock().unwrap();
        let was_read = requests[1].messages.last().unwrap().text() == "\"k\"";
        assert_eq!(was_read, expected.contains(&"read_config"), "{edges}");
    }
}

#[tokio::test]
async fn fields_are_inherited_one_by_one() {
    let file = "Context config { key<string>: \"k\"; other<string>: \"o\"; }
        Process outer { Task work { prompt: \"Work\"; } } outer -write: key-> config;";
    let script = json!([call("read_config", json!({})), say("done")]);
    let (builder, model) = recorded(file, &script.to_string());
    builder.build().unwrap().run().await.unwrap();
    assert_eq!(model.requests.lock().unwrap()[1].messages.last().unwrap().text(), "{\"key\":\"k\"}");
    assert!(model.systems()[0].contains("- **config**: read\n  - Fields: key\n"), "{}", model.systems()[0]);
}
