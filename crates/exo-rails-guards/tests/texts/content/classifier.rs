use std::sync::{Arc, Mutex};
use std::time::Duration;

use exo_rails::prelude::*;
use exo_rails::{MemoryQuery, RecalledMemory};
use exo_rails_guards::Injection;
use exo_rails_guards::injection::{
    Classifier, ClassifierConfig, ClassifierError, ClassifierFailMode, ScoreFuture, Source, Suspect,
};

use crate::content::rules;

rail_chain! { struct Guards { injection: Injection } }

/// Scores by the words of a text, and notes what it was asked.
#[derive(Clone, Debug, Default)]
struct Words(Arc<Mutex<Vec<Asked>>>);

/// A text, its source and its tool.
type Asked = (String, Source, Option<String>);

impl Classifier for Words {
    fn score<'a>(&'a self, suspect: Suspect<'a>) -> ScoreFuture<'a> {
        let asked = (suspect.text.to_owned(), suspect.source, suspect.tool.map(str::to_owned));
        self.0.lock().unwrap().push(asked);
        Box::pin(async move {
            match suspect.text {
                "slow" => {
                    tokio::time::sleep(Duration::from_mins(1)).await;
                    Ok(0.0)
                }
                "broken" => Err(ClassifierError::NoScore),
                "odd" => Ok(f64::NAN),
                text => Ok(if text.contains("attack") { 0.75 } else { 0.25 }),
            }
        })
    }
}

fn guards(config: ClassifierConfig) -> (Guards, Words) {
    let words = Words::default();
    let injection = Injection::builder().enforce_from(Some(exo_rails_guards::Severity::High)).classifier(Some(config));
    (Guards { injection: injection.build().unwrap().with_classifier(words.clone()) }, words)
}

async fn output(guards: &Guards, content: &str) -> (Result<String, String>, Vec<String>) {
    let mut ctx = RunContext::new("test");
    let tool = async |_| Ok::<_, OperationError>(ToolOutput::text(content));
    let output = guards.guard_tool_call(ToolCallInputs::new("fetch"), &mut ctx, tool).await;
    (output.map(|output| output.content).map_err(|error| error.to_string()), rules(&ctx))
}

#[tokio::test(start_paused = true)]
async fn a_score_at_or_above_the_threshold_is_a_finding() {
    let (guards, words) = guards(ClassifierConfig { threshold: 0.75, max_bytes: 12, ..ClassifierConfig::default() });
    let (read, findings) = output(&guards, "an attack, but a long one").await;
    let message = "the output is withheld: injection/classifier: a classifier regards the text as an injection, with the score 0.75";
    assert_eq!((read.as_deref(), findings), (Ok(message), vec!["injection/classifier high".to_owned()]));
    assert_eq!(output(&guards, "honest").await, (Ok("honest".to_owned()), vec![]));
    let mut memory = RecalledMemory::from(vec!["attack", "tea"]);
    let (query, mut ctx) = (MemoryQuery::new("", 3), RunContext::new("test"));
    let _ = guards.dispatch::<MemoryRecalled>((&query, &mut memory), &mut ctx).await.unwrap();
    assert_eq!(memory.items.len(), 1);
    let asked = words.0.lock().unwrap();
    assert_eq!(asked[0], ("an attack, b".to_owned(), Source::Outputs, Some("fetch".to_owned())));
    assert_eq!(asked[2], ("attack".to_owned(), Source::Memory, None));
}

#[tokio::test(start_paused = true)]
async fn a_failure_ends_the_run_unless_the_guard_is_open() {
    let (closed, _) = guards(ClassifierConfig::default());
    let (open, _) = guards(ClassifierConfig { fail_mode: ClassifierFailMode::Open, ..ClassifierConfig::default() });
    let table = [
        ("slow", "the classifier did not answer in 2000 ms"),
        ("broken", "the answer of the classifier is not a score from 0 to 1"),
        ("odd", "the answer of the classifier is not a score from 0 to 1"),
    ];
    for (text, message) in table {
        let error = output(&closed, text).await.0.unwrap_err();
        assert!(error.contains(message), "{error}");
        assert_eq!(output(&open, text).await, (Ok(text.to_owned()), vec!["injection/classifier_fault low".to_owned()]));
    }
}

#[test]
fn mistakes_in_the_configuration_are_refused_with_advice() {
    let error = |text: &str| exo_rails_guards::Kit::from_toml(text).unwrap_err().message;
    assert_eq!(
        error("[injection.classifier]\nthreshold = 0.0"),
        "`injection`: `classifier.threshold`: write a number from 0 to 1, but not 0"
    );
    assert_eq!(
        error("[injection.classifier]\ntimeout_ms = 0"),
        "`injection`: `classifier.timeout_ms`: 0 is not possible: write at least 1"
    );
    #[cfg(not(feature = "http"))]
    assert_eq!(
        error("[injection.classifier]\nurl = 'http://localhost'"),
        "`injection`: `classifier.url`: a URL needs the feature `http` of `exo-rails-guards`"
    );
}

#[cfg(feature = "agent")]
#[tokio::test]
async fn a_model_classifies() {
    use exo_rails_agent::ScriptedModel;
    use exo_rails_guards::injection::ModelClassifier;

    let judge: ScriptedModel = r#"[
        { "say": "```json\n{\"score\": 0.9}\n```" },
        { "say": "{\"score\": 0.1}" },
        { "say": "It is fine." }
    ]"#
    .parse()
    .unwrap();
    let injection = Injection::builder().enforce_from(Some(exo_rails_guards::Severity::High)).build().unwrap();
    let guards = Guards { injection: injection.with_classifier(ModelClassifier::new(judge)) };
    assert!(output(&guards, "one").await.0.unwrap().contains("with the score 0.90"));
    assert_eq!(output(&guards, "two").await.0.as_deref(), Ok("two"));
    assert!(output(&guards, "three").await.0.unwrap_err().contains("not a score"));
}

#[cfg(feature = "http")]
#[tokio::test]
async fn a_server_classifies() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/score", listener.local_addr().unwrap());
    let server = tokio::spawn(async move {
        let mut requests = Vec::new();
        for answer in ["{\"score\": 0.9}", "{\"score\": 2}"] {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = vec![0; 4096];
            let mut length = 0;
            while !String::from_utf8_lossy(&request[..length]).contains('}') {
                length += stream.read(&mut request[length..]).await.unwrap();
            }
            requests.push(String::from_utf8_lossy(&request[..length]).into_owned());
            let answer =
                format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{answer}", answer.len());
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
        requests
    });
    let (guards, _) = guards(ClassifierConfig::default());
    drop(guards);
    let config = ClassifierConfig { url: Some(url), ..ClassifierConfig::default() };
    let injection = Injection::builder().enforce_from(Some(exo_rails_guards::Severity::High)).classifier(Some(config));
    let guards = Guards { injection: injection.build().unwrap() };
    assert!(output(&guards, "one").await.0.unwrap().contains("with the score 0.90"));
    assert!(output(&guards, "two").await.0.unwrap_err().contains("not a score"));
    let requests = server.await.unwrap();
    assert!(requests[0].ends_with(r#"{"source":"outputs","text":"one","tool":"fetch"}"#), "{}", requests[0]);
}

/// A server that sends interim responses without end: see `tests/calls/floods.rs`.
#[cfg(feature = "http")]
#[tokio::test]
async fn a_classifier_that_floods_holds_no_thread_of_the_caller() {
    use std::io::{Read, Write};
    use std::sync::atomic::{AtomicUsize, Ordering};

    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/score", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let (mut client, _) = listener.accept().unwrap();
        let _ = client.read(&mut vec![0; 64 * 1024]);
        let interim = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n".repeat(1_000);
        let started = std::time::Instant::now();
        while started.elapsed() < Duration::from_secs(40) && client.write_all(interim.as_bytes()).is_ok() {}
    });
    let turns = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&turns);
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(Duration::from_millis(1)).await;
            counted.fetch_add(1, Ordering::Relaxed);
        }
    });
    let config = ClassifierConfig { url: Some(url), timeout_ms: 1_000, ..ClassifierConfig::default() };
    let injection = Injection::builder().enforce_from(Some(exo_rails_guards::Severity::High)).classifier(Some(config));
    let guards = Guards { injection: injection.build().unwrap() };
    let _ = output(&guards, "one").await;
    let turns = turns.load(Ordering::Relaxed);
    assert!(turns > 20, "another task has run {turns} times in a second");
}
