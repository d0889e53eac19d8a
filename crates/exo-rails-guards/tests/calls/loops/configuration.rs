//! Configurations that make no sense.

use exo_rails_guards::loops::{Levels, LoopsConfig};
use exo_rails_guards::{Kit, config};

#[test]
fn mistakes_are_refused_with_their_key_and_advice() {
    for (toml, message) in [
        ("repetition.warn = 1", "`repetition`: `warn`: a first call is not a loop: write at least 2, or 0 for never"),
        ("drift.abort = 12", "`drift`: `abort`: 12 is less than `refuse`, which is 15: write at least 15"),
        (
            "redundancy = { warn = 9, refuse = 0, abort = 8 }",
            "`redundancy`: `abort`: 8 is less than `warn`, which is 9: write at least 9",
        ),
        (
            "max_period = 1",
            "`max_period`: an oscillation has at least 2 calls: write at least 2, or `oscillation = { warn = 0, refuse = 0, abort = 0 }`",
        ),
        ("max_period = 20", "`window`: 64 calls have no room for `oscillation`, which needs 120: write at least 120"),
        ("window = 10", "`window`: 10 calls have no room for `polling`, which needs 25: write at least 25"),
        ("window = 5000", "`window`: write at most 4096"),
    ] {
        let error = config::from_toml::<LoopsConfig>(toml).unwrap().build().unwrap_err();
        assert_eq!(error.to_string(), message, "{toml}");
        let error = Kit::from_toml(&format!("[loops]\n{toml}")).unwrap_err();
        assert!(error.to_string().ends_with(&format!(": `loops`: {message}")), "{error}");
    }
    for (toml, message) in [
        ("repetition = { wran = 3 }", "line 1, column 16: unknown key `wran`: did you mean `warn`?"),
        ("repetition = 3", "line 1, column 14: invalid type: integer `3`, expected struct Given"),
        ("scope = 'user'", "line 1, column 9: unknown value `user`: write one of `run`, `session`"),
        (
            "exempt = ['a|b']",
            "line 1, column 10: `a|b` looks like a regular expression: write a name or a glob such as `write_*`, or a list of them",
        ),
    ] {
        assert_eq!(config::from_toml::<LoopsConfig>(toml).unwrap_err().to_string(), message, "{toml}");
    }
}

#[test]
fn a_missing_level_has_the_default_of_its_pattern() {
    let config: LoopsConfig = config::from_toml("oscillation.abort = 8\nmax_period = 2").unwrap();
    assert_eq!(config.oscillation, Levels::new(3, 4, 8));
    let json = serde_json::to_string(&config).unwrap();
    assert_eq!(serde_json::from_str::<LoopsConfig>(&json).unwrap(), config);
}

#[test]
fn unknown_tools_are_refused_with_the_nearest_name() {
    let builder = Kit::builder().known_tools(["search", "wait"]);
    for (toml, key) in [
        ("[loops]\nexempt = 'wiat'", "`loops`: `exempt`"),
        ("[loops]\nresets = ['w*', 'wiat']", "`loops`: `resets`"),
        ("[budgets]\nlimits = [{ name = 'x', of = 'tool_calls', most = 1, tools = 'wiat' }]", "`budgets`: `limits`"),
        (
            "[rate_limits]\nlimits = [{ name = 'x', of = 'tool_calls', calls = 1, every = 'day', tools = 'wiat' }]",
            "`rate_limits`: `limits`",
        ),
    ] {
        let error = builder.from_toml(toml).unwrap_err();
        let expected = format!(": {key}: unknown tool `wiat`: did you mean `wait`?");
        assert!(error.to_string().ends_with(&expected), "{error}");
        assert!(Kit::from_toml(toml).is_ok());
    }
}
