//! Two modules have a rail of the same name. A parent module re-exports them under other names, and a chain lists these names.

use exo_rails::prelude::*;
use exo_rails::testing;

mod rails {
    mod money {
        use exo_rails::prelude::*;

        #[rail(priority = 10, on = [PreToolCall], tool = "pay", name = "money_limit")]
        pub fn limit(call: &ToolCallInputs) -> RailAction {
            match call.arguments["euros"].as_f64() {
                Some(euros) if euros <= 50.0 => RailAction::Continue,
                _ => RailAction::skip("the club pays up to 50 euros"),
            }
        }
    }

    mod mail {
        use exo_rails::prelude::*;

        #[rail(priority = 20, on = [PreToolCall], tool = "send_mail", name = "mail_limit")]
        pub fn limit(call: &ToolCallInputs) -> Verdict {
            let receivers = call.arguments["to"].as_array().map_or(0, Vec::len);
            Verdict::abort_if(receivers > 100, format!("{receivers} receivers are spam"))
        }
    }

    pub use mail::limit as mail_limit;
    pub use money::limit as money_limit;
}

use rails::{mail_limit, money_limit};

rail_chain! {
    struct ClubRails { mail_limit, money_limit }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() {
    testing::assert_order(&ClubRails, HookPoint::PreToolCall, ["money_limit", "mail_limit"]);
    let pay = ToolCallInputs::new("pay").with_arguments(serde_json::json!({ "euros": 80 }));
    assert_eq!(money_limit(&pay), RailAction::skip("the club pays up to 50 euros"));
    testing::at::<PreToolCall>(&ClubRails, pay).await.assert_skipped("up to 50 euros").assert_by("money_limit");
    testing::at::<PreToolCall>(&ClubRails, ToolCallInputs::new("send_mail")).await.assert_continued();
}
