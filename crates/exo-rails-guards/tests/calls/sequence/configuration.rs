//! The guard in the kit.

use exo_rails::Mode;
use exo_rails_guards::Kit;

#[test]
fn the_kit_reads_the_table_sequence() {
    let kit = Kit::from_toml("[sequence]\nmode = 'shadow'\nrules = ['refund only after approve']").unwrap();
    assert_eq!(kit.sequence.map(|sequence| sequence.mode()), Some(Mode::Shadow));
}

#[test]
fn unknown_tools_in_rules_are_refused_with_the_nearest_name() {
    let builder = Kit::builder().known_tools(["refund", "approve", "send_mail"]);
    builder.from_toml("[sequence]\nrules = ['refund only after approve', 'never send_* after approve']").unwrap();
    for (rules, message) in [
        ("'refnd only after approve'", "`rules[0]`: unknown tool `refnd`: did you mean `refund`?"),
        (
            "'at most 1 refund', 'refund only after aprove'",
            "`rules[1]`: unknown tool `aprove`: did you mean `approve`?",
        ),
        (
            "'never refund after approve unless send_mial in between'",
            "`rules[0]`: unknown tool `send_mial`: did you mean `send_mail`?",
        ),
        (
            "'sum of amount in payout at most 5'",
            "`rules[0]`: unknown tool `payout`: write one of `refund`, `approve`, `send_mail`",
        ),
    ] {
        let error = builder.from_toml(&format!("[sequence]\nrules = [{rules}]")).unwrap_err().to_string();
        let column = if message.starts_with("`rules[1]`") { 30 } else { 10 };
        assert_eq!(error, format!("line 2, column {column}: `sequence`: {message}"));
    }
    let error = builder.from_toml("[sequence]\nrules = ['refund only afer approve']").unwrap_err().to_string();
    assert_eq!(
        error,
        "line 2, column 10: write `after` and a tool here, as in `refund only after approve` (character 13 of the rule)",
    );
}
