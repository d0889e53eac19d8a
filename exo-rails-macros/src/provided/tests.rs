use crate::testing::{golden, mentions, messages, tokens};

#[test]
fn a_value_expands_to_the_recorded_code() {
    golden("provided.rs", super::provided(tokens("struct RateLimitLeft(u32);")));
}

#[test]
fn a_value_with_mistakes_is_still_provided() {
    for (item, message) in [
        ("#[provided(crat = x)] struct Caller { name: String }", "`#[provided]` has no option `crat`; did you mean"),
        ("#[provided] struct Caller;", "the options need parentheses: write `#[provided(crate = ::exo_rails)]`"),
        ("struct Caller<T>(T);", "a provided value cannot have generic parameters"),
    ] {
        let expansion = super::provided(tokens(item));
        let messages = messages(&expansion);
        assert!(messages.len() == 1 && messages[0].starts_with(message), "{item} says {messages:#?}");
        assert!(mentions(&expansion, "DerivedProvided"), "{item}");
    }
}
