//! Two HTTP servers on the loopback: the shop's own one, and an internal one that no agent should reach.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::routing::get;
use tokio::net::TcpListener;

use crate::Result;

/// The servers. They count the requests that reach them, and end with the program.
pub(crate) struct Servers {
    pub(crate) shop: Server,
    pub(crate) internal: Server,
}

pub(crate) struct Server {
    pub(crate) port: u16,
    requests: Arc<AtomicUsize>,
}

impl Servers {
    pub(crate) async fn start() -> Result<Self> {
        Ok(Self { shop: Server::start("prices").await?, internal: Server::start("credentials").await? })
    }

    pub(crate) fn forget_requests(&self) {
        for server in [&self.shop, &self.internal] {
            server.requests.store(0, Ordering::Relaxed);
        }
    }
}

impl Server {
    async fn start(text: &'static str) -> Result<Self> {
        let requests = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&requests);
        let answer = move || {
            counter.fetch_add(1, Ordering::Relaxed);
            std::future::ready(text)
        };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let port = listener.local_addr()?.port();
        let router = Router::new().fallback(get(answer));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Ok(Self { port, requests })
    }

    pub(crate) fn requests(&self) -> usize {
        self.requests.load(Ordering::Relaxed)
    }
}
