//! A rail that asks a list of boxed trait objects and a list of boxed closures.

use exo_rails::prelude::*;
use exo_rails::testing;

trait Policy: Send + Sync {
    fn objection(&self, call: &ToolCallInputs) -> Option<String>;
}

struct NoFridays(bool);

impl Policy for NoFridays {
    fn objection(&self, call: &ToolCallInputs) -> Option<String> {
        (self.0 && call.tool_name == "deploy").then(|| "not on a Friday".to_owned())
    }
}

type Check = Box<dyn Fn(&ToolCallInputs) -> Option<String> + Send + Sync>;

struct Policies {
    policies: Vec<Box<dyn Policy>>,
    checks: Vec<Check>,
}

#[rail(priority = 10)]
impl Policies {
    #[on(PreToolCall)]
    async fn ask_each(&self, call: &ToolCallInputs) -> RailAction {
        let mut objections = self.policies.iter().filter_map(|policy| policy.objection(call));
        let objection = objections.next().or_else(|| self.checks.iter().find_map(|check| check(call)));
        objection.map_or(RailAction::Continue, RailAction::skip)
    }
}

rail_chain! {
    struct DeployRails { policies: Policies }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() {
    let protected = vec!["production".to_owned()];
    let check: Check = Box::new(move |call| {
        let target = call.str_argument("target")?;
        protected.iter().any(|name| name == target).then(|| format!("{target} is protected"))
    });
    let policies = Policies { policies: vec![Box::new(NoFridays(false))], checks: vec![check] };
    let call = ToolCallInputs::new("deploy").with_arguments(serde_json::json!({ "target": "production" }));
    let deploy = testing::at::<PreToolCall>(&DeployRails { policies }, call).await;
    deploy.assert_skipped("production is protected");
}
