//! Mistakes in the configuration.

use exo_rails_guards::config;
use exo_rails_guards::data_flow::{DataFlowConfig, Sink, SinkDecision, Source};
use exo_rails_guards::{ConfigError, DataFlow, Kit};

fn error(text: &str) -> String {
    let config: Result<DataFlowConfig, ConfigError> = config::from_toml(text);
    config.and_then(DataFlow::new).unwrap_err().to_string()
}

#[test]
fn each_mistake_is_refused_with_advice() {
    let source = "sources = [{ tool = 'fetch', label = 'web' }]\n";
    let sink = "sinks = [{ tool = 'send' }]\n";
    for (text, message) in [
        (
            sink.to_owned(),
            "`sources`: nothing is tainted: write a source such as `[[sources]]` with `tool = \"fetch\"` and `label = \"web\"`",
        ),
        (
            source.to_owned(),
            "`sinks`: no argument is guarded: write a sink such as `[[sinks]]` with `tool = \"send_mail\"`",
        ),
        (
            format!("{source}sinks = [{{ tool = 'send', labels = 'webb' }}]"),
            "`sinks`: no source has the label `webb`: did you mean `web`?",
        ),
        (
            format!("{source}sinks = [{{ tool = 'a' }}, {{ tool = 'send', approval_clears = true }}]"),
            "`sinks[1].approval_clears`: nobody approves calls of this sink: write `decision = \"ask\"`, or leave the key out",
        ),
        (
            format!("{source}sinks = [{{ tool = 'send', decision = 'report', approval_clears = true }}]"),
            "`sinks[0].approval_clears`: nobody approves calls of this sink: write `decision = \"ask\"`, or leave the key out",
        ),
        (
            format!("{source}{sink}sanitizers = [{{ tool = 'check' }}]"),
            "`sanitizers`: `check` clears nothing: write `arguments` with the checked ones, or `result = true`",
        ),
        (
            format!("{source}{sink}sanitizers = [{{ tool = 'check', result = true, if_result = {{ ok = true }} }}]"),
            "`sanitizers`: `ok` is not a pointer: write `/ok`",
        ),
        (
            format!("{source}{sink}passage_chars = 4"),
            "`passage_chars`: 4 would find passages everywhere: write at least 8",
        ),
        (format!("{source}{sink}value_chars = 1"), "`value_chars`: 1 would find values everywhere: write at least 3"),
        (
            format!("{source}{sink}common_passage_chars = 10"),
            "`common_passage_chars`: a passage of common words cannot be shorter than another one: write at least 12",
        ),
        (
            format!("{source}{sink}max_marks = 0"),
            "`max_marks`: 0 would taint everything: write a number such as 900000",
        ),
        (format!("{source}{sink}corse = true"), "line 3, column 1: unknown key `corse`: did you mean `coarse`?"),
        (
            "sources = [{ tool = [], label = 'web' }]\nsinks = [{ tool = 'send' }]".to_owned(),
            "`sources`: no tool is named: write `tool = \"…\"`",
        ),
        (
            "sources = [{ tool = 'fetch', label = '' }]\nsinks = [{ tool = 'send' }]".to_owned(),
            "`sources`: a label is empty: write a word such as `web`",
        ),
    ] {
        assert_eq!(error(&text), message, "{text}");
    }
}

#[test]
fn the_kit_refuses_unknown_tools_in_sinks() {
    let kit = Kit::builder().known_tools(["fetch", "send_mail"]);
    let text = |tool: &str| {
        format!("[data_flow]\nsources = [{{ tool = 'fetch', label = 'web' }}]\nsinks = [{{ tool = '{tool}' }}]")
    };
    assert!(kit.from_toml(&text("send_mail")).unwrap().data_flow.is_some());
    let error = kit.from_toml(&text("sendmail")).unwrap_err().to_string();
    assert_eq!(error, "line 3, column 1: `data_flow`: `sinks`: unknown tool `sendmail`: did you mean `send_mail`?");
}

#[test]
fn the_guard_can_be_configured_in_code() -> Result<(), ConfigError> {
    let data_flow = DataFlow::builder()
        .sources([Source::new("fetch".parse()?, "web")])
        .sinks([Sink::new("send".parse()?).arguments(["/to".parse()?]).labels(["web"]).decision(SinkDecision::Report)])
        .coarse(true)
        .build()?;
    assert!(format!("{data_flow:?}").contains("Report"));
    Ok(())
}
