//! What it shows: an own `Ask` with a channel and a time limit, used by two guards of one chain through the same `Asker`.
use std::time::Duration;

use exo_rails::Reason;
use exo_rails::prelude::*;
use exo_rails_guards::approval::{Answer, ApprovalRequest, Ask, AskError, Asker, Reply};
use exo_rails_guards::permissions::{PermissionRule, Permissions, Source};
use exo_rails_guards::{Approval, config};
use tokio::sync::{mpsc, oneshot};

type Letter = (String, oneshot::Sender<Reply>);

#[derive(Debug)]
struct Mailbox(mpsc::Sender<Letter>);

impl Ask for Mailbox {
    async fn ask(&self, request: &ApprovalRequest, _: &mut RailContext) -> Result<Answer, AskError> {
        let (sender, reply) = oneshot::channel();
        let sent = self.0.send((request.tool_name.clone(), sender)).await;
        sent.map_err(|_| AskError::Failed("the office is closed".into()))?;
        Ok(match tokio::time::timeout(Duration::from_millis(50), reply).await {
            Ok(Ok(reply)) => Answer::Now(reply),
            Ok(Err(_)) | Err(_) => Answer::Nobody(Reason::new("the office does not answer")),
        })
    }
}

rail_chain! {
    struct CityRails { permissions: Permissions, approval: Approval }
}

fn rails(asker: Asker) -> Result<CityRails, exo_rails_guards::ConfigError> {
    let permissions = Permissions::builder()
        .rule(Source::Global, PermissionRule::ask("close_road").because("roads matter"))
        .rule(Source::Global, PermissionRule::allow("plant_*"))
        .asker(asker.clone())
        .build()?;
    let approval = Approval::new(config::from_toml("[[rules]]\ntool = 'plant_tree'\nbecause = 'trees are expensive'")?)?;
    Ok(CityRails { permissions, approval: approval.with_asker(asker) })
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (sender, mut letters) = mpsc::channel::<Letter>(8);
    let office = tokio::spawn(async move {
        let mut opened = Vec::new();
        while let Some((tool, reply)) = letters.recv().await {
            if tool == "plant_tree" {
                let _ = reply.send(Reply::ApproveOnce);
            }
            opened.push(tool);
        }
        opened
    });
    let rails = rails(Mailbox(sender).into())?;
    let mut ctx = RunContext::new("city");
    let work = |call: Permit<ToolCallInputs>| async move { Ok::<_, OperationError>(format!("{} is done", call.tool_name)) };
    let output = rails.guard_tool_call(ToolCallInputs::new("plant_tree"), &mut ctx, work).await?;
    assert_eq!(output.content, "plant_tree is done");
    let output = rails.guard_tool_call(ToolCallInputs::new("close_road"), &mut ctx, work).await?;
    assert!(output.content.contains("the office does not answer"), "{}", output.content);
    drop(rails);
    assert_eq!(office.await?, ["plant_tree", "close_road"]);
    Ok(())
}
