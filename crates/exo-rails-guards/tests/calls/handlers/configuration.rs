//! Mistakes in configurations.

use exo_rails_guards::config;
use exo_rails_guards::handlers::{HookHandlers, HookHandlersConfig};

use crate::handlers::Hooks;

/// Returns the error of a configuration. `DIR` stands for a directory with scripts.
fn error(hooks: &Hooks, text: &str) -> String {
    let dir = hooks.path().canonicalize().unwrap().display().to_string();
    let text = text.replace("DIR", &dir);
    let error = config::from_toml::<HookHandlersConfig>(&text).and_then(HookHandlers::new);
    error.map(|_| ()).expect_err(&text).to_string().replace(&dir, "DIR")
}

fn handler(keys: &str) -> String {
    format!("allowed_dirs = [\"DIR\"]\n[[handlers]]\nevents = [\"pre_tool_call\"]\n{keys}")
}

#[test]
#[expect(clippy::too_many_lines, reason = "it is a table")]
fn each_mistake_has_a_message() {
    let hooks = Hooks::new();
    hooks.script("check", "exit 0");
    std::fs::create_dir(hooks.path().join("sub")).unwrap();
    std::fs::write(hooks.path().join("plain"), "").unwrap();
    std::os::unix::fs::symlink("/bin/sh", hooks.path().join("link")).unwrap();
    let command = |program: &str| handler(&format!("run.command = {{ program = \"{program}\" }}"));
    let ok = "run.command = { program = \"DIR/check\" }";
    let table = [
        (
            command("check"),
            "`handlers[0]`: `run.command.program`: `check` is relative: write the absolute path of the program",
        ),
        (
            command("./check"),
            "`handlers[0]`: `run.command.program`: `./check` is relative: write the absolute path of the program",
        ),
        (
            command("/bin/sh -c x"),
            "`handlers[0]`: `run.command.program`: `/bin/sh -c x` cannot be found: No such file or directory (os error 2)",
        ),
        (
            command("DIR/none"),
            "`handlers[0]`: `run.command.program`: `DIR/none` cannot be found: No such file or directory (os error 2)",
        ),
        (
            command("DIR/plain"),
            "`handlers[0]`: `run.command.program`: `DIR/plain` is not an executable file: set its execute permission",
        ),
        (
            command("DIR"),
            "`handlers[0]`: `run.command.program`: `DIR` is not an executable file: set its execute permission",
        ),
        (command("DIR/../../bin/env"), "which is in none of the `allowed_dirs`"),
        (command("DIR/link"), "which is in none of the `allowed_dirs`"),
        (
            handler(ok).replace("\"DIR\"]", "\"DIR/sub\"]"),
            "`handlers[0]`: `run.command.program`: `DIR/check` is `DIR/check`, which is in none of the `allowed_dirs`",
        ),
        (handler(ok).replace("[\"DIR\"]", "[]"), "`allowed_dirs` is empty: name the directory of the program there"),
        (
            handler(ok).replace("[\"DIR\"]", "[\"hooks\"]"),
            "`allowed_dirs`: `hooks` is relative: write an absolute path",
        ),
        (handler(ok).replace("[\"DIR\"]", "[\"DIR/check\"]"), "`allowed_dirs`: `DIR/check` is not a directory"),
        (
            handler(&format!("{ok}\ntool = \"shell|write_.*\"")),
            "`shell|write_.*` looks like a regular expression: write a name or a glob such as `write_*`, or a list of them",
        ),
        (
            handler(&format!("{ok}\ntool = \"a\"")).replace("pre_tool_call", "start"),
            "`handlers[0]`: `tool`: `start` is not about a tool: remove `tool`",
        ),
        (
            handler(&format!("{ok}\ntimeout_ms = 0")),
            "`handlers[0]`: `timeout_ms`: write a number of milliseconds from 1 to 86400000",
        ),
        (
            handler(&format!("{ok}\nmax_output_bytes = 0")),
            "`handlers[0]`: `max_output_bytes`: 0 would refuse every answer: write at least 1",
        ),
        (
            handler(ok).replace("[\"pre_tool_call\"]", "[]"),
            "`handlers[0]`: `events`: the handler never runs: name at least one event",
        ),
        (
            handler(ok).replace("pre_tool_call", "pre_tool_cal"),
            "line 3, column 11: unknown value `pre_tool_cal`: did you mean `pre_tool_call`?",
        ),
        (handler(ok).replace("pre_tool_call", "llm_chunk"), "line 3, column 11: unknown value `llm_chunk`: "),
        (handler("run.comand = { program = \"DIR/check\" }"), "unknown value `comand`: did you mean `command`?"),
        (handler("run.command = { program = \"DIR/check\", shell = true }"), "unknown key `shell`: "),
        (handler(&format!("{ok}\nfail_mode = \"opn\"")), "unknown value `opn`: did you mean `open`?"),
        (handler(&format!("{ok}\nbackgroud = true")), "unknown key `backgroud`: did you mean `background`?"),
        (
            handler("run.command = { program = \"DIR/check\", working_dir = \"sub\" }"),
            "`run.command.working_dir`: `sub` is not the absolute path of a directory",
        ),
        (
            handler("run.command = { program = \"DIR/check\", env = { \"A=B\" = \"\" } }"),
            "`run.command.env`: `A=B` is not the name of a variable",
        ),
        #[cfg(feature = "http")]
        (handler("run.http = { url = \"127.0.0.1\" }"), "`run.http.url`: this is not a URL: "),
        #[cfg(feature = "http")]
        (
            handler("run.http = { url = \"ftp://a/\" }"),
            "`run.http.url`: the URL must begin with `http://` or `https://`",
        ),
        #[cfg(all(feature = "http", not(feature = "https")))]
        (
            handler("run.http = { url = \"https://a/\" }"),
            "`run.http.url`: TLS needs the feature `https` of `exo-rails-guards`",
        ),
        #[cfg(feature = "http")]
        (
            handler("run.http = { url = \"http://a/\", headers = { A = \"$EXO_RAILS_UNSET\" } }"),
            "`run.http.headers.A`: the variable `EXO_RAILS_UNSET` is not set",
        ),
        #[cfg(feature = "http")]
        (
            handler("run.http = { url = \"http://a/\", headers = { \"A B\" = \"\" } }"),
            "`run.http.headers.A B`: this is not a header name",
        ),
        #[cfg(feature = "agent")]
        (
            handler("run.prompt = { text = \"hm\", model = \"judge\" }"),
            "`run.prompt`: `text`: the model would not see the event: write `$ARGUMENTS` where the event belongs",
        ),
        #[cfg(feature = "agent")]
        (
            handler("run.prompt = { text = \"$ARGUMENTS\", model = \"judge\" }"),
            "`run.prompt`: `model`: the program has registered no model `judge`: call `.model(…)` of the builder",
        ),
        #[cfg(feature = "agent")]
        (
            handler("run.agent = { text = \"$ARGUMENTS\", model = \"judge\", tools = [\"x\"] }"),
            "`run.agent`: `tools`: the program has registered no tool `x`: call `.tool(…)` of the builder",
        ),
        #[cfg(feature = "agent")]
        (
            handler("run.agent = { text = \"$ARGUMENTS\", model = \"judge\", max_steps = 51 }"),
            "`run.agent`: `max_steps`: an agent takes at least one step: write a number from 1 to 50",
        ),
        #[cfg(feature = "agent")]
        (
            handler("run.prompt = { text = \"$ARGUMENTS\", model = \"judge\" }")
                .replace("pre_tool_call", "session_end"),
            "`events`: `session_end` only reports, so a model has nothing to decide: use a command or a request",
        ),
        #[cfg(feature = "agent")]
        (
            handler("background = true\nrun.prompt = { text = \"$ARGUMENTS\", model = \"judge\" }"),
            "`background`: a model in the background decides nothing: use a command or a request",
        ),
    ];
    for (text, expected) in table {
        let error = error(&hooks, &text);
        assert!(error.contains(expected), "{text}\n{error}\n{expected}");
    }
}

#[test]
fn a_directory_with_a_similar_name_is_not_allowed() {
    let hooks = Hooks::new();
    for name in ["hooks", "hooks-evil"] {
        std::fs::create_dir(hooks.path().join(name)).unwrap();
    }
    hooks.script("hooks-evil/check", "exit 0");
    let text = handler("run.command = { program = \"DIR/hooks-evil/check\" }").replace("\"DIR\"]", "\"DIR/hooks\"]");
    assert!(error(&hooks, &text).contains("in none of the `allowed_dirs`"));
}
