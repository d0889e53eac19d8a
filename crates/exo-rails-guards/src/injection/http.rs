//! A classifier behind HTTP.

use exo_rails_policy::ConfigError;
use reqwest::{Client, Url, redirect};
use serde::Deserialize;
use serde_json::json;
use tokio::task::coop::consume_budget;

use super::{Classifier, ClassifierError, ScoreFuture, Suspect};
use crate::http_thread::HttpThread;

/// The longest answer, in bytes.
const MOST: usize = 1 << 16;

/// Asks a server for the score of a text.
///
/// It posts JSON such as `{"text": "…", "source": "outputs", "tool": "fetch"}`, and reads JSON with the field `score`, a number from
/// 0 to 1. It does not follow redirections.
#[derive(Debug)]
pub struct HttpClassifier {
    client: Client,
    thread: HttpThread,
    url: Url,
}

#[derive(Deserialize)]
struct Answer {
    score: f64,
}

impl HttpClassifier {
    /// Makes a classifier.
    ///
    /// # Errors
    /// Returns an error if the text is not a URL of HTTP, or needs TLS without the feature `https`.
    pub fn new(url: &str) -> Result<Self, ConfigError> {
        let url = Url::parse(url).map_err(|error| ConfigError::new(format!("this is not a URL: {error}")))?;
        match url.scheme() {
            "http" => {}
            "https" if cfg!(feature = "https") => {}
            "https" => return Err(ConfigError::new("TLS needs the feature `https` of `exo-rails-guards`")),
            _ => return Err(ConfigError::new("the URL must begin with `http://` or `https://`")),
        }
        let mut client = Client::builder().redirect(redirect::Policy::none());
        if matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]")) {
            client = client.no_proxy();
        }
        let client = client.build().map_err(|error| ConfigError::new(error.without_url().to_string()))?;
        Ok(Self { client, thread: HttpThread::new(), url })
    }
}

impl Classifier for HttpClassifier {
    fn score<'a>(&'a self, Suspect { text, source, tool }: Suspect<'a>) -> ScoreFuture<'a> {
        let body = json!({ "text": text, "source": source, "tool": tool }).to_string();
        Box::pin(async move {
            // The URL may have a token, so no error shows it.
            let failed = |error: reqwest::Error| ClassifierError::Failed(error.without_url().into());
            let request = self.client.post(self.url.clone()).header("content-type", "application/json").body(body);
            let thread = self.thread.running().map_err(|error| ClassifierError::Failed(error.into()))?;
            let response = thread.connect(async { request.send().await }).await;
            let response = response.and_then(reqwest::Response::error_for_status);
            let mut response = response.map_err(failed)?;
            let mut answer = Vec::new();
            while let Some(chunk) = response.chunk().await.map_err(failed)? {
                // The chunks may always be ready, and a time limit acts only if the task waits.
                consume_budget().await;
                answer.extend_from_slice(&chunk);
                if answer.len() > MOST {
                    return Err(ClassifierError::NoScore);
                }
            }
            let answer: Answer = serde_json::from_slice(&answer).map_err(|_| ClassifierError::NoScore)?;
            Ok(answer.score)
        })
    }
}
