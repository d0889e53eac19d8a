//! Mistakes in configurations.

use exo_rails_guards::Kit;

#[test]
fn an_error_about_a_mistake_says_what_to_write() {
    let limit = |keys: &str| format!("[budgets]\nlimits = [{{ name = 'x', {keys} }}]");
    let table = [
        (limit("of = 'tokens', most = 1"), "line 2, column 30: unknown value `tokens`: write one of `model_calls`, `tool_calls`, `prompt_tokens`, `completion_tokens`, `total_tokens`, `cost`, `wall_time_ms`, `output_bytes`"),
        (limit("of = 'tool_calls', mots = 1"), "line 2, column 44: unknown key `mots`: did you mean `most`?"),
        (limit("of = 'tool_calls', most = -1"), "line 2, column 51: `-1` is not an amount: write a number such as `2.50`, with at most 9 digits after the point"),
        (limit("of = 'tool_calls', most = 0"), "line 2, column 51: `budgets`: `limits[0]`: `most`: 0 would refuse every call: write a larger amount"),
        (limit("of = 'tool_calls', most = 1.5"), "line 2, column 51: `budgets`: `limits[0]`: `most`: `tool_calls` counts whole numbers: write one"),
        (limit("of = 'cost', most = 1.5"), "line 2, column 30: `budgets`: `limits[0]`: `of`: a limit of costs needs prices: add `prices = [{ model = \"*\", prompt = …, completion = … }]`"),
        (limit("of = 'model_calls', most = 1, tools = 'x'"), "line 2, column 63: `budgets`: `limits[0]`: `tools`: `model_calls` does not count tool calls: remove `tools`, or write `of = \"tool_calls\"`"),
        (limit("of = 'tool_calls', most = 1, per = 'usr'"), "line 2, column 60: unknown value `usr`: did you mean `user`?"),
        ("[budgets]\nlimits = [{ name = ' ', of = 'tool_calls', most = 1 }]".to_owned(), "line 2, column 20: `budgets`: `limits[0]`: `name`: the limit has no name: reasons and the store need one"),
        ("[budgets]\nhold_for_ms = 0".to_owned(), "line 2, column 15: `budgets`: `hold_for_ms`: 0 would free the amounts of running calls: write how long a call can take"),
        ("[budgets]\nwarn_at_percent = 101".to_owned(), "line 2, column 19: `budgets`: `warn_at_percent`: 101 is more than the whole limit: write 0 to 100"),
        ("[budgets]\nprices = [{ model = '[', prompt = 1, completion = 1 }]".to_owned(), "line 2, column 21: `budgets`: `prices[0]`: `model`: `[` is not a pattern: unclosed character class; missing ']'"),
        ("[budgets]\nprices = [{ model = 'a', prompt = '1 €', completion = 1 }]".to_owned(), "line 2, column 35: `1 €` is not an amount: write a number such as `2.50`, with at most 9 digits after the point"),
        (
            "[[budgets]]\nlimits = [{ name = 'x', of = 'tool_calls', most = 1 }]\n[[budgets]]\nlimits = [{ name = 'x', of = 'tool_calls', most = 1 }]".to_owned(),
            "line 4, column 1: `budgets`: `limits`: `x` is also the name of a limit in another table: rename one",
        ),
    ];
    for (toml, expected) in table {
        assert_eq!(Kit::from_toml(&toml).unwrap_err().to_string(), expected, "{toml}");
    }
}
