//! HTTP clients for checked URLs.

use std::io;
use std::sync::Arc;

use reqwest::dns::{Name, Resolve, Resolving};
use reqwest::header::LOCATION;
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, Response};

use super::{PinnedUrl, UrlRefusal};
use crate::http_thread::HttpThread;

/// The largest number of redirects. The WHATWG Fetch standard allows 20, and `curl` 50: tools need fewer.
const REDIRECTS: usize = 10;

/// The thread of all connections of [`PinnedUrl::get`]. A response may outlive the client, so this thread does not end.
static THREAD: HttpThread = HttpThread::new();

/// The reason why a URL could not be fetched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// The guard refuses the target of a redirect.
    #[error("the server redirects to a URL that is refused: {0}")]
    Redirect(#[from] UrlRefusal),
    /// There are more redirects than the client follows.
    #[error("the server redirects more than {REDIRECTS} times")]
    TooManyRedirects,
    /// The thread of the connections cannot be started.
    #[error("the thread of the HTTP connections cannot be started: {0}")]
    Thread(#[source] io::Error),
    /// The connection or the server failed.
    #[error(transparent)]
    Http(#[from] reqwest::Error),
}

impl PinnedUrl {
    /// Returns the builder of a client that connects to the checked addresses only.
    ///
    /// The client uses no proxy and follows no redirects, because both would lead to addresses that nobody has checked. For
    /// other hosts, it finds no address. Pass the target of a redirect to [`redirect`](PinnedUrl::redirect), and build a new
    /// client for the result.
    ///
    /// TLS is off unless your program enables it as a feature of `reqwest`.
    ///
    /// The connections of the client are tasks of your runtime. A server that sends interim responses (1xx) as fast as it can
    /// holds a thread of the runtime for seconds. [`get`](Self::get) has a thread for its connections.
    pub fn client(&self) -> ClientBuilder {
        let host = self.url().host_str().unwrap_or_default();
        Client::builder()
            .no_proxy()
            .redirect(Policy::none())
            .dns_resolver(Arc::new(NoOtherHosts))
            .resolve_to_addrs(host, self.addresses())
    }

    /// Fetches the URL with `GET`. It follows redirects after checking each of them, with resolution.
    ///
    /// `configure` changes each client before it connects, for example to set a time limit or a user agent. Headers that it
    /// sets also reach the targets of redirects, so do not set credentials there.
    ///
    /// ```no_run
    /// use std::time::Duration;
    ///
    /// use exo_rails_guards::urls::UrlGuard;
    ///
    /// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
    /// let urls = UrlGuard::builder().build()?;
    /// let page = urls.check_url("http://example.com/").await?;
    /// let response = page.get(|client| client.timeout(Duration::from_secs(10))).await?;
    /// println!("{}", response.text().await?);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Returns an error if the connection fails, if the guard refuses a redirect, or after 10 redirects.
    pub async fn get(&self, configure: impl Fn(ClientBuilder) -> ClientBuilder) -> Result<Response, FetchError> {
        let mut url = self.clone();
        let thread = THREAD.running().map_err(FetchError::Thread)?;
        for _ in 0..=REDIRECTS {
            let request = configure(url.client()).build()?.get(url.url().clone());
            let response = thread.connect(async { request.send().await }).await?;
            // A location that is not ASCII is still a location.
            let location =
                response.headers().get(LOCATION).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
            match location.filter(|_| matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308)) {
                Some(location) => url = url.redirect(&location).await?,
                None => return Ok(response),
            }
        }
        Err(FetchError::TooManyRedirects)
    }
}

/// A resolver without answers, for hosts that nobody has checked.
struct NoOtherHosts;

impl Resolve for NoOtherHosts {
    fn resolve(&self, _: Name) -> Resolving {
        Box::pin(async { Err(io::Error::other("the guard has not checked this host").into()) })
    }
}
