use proc_macro2::TokenStream;

use crate::testing::{assert_says, golden, mentions, tokens};

fn expand(input: &str) -> TokenStream {
    super::sequence_rules(tokens(input))
}

/// Checks each row: the rules after the set, and the beginning of each message.
fn check(table: &[(&str, &[&str])]) {
    assert_says(|rules| expand(&format!("tools = Tools; {rules}")), table);
}

#[test]
fn valid_rules_are_accepted() {
    for rules in [
        "refund only after approve",
        "refund only after approve within 1h same order_id;",
        "never send_mail after read_web or read_file unless review in between per session; at most 3 refund within 1d;",
        "/// Why.\n/// Really.\nlarge: sum of euros in refund at most 99.90 within 1_0d per user;",
        "r#after only after r#of same r#in as r#type; type only after x;",
        "sum of price.euros in refund at most 5 same order.r#type.id and x; a only after b same order.id as id;",
        "at most 1 failed login; first: at most 1 login; second: at most 1 login",
    ] {
        check(&[(rules, &[])]);
    }
}

#[test]
fn rules_begin_with_the_set_of_tools() {
    let begin = "begin with the set of tools: `sequence_rules! { tools = MyTools; refund only after approve; }`";
    assert_says(
        expand,
        &[
            ("", &[begin]),
            ("refund only after approve", &[begin]),
            ("tools: Tools", &[begin]),
            ("tools = Tools refund only after approve", &["write `;` after the set of tools"]),
            ("tools = Tools", &["there are no rules: write one after the set, such as `refund only after approve;`"]),
            ("tools = Tools; ;", &["the rule is empty: write a rule such as `refund only after approve`"]),
        ],
    );
}

#[test]
fn each_mistake_has_its_message() {
    check(&[
        ("refund after approve", &["write `only after`: `refund only after …`"]),
        ("at most 3 a within 30", &["`30` has no unit: write `30s`, `30m`, `30h` or `30d`"]),
        ("at most 3 a within 30; nevr a after b;", &["`30` has no unit", "`nevr` is not a word of a rule"]),
        ("at most 3 a wihtin 1h", &["`wihtin` is not a word of a rule: did you mean `within`?"]),
        ("a only after a", &["`a` can never run, because it needs an earlier call of `a`"]),
        ("a only after b; b only after a", &["`a` can never run, because `b` must come before it"]),
        ("a before b", &["turn the rule around: write `b only after a`"]),
        ("call(a) only after b", &["write what the rule says about `call`"]),
        ("\"a\" only after b", &["`\"a\"` is not a tool of the set: write the name of its field, such as `refund`"]),
        ("\"at most 3 a\"; at most 1 b", &["a rule has no quotes here: write `at most 3 a`"]),
        ("at most 1 b; \"at most 3 a\"", &["a rule has no quotes here: write `at most 3 a`"]),
        ("at most 3 a never b after c", &["the rule ends here: write `;` before `never`"]),
        ("at most 1 a same b.", &["`.` is not a word of a rule"]),
        ("at most 1 a same b.0", &["`.` is not a word of a rule"]),
        ("at most 1 a.b same c", &["`a.b` is not a tool of the set: write the name of its field, such as `refund`"]),
        ("at most 1 a same b.self", &["`b.self` is not a field of the arguments: write its name, such as `order_id`"]),
        ("at most 1 a same 5", &["`5` is not a field of the arguments: write its name, such as `order_id`"]),
        ("self only after b", &["`self` is not a tool of the set"]),
        ("#[name = \"x\"] at most 1 a", &["a rule has no attributes: write its reason as a doc comment"]),
        (
            "x: at most 1 a; x: at most 2 a",
            &["`x` is there twice: remove one, or give it another name, as in `name: at"],
        ),
        ("at most 1 a; at most 1 a", &["`at most 1 a` is there twice"]),
    ]);
}

#[test]
fn the_expansion_uses_the_given_path_of_the_library() {
    let rules = expand("crate = my::guards; tools = Tools; a only after b same c; sum of x in a at most 1;");
    assert!(!mentions(&rules, "exo_rails_guards"), "{rules}");
}

#[test]
fn rules_expand_to_the_recorded_code() {
    let rules = expand(
        "tools = shop::OrderTools;
        refund or payout only after approve within 1h same order_id as id;
        /// A person pays more.
        large: sum of euros in refund at most 500 within 1d per user;
        sum of price.euros in refund at most 500 same order.id;",
    );
    golden("sequence_rules.rs", quote::quote!(fn rules() -> [SequenceRule; 3] #rules));
}
