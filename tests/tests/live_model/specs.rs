//! Models by name.

use std::env;
use std::process::Command;

use exo_rails_agent::Model;

#[test]
fn a_specification_that_names_no_model_is_an_error_that_helps() {
    let no_provider = "the model has no provider: write `provider:model`, such as `openai:gpt-4o`";
    let unknown = "there is no provider `opnai`: the providers are `openai` and `anthropic`";
    let cases = [
        ("", no_provider),
        ("gpt-4o", no_provider),
        (":gpt-4o", no_provider),
        (" : ", no_provider),
        ("openai:", "the provider `openai` is given without a model: write `openai:` and the name of a model"),
        (
            "anthropic: ",
            "the provider `anthropic` is given without a model: write `anthropic:` and the name of a model",
        ),
        ("opnai:gpt-4o", unknown),
        ("OpenAI:gpt-4o", "there is no provider `OpenAI`: the providers are `openai` and `anthropic`"),
        ("sk-4711-no-provider", no_provider),
    ];
    for (spec, message) in cases {
        let error = <dyn Model>::from_spec(spec).unwrap_err();
        assert_eq!(error.to_string(), message, "{spec}");
    }
}

/// What `from_spec` gives in an environment with these variables and no others of its kind.
fn named(spec: &str, variables: &[(&str, &str)]) -> String {
    let mut child = Command::new(env::current_exe().unwrap());
    for provider in ["OPENAI", "ANTHROPIC"] {
        for variable in ["API_KEY", "BASE_URL", "MODEL"] {
            child.env_remove(format!("{provider}_{variable}"));
        }
    }
    child.args(["--exact", "specs::child_prints_the_model_of_its_specification", "--ignored", "--nocapture"]);
    let output = child.env("SPEC", spec).envs(variables.iter().copied()).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
#[ignore = "the next test runs it in a process with other variables"]
fn child_prints_the_model_of_its_specification() {
    println!("{:?}", <dyn Model>::from_spec(&env::var("SPEC").unwrap()).map_err(|error| error.to_string()));
}

#[test]
fn the_environment_provides_the_key_and_the_address() {
    let local = "http://127.0.0.1:9/v1";
    let cases = [
        ("openai:m", &[][..], "Err(\"the environment variable OPENAI_API_KEY is not set\")"),
        (
            "anthropic:m",
            &[("OPENAI_API_KEY", "sk-4711")],
            "Err(\"the environment variable ANTHROPIC_API_KEY is not set\")",
        ),
        (
            "openai:qwen3:8b",
            &[("OPENAI_BASE_URL", local), ("OPENAI_MODEL", "another")],
            "Ok(Model { provider: Some(\"openai\"), model_name: Some(\"qwen3:8b\"), .. })",
        ),
        (
            " anthropic : claude-x ",
            &[("ANTHROPIC_BASE_URL", local), ("ANTHROPIC_API_KEY", "sk-4711")],
            "Ok(Model { provider: Some(\"anthropic\"), model_name: Some(\"claude-x\"), .. })",
        ),
        (
            "anthropic:m",
            &[("ANTHROPIC_BASE_URL", local), ("ANTHROPIC_API_KEY", "sk-4711\n")],
            "Err(\"the API key has characters that an HTTP header cannot have\")",
        ),
    ];
    for (spec, variables, expected) in cases {
        let told = named(spec, variables);
        assert!(told.contains(expected) && !told.contains("4711"), "{spec}: {told}");
    }
    // Without an address, the server needs TLS. Another package of the build may have enabled it.
    let told = named("anthropic:m", &[("ANTHROPIC_API_KEY", "sk-4711")]);
    let without_tls = "Err(\"https:// needs TLS: turn on the feature `anthropic` of `exo-rails-agent`\")";
    let with_tls = "Ok(Model { provider: Some(\"anthropic\"), model_name: Some(\"m\"), .. })";
    assert!((told.contains(without_tls) || told.contains(with_tls)) && !told.contains("4711"), "{told}");
}
