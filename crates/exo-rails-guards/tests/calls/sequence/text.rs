//! The text form: each mistake has one message, at the word that is wrong.

use exo_rails_guards::Sequence;
use exo_rails_guards::config;
use exo_rails_guards::sequence::{SequenceConfig, SequenceRule};

#[test]
fn each_rule_is_printed_in_its_canonical_form() {
    for (text, canonical) in [
        ("refund only after approve", None),
        ("refund or payout only after failed a or b within 90m same x and y as z per user", None),
        ("never send_mail after read_web", None),
        ("never a after attempted b unless c or d in between within 1s same /order/id per global", None),
        ("never a after b within 1s unless c in between", Some("never a after b unless c in between within 1s")),
        ("at most 3 refused mcp__*", None),
        ("sum of price.euros in refund at most 5 same order.id and x", None),
        ("at most 1_000 a per run", Some("at most 1000 a")),
        ("sum of amount in refund at most 99.90 within 1d per session", None),
        ("sum of amount in refund at most 1_000", Some("sum of amount in refund at most 1000")),
        ("  at\tmost 1\n a within 60m ", Some("at most 1 a within 1h")),
        ("at most 1 a within 0250ms", Some("at most 1 a within 250ms")),
        ("\"after\" only after \"of \"\"it\"\"\"", None),
        ("\"refund\" only after approve", Some("refund only after approve")),
    ] {
        let rule: SequenceRule = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(rule.to_string(), canonical.unwrap_or(text), "{text}");
        assert_eq!(rule.to_string().parse::<SequenceRule>().unwrap(), rule, "{text}");
        let json = serde_json::to_string(&rule).unwrap();
        assert_eq!(serde_json::from_str::<SequenceRule>(&json).unwrap(), rule, "{text}");
    }
}

#[test]
fn each_mistake_in_a_rule_has_a_column_and_a_message() {
    for (text, column, message) in [
        ("", 1, "the rule is empty: write a rule such as `refund only after approve`"),
        ("refund", 7, "write what the rule says about `refund`: write `refund only after approve`, `never send_mail"),
        ("refund after approve", 8, "write `only after`: `refund only after …`, or `never refund after …`"),
        ("refund only approve", 13, "write `after` and a tool here, as in `refund only after approve`"),
        (
            "at most 1 a same b.",
            18,
            "`b.` has an empty name before or after a dot: write names such as `order.id`, or `/b.`",
        ),
        ("at most 1 a same b..c", 18, "`b..c` has an empty name before or after a dot"),
        ("nevr a after b", 1, "`nevr` is not a word of a rule: did you mean `never`?"),
        ("after b", 1, "a rule cannot begin with `after`: write `refund only after approve`"),
        ("refund only after", 18, "the rule ends here: write the name of a tool after `only after`"),
        (
            "refund only after after",
            19,
            "write the name of a tool after `only after`: `after` is a word of the grammar",
        ),
        ("refund or within only after b", 11, "write the name of a tool after `or`: `within` is a word of the grammar"),
        ("a only after \"", 14, "the quotes of this name do not end: write `\"` after it"),
        ("a only after \"\"", 14, "write the name of a tool after `only after`: this one is empty"),
        ("never a b", 9, "write `after` and a tool here, as in `never send_mail after read_web`"),
        ("never a after b unless c between", 26, "write `in between` here: `unless c in between`"),
        (
            "never a after b unless failed c in between",
            24,
            "after `unless`, only calls that succeed count: remove `failed`",
        ),
        ("a only after b unless c in between", 16, "only a rule with `never` has an `unless`: remove it"),
        ("never a after b unless a in between", 24, "`a` cannot allow itself: the rule refuses `a` before it can run"),
        ("never a after b unless b in between", 24, "`b` is also after `after`: one call cannot be both"),
        ("at 3 a", 4, "write `at most` and a number here, as in `at most 3 refund`"),
        ("at most a", 9, "`a` is not a number of calls: write a whole number, such as `3`"),
        ("at most 0 a", 9, "`at most 0` refuses every call: write a larger number"),
        ("at most 3", 10, "the rule ends here: write the name of a tool after the number"),
        ("at most 3.5 a", 9, "`3.5` is not a number of calls: write a whole number, such as `3`"),
        ("sum amount in a at most 5", 5, "write `of` and a field here, as in `sum of amount in refund at most 500`"),
        ("sum of amount a at most 5", 15, "write `in` and a tool here, as in `sum of amount in refund`"),
        ("sum of amount in a", 19, "write `at most` and a number here, as in `sum of amount in refund at most 500`"),
        ("sum of amount in a at most 1,5", 28, "`1,5` is not an amount: write a number such as `500` or `99.90`"),
        ("sum of amount in a at most 0.0", 28, "a sum of at most 0 refuses every call: write a larger number"),
        ("at most 3 a within 30", 20, "`30` has no unit: write `30s`, `30m`, `30h` or `30d`"),
        ("at most 3 a within 1 h", 20, "a duration is one word: write `1h`"),
        ("at most 3 a within 1hour", 20, "`hour` is not a unit: write `ms`, `s`, `m`, `h` or `d`, as in `1h`"),
        ("at most 3 a within 1.5h", 20, "`1.5h` is not a whole number: write a smaller unit, such as `90m`"),
        ("at most 3 a within h", 20, "`h` is not a duration: write a number with a unit, such as `1h`"),
        ("at most 3 a within 0s", 20, "nothing happens within `0s`: write a longer time"),
        ("at most 3 a within 4000d", 20, "`4000d` is longer than ten years: leave `within` out"),
        ("at most 3 a within 99999999999999999999d", 20, "`99999999999999999999d` is longer than ten years"),
        ("at most 3 a within", 19, "the rule ends here: write a duration after `within`, such as `1h`"),
        ("at most 3 a within 1h within 2h", 23, "the rule has two `within`: keep one of them"),
        ("at most 3 a wihtin 1h", 13, "`wihtin` is not a word of a rule: did you mean `within`?"),
        (
            "at most 3 a please",
            13,
            "`please` is not a word of a rule: the rule ends here, or goes on with `or`, `unless`",
        ),
        ("at most 3 a only", 13, "`only` is not a word of a rule: the rule ends here"),
        ("at most 3 a per usr", 17, "nothing is counted per `usr`: did you mean `per user`?"),
        ("at most 3 a per planet", 17, "nothing is counted per `planet`: write `per run`, `per session`"),
        ("at most 3 a per", 16, "the rule ends here: write `per run`, `per session`, `per user`"),
        ("at most 3 a same", 17, "the rule ends here: write the name of a field after `same`"),
        ("at most 3 a same x as y", 20, "all calls of this rule have the same field: write `same x`"),
        ("never a after a or b same x as y", 32, "`a` is on both sides of `after`, so it has one field: remove `as`"),
        (
            "a only after a",
            14,
            "`a` can never run, because it needs an earlier call of `a`: write the tool that comes first",
        ),
        (
            "a or b only after b or a",
            19,
            "`a` can never run, because `b` must come before it, and cannot come first: remove one rule",
        ),
        ("größe only after\n  b wihtin", 5, "`wihtin` is not a word of a rule: did you mean `within`?"),
    ] {
        let error = text.parse::<SequenceRule>().unwrap_err();
        assert!(error.message.starts_with(message), "{text}: {error}");
        let line = text.matches('\n').count() + 1;
        assert_eq!(error.position, Some((line, column)), "{text}: {error}");
    }
}

#[test]
fn each_mistake_in_a_configuration_has_its_place() {
    for (toml, message) in [
        (
            "rules = [\n 'a only after b',\n 'at most 3 a wihtin 1h',\n]",
            "line 3, column 2: `wihtin` is not a word of a rule: did you mean `within`? (character 13 of the rule)",
        ),
        ("rules = [{ rule = 'a', name = 'x' }]", "line 1, column 19: write what the rule says about `a`"),
        ("rules = [{ name = 'x' }]", "line 1, column 10: missing field `rule`"),
        ("rules = [{ rule = 'at most 1 a', nam = 'x' }]", "line 1, column 34: unknown key `nam`: did you mean `name`?"),
        (
            "rules = [3]",
            "line 1, column 10: invalid type: integer `3`, expected a rule such as \"refund only after approve\"",
        ),
        (
            "rules = ['at most 1 a', 'at most 1 a']",
            "`rules[1]`: `at most 1 a` is there twice: remove one, or give it a `name`",
        ),
        (
            "rules = [{ rule = 'at most 1 a', name = ' ' }]",
            "`rules[0]`: `name`: the name is empty: remove it, or write one",
        ),
        (
            "rules = ['a only after b', 'b only after c', 'c only after a']",
            "`rules[0]`: `a` can never run, because `b` must come before it, and cannot come first: remove one rule",
        ),
        (
            "rules = ['at most 1 a same /x/*/y']",
            "`rules[0]`: `/x/*/y` can be several fields: a rule compares one, so write its name",
        ),
        ("rules = ['at most 1 a same x/y']", "`rules[0]`: `x/y` is neither a name nor a pointer: write `/x/y`"),
        ("rules = ['at most 1 ^a$']", "`rules[0]`: `^a$` looks like a regular expression"),
        ("hold_for_ms = 0", "`hold_for_ms`: 0 would end running calls at once: write how long a call can take"),
    ] {
        let error = config::from_toml(toml).and_then(SequenceConfig::build).map(|_: Sequence| ()).unwrap_err();
        assert!(error.to_string().starts_with(message), "{toml}: {error}");
    }
    for toml in
        ["rules = ['a only after b', 'b only after c']", "rules = ['a only after b or c', 'b only after a']", ""]
    {
        config::from_toml(toml).and_then(SequenceConfig::build).unwrap();
    }
}
