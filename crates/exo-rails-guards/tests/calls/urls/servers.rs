//! Real servers on the loopback interface: where does a client connect?

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use exo_rails::prelude::*;
use exo_rails_guards::UrlGuard;
use exo_rails_guards::urls::{FetchError, PinnedUrls, UrlRule::*};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::urls::Prepared;

/// A server that gives each request the same answer, and counts the requests.
struct Server {
    address: SocketAddr,
    requests: Arc<AtomicUsize>,
}

impl Server {
    async fn start(ip: &str, answer: impl Fn(SocketAddr) -> String) -> Self {
        let listener = TcpListener::bind((ip, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let (requests, answer) = (Arc::new(AtomicUsize::new(0)), answer(address));
        let count = Arc::clone(&requests);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::Relaxed);
                let mut request = [0; 4096];
                drop(stream.read(&mut request).await);
                drop(stream.write_all(answer.as_bytes()).await);
            }
        });
        Self { address, requests }
    }

    async fn with_page(ip: &str, page: &'static str) -> Self {
        Self::start(ip, |_| {
            format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{page}", page.len())
        })
        .await
    }

    async fn redirecting(ip: &str, to: impl Fn(SocketAddr) -> String) -> Self {
        Self::start(ip, |own| {
            format!("HTTP/1.1 302 Found\r\nLocation: {}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", to(own))
        })
        .await
    }

    fn requests(&self) -> usize {
        self.requests.load(Ordering::Relaxed)
    }
}

/// A guard for which 127.0.0.1 is public, and nothing else on the loopback interface.
fn guard(resolver: Prepared) -> UrlGuard {
    UrlGuard::builder().resolver(resolver).allow_networks(["127.0.0.1/32".parse().unwrap()]).build().unwrap()
}

#[tokio::test]
async fn a_redirect_to_a_private_address_is_not_followed() {
    let private = Server::with_page("127.0.0.2", "secret").await;
    let to = format!("http://{}/", private.address);
    let public = Server::redirecting("127.0.0.1", |_| to.clone()).await;
    let guard = guard(Prepared::default());
    let page = guard.check_url(&format!("http://{}/", public.address)).await.unwrap();
    match page.get(|client| client).await {
        Err(FetchError::Redirect(refusal)) => assert_eq!(refusal.rule(), SpecialAddress),
        other => panic!("{other:?}"),
    }
    assert_eq!((public.requests(), private.requests()), (1, 0));

    // A client alone follows no redirect.
    let response = page.client().build().unwrap().get(page.url().clone()).send().await.unwrap();
    assert_eq!((response.status().as_u16(), private.requests()), (302, 0));
}

#[tokio::test]
async fn a_redirect_to_a_name_with_a_private_address_is_not_followed() {
    let private = Server::with_page("127.0.0.2", "secret").await;
    let to = format!("http://evil.com:{}/", private.address.port());
    let public = Server::redirecting("127.0.0.1", |_| to.clone()).await;
    let guard = guard(Prepared::default().with("evil.com", &[&["127.0.0.2"]]));
    let page = guard.check_url(&format!("http://{}/", public.address)).await.unwrap();
    assert!(matches!(page.get(|client| client).await, Err(FetchError::Redirect(_))));
    assert_eq!(private.requests(), 0);
}

#[tokio::test]
async fn a_redirect_to_a_checked_address_is_followed() {
    let target = Server::with_page("127.0.0.1", "found").await;
    let to = format!("http://second.com:{}/page", target.address.port());
    let first = Server::redirecting("127.0.0.1", |_| to.clone()).await;
    let guard = guard(Prepared::default().with("first.com", &[&["127.0.0.1"]]).with("second.com", &[&["127.0.0.1"]]));
    let page = guard.check_url(&format!("http://first.com:{}/", first.address.port())).await.unwrap();
    let response = page.get(|client| client.user_agent("test")).await.unwrap();
    assert_eq!(response.url().host_str(), Some("second.com"));
    assert_eq!(response.text().await.unwrap(), "found");
}

#[tokio::test]
async fn endless_redirects_end() {
    let server = Server::redirecting("127.0.0.1", |own| format!("http://{own}/again")).await;
    let page = guard(Prepared::default()).check_url(&format!("http://{}/", server.address)).await.unwrap();
    assert!(matches!(page.get(|client| client).await, Err(FetchError::TooManyRedirects)));
    assert_eq!(server.requests(), 11);
}

#[tokio::test]
async fn a_host_that_changes_its_address_does_not_move_the_connection() {
    let (public, private) =
        (Server::with_page("127.0.0.1", "public").await, Server::with_page("127.0.0.2", "secret").await);
    let resolver = Prepared::default().with("rebind.com", &[&["127.0.0.1"], &["127.0.0.2"]]);
    let guard = guard(resolver.clone());
    let url = format!("http://rebind.com:{}/", public.address.port());

    rail_chain! {
        struct Rails { urls: UrlGuard }
    }
    let rails = Rails { urls: guard };
    let fetch = async |call: Permit<ToolCallInputs>| {
        let url = call.provided::<PinnedUrls>().and_then(|urls| urls.at("/url")).ok_or("no URL")?;
        let response = url.get(|client| client).await.map_err(|error| error.to_string())?;
        Ok::<_, OperationError>(ToolOutput::text(response.text().await.map_err(|error| error.to_string())?))
    };
    let mut ctx = RunContext::new("test");
    let call = ToolCallInputs::new("fetch").with_arguments(json!({ "url": url }));
    let output = rails.guard_tool_call(call.clone(), &mut ctx, fetch).await.unwrap();
    assert_eq!((output.content.as_str(), resolver.asked()), ("public", 1), "the client does not resolve again");
    let output = rails.guard_tool_call(call, &mut ctx, fetch).await.unwrap();
    assert!(output.content.contains("urls/special-address"), "{}", output.content);
    assert_eq!((public.requests(), private.requests()), (1, 0));
}

#[tokio::test]
async fn a_client_reaches_only_its_checked_host() {
    let server = Server::with_page("127.0.0.1", "public").await;
    let page =
        guard(Prepared::default().with("one.com", &[&["127.0.0.1"]])).check_url("http://one.com/").await.unwrap();
    let client = page.client().build().unwrap();
    for host in ["localhost", "two.com"] {
        let url = format!("http://{host}:{}/", server.address.port());
        assert!(client.get(url).send().await.is_err(), "{host}");
    }
    assert_eq!(server.requests(), 0);
}
