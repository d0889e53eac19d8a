//! Programs: their input, output and environment.

use std::collections::BTreeMap;

use exo_rails::prelude::*;
use exo_rails_guards::handlers::{CommandRun, HandlerConfig, HandlerEvent, Run};
use serde_json::json;

use crate::handlers::{Guards, Hooks, call_tool, run_script};

fn with_limit(hooks: &Hooks, script: &str, bytes: usize) -> Guards {
    hooks.guards([HandlerConfig { max_output_bytes: bytes, ..hooks.handler("hook", script) }])
}

#[tokio::test]
async fn large_outputs_do_not_block_and_are_bounded() {
    let hooks = Hooks::new();
    // 10 MB, which is more than a pipe holds.
    let large = "head -c 10000000 /dev/zero | tr '\\0' ' '";
    let error = call_tool(&with_limit(&hooks, large, 1 << 20), &mut RunContext::new("test")).await.unwrap_err();
    assert!(error.ends_with("its answer has more than 1048576 bytes"), "{error}");

    let script = format!("{large}; echo '{{\"decision\":\"block\",\"reason\":\"at the end\"}}'");
    let output = call_tool(&with_limit(&hooks, &script, 20_000_000), &mut RunContext::new("test")).await.unwrap();
    assert!(output.ends_with("at the end"), "{output}");

    // The standard error decides nothing, so it may be as long as it likes.
    let script = "head -c 10000000 /dev/zero >&2; exit 0";
    assert!(
        call_tool(&with_limit(&hooks, script, 100), &mut RunContext::new("test")).await.unwrap().starts_with("ran")
    );

    // An output without an end, while nobody reads the input.
    let error =
        call_tool(&with_limit(&hooks, "while :; do echo xxxxxxxx; done", 1_000), &mut RunContext::new("test")).await;
    assert!(error.unwrap_err().ends_with("its answer has more than 1000 bytes"));
}

#[tokio::test]
async fn a_large_input_reaches_a_slow_reader_and_may_be_ignored() {
    let hooks = Hooks::new();
    let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("ran")) };
    let call = || ToolCallInputs::new("write").with_arguments(json!({ "text": "x".repeat(2_000_000) }));
    // Writes before it reads, and more than a pipe holds.
    let slow = "head -c 200000 /dev/zero | tr '\\0' ' '; sleep 0.1; [ $(wc -c) -gt 2000000 ] || exit 2";
    for script in [slow, "exit 0", "exec <&-; sleep 0.1; exit 0"] {
        let guards = with_limit(&hooks, script, 1 << 20);
        let output = guards.guard_tool_call(call(), &mut RunContext::new("test"), tool).await.unwrap();
        assert_eq!(output.content, "ran", "{script}");
    }
}

#[tokio::test]
async fn a_slow_writer_is_read_to_its_end() {
    let script = r#"printf '{"decision":'; sleep 0.1; printf '"block",'; sleep 0.1; printf '"reason":"slow"}'"#;
    assert!(run_script(script).await.unwrap().ends_with("slow"));
}

#[tokio::test]
async fn the_environment_is_a_list_and_the_arguments_are_not_a_script() {
    let hooks = Hooks::new();
    let saved = hooks.path().join("saved");
    let program = hooks.script("hook", &format!("{{ env; printf '[%s]' \"$@\"; pwd; }} > {}", saved.display()));
    let run = CommandRun {
        program,
        args: ["a b", "; touch pwned", "$(id)", "*", ""].map(str::to_owned).to_vec(),
        env: BTreeMap::from([("MODE".to_owned(), "strict $PATH".to_owned())]),
        working_dir: Some(hooks.path().to_owned()),
    };
    let guards = hooks.guards([HandlerConfig::new([HandlerEvent::PreToolCall], Run::Command(run))]);
    call_tool(&guards, &mut RunContext::new("test")).await.unwrap();
    let saved = std::fs::read_to_string(saved).unwrap();
    assert!(saved.contains("[a b][; touch pwned][$(id)][*][]"), "{saved}");
    assert!(saved.contains("MODE=strict $PATH\n"), "{saved}");
    assert!(saved.ends_with(&format!("{}\n", hooks.path().canonicalize().unwrap().display())), "{saved}");
    // Cargo sets many variables for tests.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some() && !saved.contains("CARGO"), "{saved}");
}

#[tokio::test]
async fn a_program_that_moves_out_of_the_directory_does_not_run() {
    let (hooks, outside) = (Hooks::new(), Hooks::new());
    let link = hooks.path().join("link");
    std::os::unix::fs::symlink(hooks.script("good", "exit 0"), &link).unwrap();
    let guards =
        hooks.guards([HandlerConfig::new([HandlerEvent::PreToolCall], crate::handlers::command(link.clone()))]);
    assert!(call_tool(&guards, &mut RunContext::new("test")).await.unwrap().starts_with("ran"));

    std::fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink(outside.script("evil", "exit 0"), &link).unwrap();
    let error = call_tool(&guards, &mut RunContext::new("test")).await.unwrap_err();
    assert!(error.ends_with("the path of the program now leads out of the allowed directories"), "{error}");

    std::fs::remove_file(&link).unwrap();
    let error = call_tool(&guards, &mut RunContext::new("test")).await.unwrap_err();
    assert!(error.contains("the program cannot be started"), "{error}");
}
