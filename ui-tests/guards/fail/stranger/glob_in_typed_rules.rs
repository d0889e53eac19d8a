//! The message should say: a rule of the macro names the tools of the set, and a glob such as `send_*` does not: write
//! `never send_mail or send_letter after read_mail`.
use exo_rails::prelude::*;
use exo_rails::tools;
use exo_rails_guards::sequence::{Sequence, SequenceRule, sequence_rules};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Reads a mail.
#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "read_mail", schema = json!({ "type": "object" }))]
struct ReadMail {}

/// Sends a mail.
#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "send_mail", schema = json!({ "type": "object" }))]
struct SendMail {
    to: String,
}

/// Sends a letter.
#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "send_letter", schema = json!({ "type": "object" }))]
struct SendLetter {
    address: String,
}

tools! {
    pub struct OfficeTools { read_mail: ReadMail, send_mail: SendMail, send_letter: SendLetter }
}

fn rules() -> Vec<SequenceRule> {
    let rules = sequence_rules! {
        tools = OfficeTools;
        never send_* after read_mail; // <- here
    };
    rules.into()
}

fn main() -> Result<(), exo_rails_guards::ConfigError> {
    let sequence: Sequence = Sequence::builder().rules(rules()).build()?;
    println!("{sequence:?} for {:?}", OfficeTools::NAMES);
    Ok(())
}
