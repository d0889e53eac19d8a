//! Mistakes in a configuration name their key and say what to write.

use exo_rails_guards::config;
use exo_rails_guards::paths::{PathSandbox, PathSandboxConfig, Rights};

use crate::paths::Playground;

#[test]
fn mistakes_name_the_key() {
    let playground = Playground::new();
    let error = |change: fn(&mut PathSandboxConfig)| {
        let text = playground.builder().configure(change).build().unwrap_err().to_string();
        text.replace(playground.dir.to_str().unwrap(), "DIR")
    };
    let table = [
        (error(|config| config.roots.clear()), "`roots`: write at least one root, with its `name` and `path`"),
        (error(|config| config.roots[0].name.clear()), "`roots[0].name`: each root needs a different name"),
        (
            error(|config| config.roots.push(config.roots[0].clone())),
            "`roots[1].name`: each root needs a different name",
        ),
        (
            error(|config| config.roots[0].path.push("none")),
            "`roots[0].path`: the directory `DIR/project/none` cannot be opened: ",
        ),
        (
            error(|config| config.roots[0].path.push("README.md")),
            "`roots[0].path`: the directory `DIR/project/README.md` cannot be opened: ",
        ),
        (
            error(|config| config.base = Some("/".into())),
            "`base`: the base must be in a root: add a root, or write a directory in one",
        ),
        (error(|config| config.denied.push("[".into())), "`denied[22]`: `[` is not a glob: "),
        (
            error(|config| config.denied = vec!["**".into()]),
            "`denied[0]`: `**` denies everything: write the names that no tool may use",
        ),
    ];
    for (found, expected) in table {
        assert!(found.starts_with(expected), "{found}\n{expected}");
    }
    for (tool, path, expected) in [
        ("read", "a/b", "`tools`: `a/b` is neither a name nor a pointer: write `/a/b`, or `/a~1b` for an argument"),
        ("", "/path", "`tools`: a tool has an empty name: write its name, or `*` for all tools"),
        ("read|write", "/path", "`tools`: `read|write` looks like a regular expression: write a name or a glob"),
    ] {
        let error = playground.builder().tool(tool, [path], Rights::READ).build().unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
}

#[test]
fn unknown_keys_are_refused_with_the_nearest() {
    for (text, expected) in [
        ("denyed = []", "line 1, column 1: unknown key `denyed`: did you mean `denied`?"),
        ("[[roots]]\nname = \"a\"\npth = \"/\"", "line 3, column 1: unknown key `pth`: did you mean `path`?"),
        ("names = \"posix\"", "line 1, column 9: unknown value `posix`: write one of `unix`, `portable`, `windows`"),
        (
            "[[tools]]\ntool = [\"a\", \"[b\"]",
            "line 2, column 8: `[b` is not a pattern: unclosed character class; missing ']'",
        ),
        ("detected_needs = [\"reed\"]", "line 1, column 19: unknown value `reed`: did you mean `read`?"),
    ] {
        assert_eq!(config::from_toml::<PathSandboxConfig>(text).unwrap_err().to_string(), expected);
    }
}

#[test]
fn a_configuration_can_be_written_and_read() {
    let playground = Playground::new();
    let mut config = PathSandboxConfig::default();
    playground
        .builder()
        .tool("read_*", ["/path", "/files/*"], Rights::READ)
        .configure(|built| config = built.clone())
        .build()
        .unwrap();
    let read: PathSandboxConfig = serde_json::from_value(serde_json::to_value(&config).unwrap()).unwrap();
    assert_eq!(read, config);
    PathSandbox::new(read).unwrap();
}
