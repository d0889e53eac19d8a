//! Configurations of the kit: what is read, and the places of mistakes.

use std::collections::BTreeSet;
use std::fs;

use exo_rails::prelude::*;
use exo_rails::{InMode, Mode, testing};
use exo_rails_guards::kit::PolicyConfig;
use exo_rails_guards::permissions::{Permission, PermissionRule, Permissions, Source};
use exo_rails_guards::{Fallback, Kit, config};

/// Tables of almost all guards.
const ALL: &str = r#"
    [sizes]

    [capability_gap]
    tools = ["search"]

    [secrets]
    mode = "shadow"
    except = ["generic-secret"]
    rules = [{ id = "desk", regex = "desk-[0-9]{4}", allowlists = [{ stopwords = ["desk-0000"] }] }]
    overrides = [{ rule = "jwt", at = ["answer", "input"], action = "report" }]

    [personal_data]
    recognisers = ["email", "uk-*"]
    placeholders = { tools = "send_mail" }

    [[hook_handlers]]

    [[hook_handlers]]
    mode = "off"

    [permissions]
    permission_mode = "plan"
    mode = "shadow"
    rules = [{ tool = "search", decision = "allow" }]

    [content]
    blocked_phrases = ["steal credentials"]

    [injection]
    mode = "shadow"

    [structure]

    [paths]
    roots = [{ name = "work", path = "/tmp" }]

    [urls]
    allowed_hosts = ["example.com"]

    [tool_schemas.schemas.search]
    type = "object"

    [structured_answer]

    [data_flow]
    sources = [{ tool = "search", label = "web" }]
    sinks = [{ tool = "deploy", arguments = "/target" }]

    [loops]
    exempt = "wait"

    [repetition]
    min_times = 6

    [risk]
    threshold = 90
    mode = "off"

    [approval]
    rules = [{ tool = "deploy" }]

    [rate_limits]
    limits = [{ name = "calls", of = "tool_calls", calls = 10, every = "minute", burst = 2 }]

    [[budgets]]
    limits = [{ name = "day", of = "cost", most = 2.50, per = "user", window = "day" }]
    prices = [{ model = "small-*", prompt = 0.15, completion = 0.60 }]

    [retry]
    idempotent = "search"
    kinds = ["timeout"]

    [[budgets]]
    mode = "shadow"
    limits = [{ name = "mails", of = "tool_calls", most = 3, tools = ["send_*"] }]

    [concurrency]
    limits = [{ name = "searches", of = "tool_calls", most = 2, tools = ["search"] }]

    [circuit_breaker]
    breakers = [{ name = "models", of = "model_calls", failures = 3 }]

    [timeouts]
    limits = [{ name = "slow", of = "tool_calls", limit_ms = 50, tools = ["search"] }]
"#;

/// Makes the kit of [`ALL`], with a table `fallback` in code, because its tools are functions.
fn kit_of_all() -> Kit {
    let cache = |_| async { Ok(ToolOutput::text("from the cache")) };
    let builder = Kit::builder().fallback(Fallback::new().tool("search", "search_cache", cache));
    builder.from_toml(&format!("{ALL}\n[fallback]\ntools = {{ search = ['search_cache'] }}")).unwrap()
}

#[test]
fn each_table_of_a_configuration_makes_its_guard() {
    let kit = kit_of_all();
    let modes = [
        ("sizes", kit.sizes.as_ref().map(InMode::mode)),
        ("capability_gap", kit.capability_gap.as_ref().map(InMode::mode)),
        ("secrets", kit.secrets.as_ref().map(InMode::mode)),
        ("personal_data", kit.personal_data.as_ref().map(InMode::mode)),
        ("hook_handlers[0]", kit.hook_handlers.first().map(InMode::mode)),
        ("hook_handlers[1]", kit.hook_handlers.get(1).map(InMode::mode)),
        ("permissions", kit.permissions.as_ref().map(InMode::mode)),
        ("content", kit.content.as_ref().map(InMode::mode)),
        ("injection", kit.injection.as_ref().map(InMode::mode)),
        ("structure", kit.structure.as_ref().map(InMode::mode)),
        ("paths", kit.paths.as_ref().map(InMode::mode)),
        ("urls", kit.urls.as_ref().map(InMode::mode)),
        ("tool_schemas", kit.tool_schemas.as_ref().map(InMode::mode)),
        ("structured_answer", kit.structured_answer.as_ref().map(InMode::mode)),
        ("data_flow", kit.data_flow.as_ref().map(InMode::mode)),
        ("loops", kit.loops.as_ref().map(InMode::mode)),
        ("repetition", kit.repetition.as_ref().map(InMode::mode)),
        ("risk", kit.risk.as_ref().map(InMode::mode)),
        ("approval", kit.approval.as_ref().map(InMode::mode)),
        ("rate_limits[0]", kit.rate_limits.first().map(InMode::mode)),
        ("budgets[0]", kit.budgets.first().map(InMode::mode)),
        ("budgets[1]", kit.budgets.get(1).map(InMode::mode)),
        ("retry", kit.retry.as_ref().map(InMode::mode)),
        ("concurrency", kit.concurrency.as_ref().map(InMode::mode)),
        ("circuit_breaker", kit.circuit_breaker.as_ref().map(InMode::mode)),
        ("timeouts", kit.timeouts.as_ref().map(InMode::mode)),
        ("fallback", kit.fallback.as_ref().map(InMode::mode)),
    ];
    for (name, mode) in modes {
        let expected = match name {
            "hook_handlers[1]" | "risk" => Mode::Off,
            "permissions" | "secrets" | "injection" | "budgets[1]" => Mode::Shadow,
            _ => Mode::Enforce,
        };
        assert_eq!(mode, Some(expected), "{name}");
    }
    let none = Kit::from_toml("").unwrap();
    assert!(kit.changed_calls.is_some() && none.changed_calls.is_none());
    assert!(none.sizes.is_none() && none.hook_handlers.is_empty() && none.permissions.is_none());
}

/// The kit is one list, and the policy file is another: each table belongs to a guard.
#[test]
fn every_table_of_the_policy_file_has_a_guard_in_the_kit() {
    let error = Kit::from_toml("[qqqq]").unwrap_err().to_string();
    let tables: BTreeSet<&str> = error.split('`').skip(3).step_by(2).collect();
    assert!(tables.len() > 25, "{error}");
    let shown = format!("{:?}", Kit::default());
    let is_in_kit = |table: &&&str| shown.contains(&format!(" {table}: "));
    let others: Vec<&&str> = tables.iter().filter(|table| !is_in_kit(table)).collect();
    assert_eq!(others, [&"audit", &"mode"]);
}

#[tokio::test]
async fn a_timeout_and_a_fallback_of_a_file_work() {
    let cache = |_| async { Ok(ToolOutput::text("from the cache")) };
    let builder = Kit::builder().fallback(Fallback::new().tool("search", "search_cache", cache));
    let text = "[timeouts]\nlimits = [{ name = 'slow', of = 'tool_calls', limit_ms = 50 }]\n[fallback]\ntools = { search = ['search_cache'] }";
    let kit = builder.from_toml(text).unwrap();
    let slow = |_| async { std::future::pending::<Result<ToolOutput, OperationError>>().await };
    let mut ctx = RunContext::new("desk");
    let output = kit.guard_tool_call(ToolCallInputs::new("search"), &mut ctx, slow).await.unwrap();
    assert_eq!(output.content, "from the cache");
}

#[test]
fn a_kit_without_guards_around_calls_can_be_registered() {
    let mut hooks = HookManager::new();
    assert!(Kit::from_toml("[sizes]").unwrap().try_register(&mut hooks).is_ok());
    let limits = "[timeouts]\nlimits = [{ name = 'slow', of = 'tool_calls', limit_ms = 50 }]";
    let error = Kit::from_toml(limits).unwrap().try_register(&mut hooks).unwrap_err();
    assert!(error.to_string().starts_with("a rail surrounds the operation that `"), "{error}");
}

#[test]
fn a_fallback_that_the_program_does_not_have_is_a_mistake() {
    let error = Kit::from_toml("[fallback]\ntools = { search = ['search_cache'] }").unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 2, column 20: `fallback`: `tools.search`: `search_cache` does not stand in for `search`: \
         add it in code, with `Fallback::new().tool(\"search\", \"search_cache\", …)`",
    );
}

#[test]
fn a_single_table_counts_as_a_list_of_one() {
    let one = Kit::from_toml("[hook_handlers]\nmode = 'shadow'").unwrap();
    assert_eq!(one.hook_handlers[0].mode(), Mode::Shadow);
    let error = Kit::from_toml("hook_handlers = 3").unwrap_err();
    assert_eq!(error.to_string(), "line 1, column 17: invalid type: integer `3`, expected a table or a list of tables");
}

#[test]
fn a_configuration_can_be_written_and_read_again() {
    let config: PolicyConfig = config::from_toml(ALL).unwrap();
    let json = serde_json::to_string(&config).unwrap();
    assert_eq!(serde_json::from_str::<PolicyConfig>(&json).unwrap(), config);
}

#[test]
fn an_error_about_a_mistake_names_line_and_column() {
    let table = [
        // Keys and values of the kit.
        ("mod = 'off'", "line 1, column 1: unknown key `mod`: did you mean `mode`?"),
        ("mode = 'shaddow'", "line 1, column 8: unknown value `shaddow`: did you mean `shadow`?"),
        ("[permission]", "line 1, column 2: unknown key `permission`: did you mean `permissions`?"),
        ("[sizes]\n[sizes]", "line 2, column 2: duplicate key"),
        ("sizes = true", "line 1, column 9: invalid type: boolean `true`, expected a table"),
        ("[sizes", "line 1, column 7: unclosed table, expected `]`"),
        // Keys and values of guards.
        ("[sizes]\nmode = 'on'", "line 2, column 8: unknown value `on`: write one of `enforce`, `shadow`, `off`"),
        ("[sizes]\nmode = false", "line 2, column 8: expected a name in quotes"),
        ("[sizes]\nmoed = 'off'", "line 2, column 1: unknown key `moed`: did you mean `mode`?"),
        ("[risk]\n\nthreshhold = 3", "line 3, column 1: unknown key `threshhold`: did you mean `threshold`?"),
        ("[risk]\nthreshold = 'high'", "line 2, column 13: invalid type: string \"high\", expected u8"),
        (
            "[permissions]\nmode = 'plan'",
            "line 2, column 8: unknown value `plan`: write one of `enforce`, `shadow`, `off`",
        ),
        (
            "[[hook_handlers]]\n[[hook_handlers]]\nmax_backgruond = 3",
            "line 3, column 1: unknown key `max_backgruond`: did you mean `max_background`?",
        ),
        (
            "[[permissions.rules]]\ntool = 'x'\ndecision = 'alow'",
            "line 3, column 12: unknown value `alow`: did you mean `allow`?",
        ),
        // Values that make no sense together.
        (
            "\n[risk]\nthreshold = 101",
            "line 3, column 13: `risk`: `threshold`: 101 is more than the largest score: write a number from 0 to 100",
        ),
        (
            "[[hook_handlers]]\n[[hook_handlers]]\nhandlers = [{ events = [], run.command = { program = '/x' } }]",
            "line 3, column 24: `hook_handlers`: `handlers[0]`: `events`: the handler never runs: name at least one event",
        ),
        (
            "[tool_schemas.schemas.a]\n[tool_schemas.schemas.'b.c']\ntype = 3",
            "line 2, column 23: `tool_schemas`: `schemas.b.c`: this is not a JSON Schema: 3 is not valid under any of the schemas listed in the 'anyOf' keyword",
        ),
    ];
    for (toml, expected) in table {
        assert_eq!(Kit::from_toml(toml).unwrap_err().to_string(), expected, "{toml}");
    }
}

#[test]
fn an_error_about_a_file_names_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("policy.toml");
    let error = Kit::from_file(&file).unwrap_err().to_string();
    assert!(error.starts_with(&format!("{}: cannot be read: ", file.display())), "{error}");
    fs::write(&file, "[risk]\nthresh = 3").unwrap();
    let error = Kit::from_file(&file).unwrap_err().to_string();
    assert_eq!(error, format!("{}: line 2, column 1: unknown key `thresh`: did you mean `threshold`?", file.display()));
}

#[test]
fn an_explanation_has_the_line_of_a_rule_in_the_file() {
    let kit = Kit::from_toml("[sizes]\n\n[[permissions.rules]]\nname = 'x'\ntool = 'drop'\ndecision = 'deny'").unwrap();
    let permissions = kit.permissions.unwrap();
    let explanation = permissions.inner().explain(&ToolCallInputs::new("drop")).to_string();
    assert!(explanation.contains("`x` (global, line 3)"), "{explanation}");
}

#[test]
fn rules_in_code_and_in_the_configuration_both_apply() {
    let session = Permissions::builder().rule(Source::Session, PermissionRule::deny("deploy"));
    let builder = Kit::builder().permissions(session);
    for (toml, search) in [("", Permission::Ask), ("[permissions]\ndefault = 'allow'", Permission::Allow)] {
        let permissions = builder.from_toml(toml).unwrap().permissions.unwrap();
        let judge = |tool| permissions.inner().judge(&ToolCallInputs::new(tool)).permission;
        assert_eq!((judge("deploy"), judge("search")), (Permission::Deny, search), "{toml}");
    }
}

#[test]
fn a_configuration_about_an_unknown_tool_is_an_error() {
    let builder = Kit::builder().known_tools(["deploy", "search"]);
    let schema = "[tool_schemas.schemas.deplyo]\ntype = 'object'";
    let paths = "[[paths.tools]]\ntool = 'deplyo'\npaths = ['/file']\nneeds = ['read']";
    let handler =
        "[[hook_handlers.handlers]]\nevents = ['pre_tool_call']\ntool = 'deplyo'\nrun.command.program = '/bin/true'";
    for toml in [
        "[[permissions.rules]]\ntool = 'deplyo'\ndecision = 'ask'",
        "[[approval.rules]]\ntool = ['search', 'deplyo']",
        "[risk.tools.deplyo]",
        "[capability_gap]\ntools = ['search', 'deplyo']",
        "[capability_gap]\naction = 'repair'\nidempotent = ['deplyo']",
        "[[urls.tools]]\ntool = 'deplyo'\nurls = ['/url']",
        schema,
        paths,
        handler,
    ] {
        let error = builder.from_toml(toml).unwrap_err().to_string();
        assert!(error.contains("did you mean `deploy`"), "{toml}: {error}");
    }
    builder.from_toml("[[approval.rules]]\ntool = ['deploy', 'drop_*']").unwrap();
}

/// Otherwise the order of the spellings would decide, silently.
#[test]
fn one_tool_in_two_spellings_is_an_error() {
    for (toml, key, other) in [
        ("[risk.tools.Deploy]\ndangerous = true\n[risk.tools.deploy]\ndangerous = false", "deploy", "Deploy"),
        ("[permissions.tools.Bash]\neffect = 'execute'\n[permissions.tools.bash]\neffect = 'read'", "bash", "Bash"),
        ("[permissions.tools.'x_*']\neffect = 'execute'\n[permissions.tools.'х_*']\neffect = 'read'", "х_*", "x_*"),
    ] {
        let error = Kit::from_toml(toml).unwrap_err().to_string();
        let expected =
            format!("`tools.{key}`: this is the same tool as `tools.{other}`, in another spelling: remove one of them");
        assert!(error.ends_with(&expected), "{error}");
    }
}

/// A source with less precedence cannot say something else about a tool by spelling its name in another way.
#[test]
fn another_spelling_of_a_tool_does_not_override_a_stronger_source() {
    let read = |text: &str| config::from_toml(text).unwrap();
    let kit = Kit::builder().permissions(
        Permissions::builder()
            .config(Source::Session, read("permission_mode = 'plan'\n[tools.Upload]\neffect = 'network'")),
    );
    let kit = kit.from_toml("[permissions.tools.upload]\neffect = 'read'").unwrap();
    let decision = kit.permissions.unwrap().inner().judge(&ToolCallInputs::new("upload"));
    assert_eq!(decision.permission, Permission::Deny);
}

/// In a chain, the kit is one rail, in the middle of the priorities.
#[test]
fn a_chain_runs_the_kit_between_custom_rails() {
    #[rail(priority = 40, on = [PreToolCall])]
    fn before() {}
    #[rail(priority = 60, on = [PreToolCall])]
    fn after() {}

    rail_chain! { struct Rails { after, kit: Kit, before } }
    let rails = Rails { kit: Kit::from_toml(ALL).unwrap() };
    let guards =
        ["changed_calls", "sizes", "capability_gap", "secrets", "personal_data", "hook_handlers", "permissions"];
    let next = ["content", "injection", "paths", "urls", "tool_schemas", "data_flow", "loops"];
    let later =
        ["risk", "approval", "rate_limits", "sequence", "budgets", "concurrency", "circuit_breaker", "timeouts"];
    let all = [&["before"][..], &guards, &next, &later, &["after"]].concat();
    testing::assert_order(&rails, HookPoint::PreToolCall, all);
}

/// A configuration, and the files that it names, are regular files. Everything else is an error at once.
#[cfg(unix)]
#[test]
fn what_is_not_a_file_is_an_error_at_once() {
    use std::os::unix::net::UnixListener;
    use std::process::Command;
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    assert!(Command::new("mkfifo").arg(place("pipe")).status().unwrap().success());
    fs::create_dir(place("folder")).unwrap();
    let _socket = UnixListener::bind(place("socket")).unwrap();
    fs::File::create(place("long")).unwrap().set_len(1 << 40).unwrap();
    let table = [
        (place("pipe"), "cannot be read: it is a pipe, not a regular file"),
        (place("folder"), "cannot be read: it is a directory, not a regular file"),
        (place("socket"), "cannot be read: it is a socket, not a regular file"),
        ("/dev/zero".into(), "cannot be read: it is a device, not a regular file"),
        (place("long"), "cannot be read: it has more than 4 MiB"),
    ];
    for (file, expected) in table {
        let named = format!("[secrets]\nfiles = [{:?}]\n", file.to_str().unwrap());
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || {
            let errors = [Kit::from_file(file).unwrap_err(), Kit::from_toml(&named).unwrap_err()];
            let _ = sender.send(errors.map(|error| error.to_string()));
        });
        for error in receiver.recv_timeout(Duration::from_secs(20)).expect("the function hangs") {
            assert!(error.ends_with(expected), "{error}");
        }
    }
}
