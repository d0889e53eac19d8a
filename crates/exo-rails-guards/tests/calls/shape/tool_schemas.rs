use exo_rails::message::ToolSpec;
use exo_rails::prelude::*;
use exo_rails_guards::AfterFeedback;
use exo_rails_guards::ToolSchemas;
use exo_rails_guards::tool_schemas::ToolSchemasConfig;
use serde_json::{Value, json};

use crate::shape::{calling, findings};

rail_chain! { struct Guards { schemas: ToolSchemas } }

const SECRET: &str = "sk-live-4711";

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "order_id": { "type": "string", "pattern": "^A[0-9]+$", "maxLength": 8 },
            "cents": { "type": "integer", "minimum": 1, "maximum": 5000 },
            "mode": { "enum": ["full", "part"] },
            "lines": { "type": "array", "items": { "type": "object", "properties": { "sku": { "type": "string" } }, "required": ["sku"] } },
            "labels": { "type": "object", "additionalProperties": { "type": "integer" } },
            "to": { "anyOf": [{ "type": "string" }, { "type": "null" }] },
            "id": { "type": ["integer", "string"] }
        },
        "required": ["order_id"],
        "additionalProperties": false
    })
}

/// A run that offers this tool.
async fn offering(guard: ToolSchemasConfig, tool: &str, schema: Value) -> (Guards, RunContext) {
    let (rails, mut ctx) = (Guards { schemas: guard.build().unwrap() }, RunContext::new("test"));
    let tools = vec![ToolSpec::new(tool, "", schema)];
    let model = |_| async { Ok::<_, OperationError>(calling(&[("1", "refund", "{}")])) };
    rails.guard_llm_call(ModelCallInputs { tools, ..ModelCallInputs::default() }, &mut ctx, model).await.unwrap();
    (rails, ctx)
}

async fn call(rails: &Guards, ctx: &mut RunContext, arguments: Value) -> Result<String, RunError> {
    let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("ran")) };
    let call = ToolCallInputs::new("refund").with_arguments(arguments);
    rails.guard_tool_call(call, ctx, tool).await.map(|output| output.content)
}

#[tokio::test]
async fn the_model_reads_path_expectation_and_kind_and_no_value() {
    let table = [
        (json!({ "order_id": "A7" }), "ran"),
        (
            json!({ "order_id": "A7", "cents": 5, "mode": "full", "lines": [{ "sku": "x" }], "to": null, "id": 3 }),
            "ran",
        ),
        (json!({ "cents": 5 }), "at `/`: the property `order_id` is missing"),
        (json!({ "order_id": 7 }), "at `/order_id`: expected string, found integer"),
        (json!({ "order_id": SECRET }), "expected a string that matches `^A[0-9]+$`, found another"),
        (json!({ "order_id": "A7", "cents": SECRET }), "at `/cents`: expected integer, found string"),
        (json!({ "order_id": "A7", "cents": 1.5 }), "at `/cents`: expected integer, found number"),
        (json!({ "order_id": "A7", "cents": 0 }), "at `/cents`: expected at least 1, found a smaller number"),
        (json!({ "order_id": "A7", "cents": 5001 }), "at `/cents`: expected at most 5000, found a greater number"),
        (
            json!({ "order_id": "A7", "mode": SECRET }),
            "at `/mode`: expected one of `\"full\"`, `\"part\"`, found another string",
        ),
        (
            json!({ "order_id": "A7", "lines": [{ "sku": "x" }, { "ska": SECRET }] }),
            "at `/lines/1`: the property `sku` is missing",
        ),
        (json!({ "order_id": "A7", "labels": { SECRET: "x" } }), "at `/labels/*`: expected integer, found string"),
        (json!({ "order_id": "A7", "cent": 3 }), "at `/`: one property is not known: did you mean `cents`?"),
        (
            json!({ "order_id": "A7", SECRET: 3, "zzzz": 1 }),
            "at `/`: 2 properties are not known: the known properties are",
        ),
        (json!({ "order_id": "A7", "to": [SECRET] }), "at `/to`: expected string or null, found array"),
        (json!({ "order_id": "A7", "id": {} }), "at `/id`: expected integer or string, found object"),
        (json!([SECRET]), "at `/`: expected object, found array"),
        (json!(SECRET), "tool_schemas/not_json: the arguments are not a JSON object"),
        (json!("{\"order_id\": \"A7\"}"), "tool_schemas/not_json: the arguments are not a JSON object"),
    ];
    for (arguments, expected) in table {
        let (rails, mut ctx) = offering(ToolSchemas::builder(), "refund", schema()).await;
        let output = call(&rails, &mut ctx, arguments.clone()).await.unwrap();
        assert!(output.contains(expected), "{arguments}: {output}");
        assert!(
            !output.contains(SECRET) && !findings(&ctx).concat().contains(SECRET),
            "{output}: {:?}",
            findings(&ctx)
        );
    }
}

#[tokio::test]
async fn explanations_are_bounded() {
    for then in [AfterFeedback::Skip, AfterFeedback::Abort] {
        let guard = ToolSchemas::builder().max_feedback(1).after_feedback(then);
        let (rails, mut ctx) = offering(guard, "refund", schema()).await;
        assert!(call(&rails, &mut ctx, json!({})).await.unwrap().contains("`order_id` is missing"));
        match (then, call(&rails, &mut ctx, json!({})).await) {
            (AfterFeedback::Skip, Ok(output)) => assert!(output.ends_with("do not repeat the call"), "{output}"),
            (AfterFeedback::Abort, Err(error)) => assert!(error.to_string().ends_with("the run ends"), "{error}"),
            (then, result) => panic!("{then:?}: {result:?}"),
        }
    }
}

#[tokio::test]
async fn a_tool_with_an_unusable_schema_does_not_run() {
    // Without a schema, any arguments pass. With a wrong schema, or one at another address, no call runs.
    let table = [
        (Value::Null, "ran"),
        (json!({}), "ran"),
        (json!(true), "ran"),
        (json!(false), "expected no value"),
        (json!({ "type": "objekt" }), "the schema of the tool cannot be used"),
        (json!({ "$ref": "https://example.com/schema.json" }), "the schema of the tool cannot be used"),
        (json!({ "$ref": "file:///etc/passwd" }), "the schema of the tool cannot be used"),
        (json!({ "$ref": "#/$defs/a", "$defs": { "a": { "required": ["x"] } } }), "the property `x` is missing"),
    ];
    for (schema, expected) in table {
        let (rails, mut ctx) = offering(ToolSchemas::builder(), "refund", schema.clone()).await;
        let output = call(&rails, &mut ctx, json!({ "y": 1 })).await.unwrap();
        assert!(output.contains(expected), "{schema}: {output}");
    }
    // The schema of another tool says nothing.
    let (rails, mut ctx) = offering(ToolSchemas::builder(), "other", json!(false)).await;
    assert_eq!(call(&rails, &mut ctx, json!({})).await.unwrap(), "ran");
}

#[tokio::test]
async fn a_named_schema_replaces_that_of_the_request() {
    let guard = ToolSchemas::builder().schema("refund", json!({ "required": ["named"] }));
    let (rails, mut ctx) = offering(guard, "refund", json!(true)).await;
    assert!(call(&rails, &mut ctx, json!({})).await.unwrap().contains("`named` is missing"));
    assert_eq!(call(&rails, &mut ctx, json!({ "named": 1 })).await.unwrap(), "ran");
}

#[tokio::test]
async fn a_later_request_replaces_the_tools() {
    let (rails, mut ctx) = offering(ToolSchemas::builder(), "refund", json!({ "required": ["a"] })).await;
    assert!(call(&rails, &mut ctx, json!({ "b": 1 })).await.unwrap().contains("`a` is missing"));
    let tools = vec![ToolSpec::new("refund", "", json!({ "required": ["b"] }))];
    let model = |_| async { Ok::<_, OperationError>(ModelResponse::text("")) };
    rails.guard_llm_call(ModelCallInputs { tools, ..ModelCallInputs::default() }, &mut ctx, model).await.unwrap();
    assert_eq!(call(&rails, &mut ctx, json!({ "b": 1 })).await.unwrap(), "ran");
}

#[tokio::test]
async fn a_hostile_pattern_ends_soon_and_refuses() {
    // Takes exponential time in an engine that only goes back.
    for pattern in ["^(a+)+$", "^(a|a)*$", "^(?=(a+)+$)x"] {
        let schema = json!({ "properties": { "text": { "pattern": pattern } } });
        let (rails, mut ctx) = offering(ToolSchemas::builder(), "refund", schema).await;
        let output = call(&rails, &mut ctx, json!({ "text": format!("{}!", "a".repeat(5_000)) })).await.unwrap();
        assert!(output.contains("at `/text`: "), "{pattern}: {output}");
    }
}

#[test]
fn a_wrong_schema_is_refused_when_the_guard_is_made() {
    let text = "[schemas.refund]\ntype = \"objekt\"";
    let error = exo_rails_guards::config::from_toml(text).and_then(ToolSchemas::new).unwrap_err().to_string();
    assert!(error.starts_with("`schemas.refund`: this is not a JSON Schema: "), "{error}");
}
