//! Values in prompts.

use serde_json::json;

use crate::helper::{recorded, say};

const NAMES: &str = r#"machine "M" { multiplier: 3; }
Context user { name<string>: "Ada"; done<integer>: 8; gone: null; errorCount<integer>: 999; }
Context config { database<object>: { host: "localhost"; port: 5432; }; settings<object>: { theme: "dark"; on: true; }; tags<array>: ["a", "b"]; }
Context vault { key<string>: "s3cret"; }"#;

/// Returns what the agent reads, or why the machine does not run.
async fn shown(prompt: &str) -> Result<String, String> {
    let file = format!("{NAMES} Task work {{ prompt: \"{prompt}\"; }} work -reads-> user; work -reads-> config;");
    let machine = exo_rails_dygram::read("flow.dygram", &file).machine;
    let (_, model) = recorded(NAMES, &json!([say("done")]).to_string());
    let executor = exo_rails_machine::Executor::builder(&machine, model.clone()).build();
    let executor = executor.map_err(|error| error.to_string())?;
    executor.run().await.map_err(|stopped| stopped.to_string())?;
    let requests = model.requests.lock().unwrap();
    Ok(requests[0].messages.last().unwrap().text().into_owned())
}

#[tokio::test]
async fn values_are_put_into_prompts() {
    let cases = [
        ("User: {{user.name}}", "User: Ada"),
        ("User: {{ user.name }}", "User: Ada"),
        ("{{name}} has {{user.done}} messages.", "Ada has 8 messages."),
        ("{{config.database.host}}:{{ config.database.port }}", "localhost:5432"),
        ("Config: {{config.settings}}", "Config: {\"on\":true,\"theme\":\"dark\"}"),
        ("Tags: {{tags}}", "Tags: [\"a\",\"b\"]"),
        ("Times {{multiplier}}", "Times 3"),
        ("At {{activeState}} after {{errorCount}} errors", "At work after 0 errors"),
        // The names of the machine's own facts are before fields. A field has its context.
        ("{{user.errorCount}}", "999"),
        // There, `null` is an empty text, which the agent does not see.
        ("Gone: {{user.gone}}", "Gone: null"),
        // There, `errors` is the number of the errors.
        ("{{errors}}", "[]"),
        // There, these are evaluated. Here, only names are, and other braces are text.
        ("{{ user.done * multiplier }}", "{{ user.done * multiplier }}"),
        ("{{#each tags}}x{{/each}}", "{{#each tags}}x{{/each}}"),
    ];
    for (prompt, expected) in cases {
        assert_eq!(shown(prompt).await.as_deref(), Ok(expected), "{prompt}");
    }
}

/// There, a name without a value stays in the prompt as it is, and a prompt may have every value of the machine.
#[tokio::test]
async fn a_prompt_with_a_name_that_has_no_value_is_an_error() {
    let cases = [
        ("{{invalid.path}}", "`{{invalid.path}}` in the prompt has no value"),
        ("{{user.nothing}}", "`{{user.nothing}}` in the prompt has no value"),
        ("{{vault.key}}", "which the node may not read: write `work -read: key-> vault;`"),
        ("{{vault}}", "which the node may not read: write `work -reads-> vault;`"),
    ];
    for (prompt, expected) in cases {
        let error = shown(prompt).await.expect_err(prompt);
        assert!(error.contains(expected) && !error.contains("s3cret"), "{prompt}: {error}");
    }
}
