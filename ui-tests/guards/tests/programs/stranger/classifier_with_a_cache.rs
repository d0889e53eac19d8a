//! What it shows: an own classifier with a cache behind a `Mutex`, whose findings the program reads after a call.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use exo_rails::prelude::*;
use exo_rails_guards::injection::{Classifier, ClassifierError, ScoreFuture, Suspect};
use exo_rails_guards::{Findings, Injection, config};

/// Suspects texts with many exclamation marks.
#[derive(Debug, Default)]
struct Loudness {
    known: Mutex<HashMap<String, f64>>,
}

impl Loudness {
    async fn measure(&self, text: &str) -> Result<f64, ClassifierError> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(text).copied();
        if let Some(score) = known {
            return Ok(score);
        }
        tokio::task::yield_now().await; // asks a server
        let marks = u32::try_from(text.matches('!').count()).map_err(|error| ClassifierError::Failed(error.into()))?;
        let score = (f64::from(marks) / 4.0).min(1.0);
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(text.to_owned(), score);
        Ok(score)
    }
}

/// Lets the program keep the classifier.
#[derive(Debug, Clone)]
struct Shared(Arc<Loudness>);

impl Classifier for Shared {
    fn score<'a>(&'a self, suspect: Suspect<'a>) -> ScoreFuture<'a> {
        Box::pin(self.0.measure(suspect.text))
    }
}

rail_chain! {
    struct ReaderRails { injection: Injection }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let loudness = Shared(Arc::default());
    let injection = Injection::new(config::from_toml("[classifier]\nthreshold = 0.7\nseverity = 'low'")?)?;
    let rails = ReaderRails { injection: injection.with_classifier(loudness.clone()) };
    let mut ctx = RunContext::new("reader");
    for (page, is_suspect) in [("Open on Monday.", false), ("Buy! Buy! Buy!!!", true), ("Buy! Buy! Buy!!!", true)] {
        let fetch = |_: Permit<ToolCallInputs>| async move { Ok::<_, OperationError>(page) };
        let output = rails.guard_tool_call(ToolCallInputs::new("fetch"), &mut ctx, fetch).await?;
        assert_eq!(output.content, page);
        let findings = ctx.extra.get::<Findings>().cloned().unwrap_or_default();
        assert_eq!(findings.0.iter().any(|finding| finding.rule == "classifier"), is_suspect);
    }
    assert_eq!(loudness.0.known.lock().unwrap_or_else(PoisonError::into_inner).len(), 2);
    Ok(())
}
