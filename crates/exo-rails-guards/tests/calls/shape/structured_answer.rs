use exo_rails::prelude::*;
use exo_rails_guards::StructuredAnswer;
use serde_json::json;

use crate::shape::calling;

rail_chain! { struct Guards { answer: StructuredAnswer } }

fn guards() -> Guards {
    let schema = json!({ "type": "object", "properties": { "city": { "type": "string" } }, "required": ["city"] });
    Guards { answer: StructuredAnswer::builder().schema(schema).max_feedback(2).build().unwrap() }
}

/// Returns what the model reads about its answer, or `None` if the answer passes.
async fn feedback(answer: ModelResponse) -> Option<String> {
    let mut read = None;
    let model = |request: Permit<ModelCallInputs>| {
        read = request.messages.last().map(|message| message.text().into_owned());
        let answer = if read.is_some() { ModelResponse::text(r#"{"city":"Ulm"}"#) } else { answer.clone() };
        async move { Ok::<_, OperationError>(answer) }
    };
    guards().guard_llm_call(ModelCallInputs::default(), &mut RunContext::new("test"), model).await.unwrap();
    read
}

#[tokio::test]
async fn only_json_of_the_schema_passes() {
    let deep = "[".repeat(100_000);
    let table = [
        (r#"{ "city": "Ulm" }"#, ""),
        ("\n{\"city\":\"Ulm\",\"x\":[1]}\n", ""),
        (r#"{ "city": 4711 }"#, "The answer does not fit its schema: at `/city`: expected string, found integer."),
        ("{}", "The answer does not fit its schema: at `/`: the property `city` is missing."),
        ("[]", "The answer does not fit its schema: at `/`: expected object, found array."),
        ("Sure! {\"city\":\"Ulm\"}", "The answer is not JSON from line 1, column 1."),
        ("{\"city\":\"Ulm\"} done", "The answer is not JSON from line 1, column 16."),
        ("```json\n{\"city\":\"Ulm\"}\n```", "The answer is in a code fence: write the JSON without the fence."),
        ("", "The answer is empty: write JSON."),
        (&deep, "The answer is not JSON from line 1, column 128."),
    ];
    for (answer, expected) in table {
        let read = feedback(ModelResponse::text(answer)).await.unwrap_or_default();
        let full = format!("{expected} Answer again, with JSON only.");
        assert_eq!(read, if expected.is_empty() { "" } else { &full });
        assert!(!read.contains("4711"));
    }
}

#[tokio::test]
async fn a_cut_answer_is_explained_and_an_answer_with_calls_is_not_the_last() {
    let mut cut = ModelResponse::text(r#"{ "city": "U"#);
    cut.finish_reason = Some("length".to_owned());
    assert!(feedback(cut).await.unwrap().starts_with("The answer was cut before its end"));
    assert_eq!(feedback(calling(&[("1", "search", "{}")])).await, None);
}

#[tokio::test]
async fn the_run_ends_after_the_last_explanation() {
    let mut requests = 0;
    let model = |_: Permit<ModelCallInputs>| {
        requests += 1;
        async { Ok::<_, OperationError>(ModelResponse::text("no")) }
    };
    let error =
        guards().guard_llm_call(ModelCallInputs::default(), &mut RunContext::new("test"), model).await.unwrap_err();
    assert!(error.to_string().ends_with("(2 explanations have not helped)"), "{error}");
    assert_eq!(requests, 3);
}
