//! A rail in shadow decides on a copy of the payload, so the payload must be `Clone`.

use exo_rails::InMode;
use exo_rails::prelude::*;

#[derive(Debug)]
struct Documents(Vec<String>);

#[derive(Event)]
#[event(payload = &mut Documents, allows = "abort")]
struct DocumentsFound;

#[rail(on = [DocumentsFound])]
fn no_drafts(documents: &mut Documents) {
    documents.0.retain(|document| !document.starts_with("DRAFT"));
}

rail_chain! {
    #[chain(events = [DocumentsFound])]
    struct Listed { no_drafts: InMode<no_drafts> }
}

rail_chain! {
    #[chain(events = [DocumentsFound])]
    struct Plain { no_drafts }
}

async fn in_shadow(documents: &mut Documents, ctx: &mut RunContext) {
    let _ = Plain.shadow().dispatch::<DocumentsFound>(documents, ctx).await;
}

fn main() {}
