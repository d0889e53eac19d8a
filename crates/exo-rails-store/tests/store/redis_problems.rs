//! Servers that cannot be used, and what the store says about them.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;
use std::time::Duration;

use exo_rails_store::{Claim, RedisStore, StateStore, StateStoreExt, StoreError};

use crate::redis_server::{Server, free_port, shared, unique_name};

const HOUR: Duration = Duration::from_hours(1);

fn claim() -> Claim<'static> {
    Claim { key: "budget", amount: 1, limit: 100, window: Some(HOUR) }
}

#[test]
fn urls_that_are_not_valid_are_refused_without_their_password() {
    for url in ["", "redis://", "http://:hunter2@localhost", "redis://:hunter2@localhost/x", ":hunter2@localhost"] {
        let error = RedisStore::open(url, "test").unwrap_err();
        let text = format!("{error} {error:?}");
        assert!(text.contains("the URL of Redis is not valid"), "{text}");
        assert!(!text.contains("hunter2"), "{text}");
    }
    let store = RedisStore::open("redis://user:hunter2@localhost", "test").unwrap();
    assert!(!format!("{store:?}").contains("hunter2"));
}

#[tokio::test]
async fn a_wrong_password_is_an_error_that_does_not_have_it() {
    let Some(server) = shared() else { return };
    for url in [format!("redis://127.0.0.1:{}", server.port), format!("redis://:hunter2@127.0.0.1:{}", server.port)] {
        let store = RedisStore::open(&url, "test").unwrap();
        let error = store.get("key").await.unwrap_err();
        let text = format!("{error} {error:?}");
        assert!(text.contains("Redis refused the user or the password of the URL"), "{text}");
        assert!(!text.contains("hunter2"), "{text}");
    }
}

/// A server quotes the arguments of commands that it does not know.
#[tokio::test]
async fn an_error_does_not_have_the_password_that_a_server_quotes() {
    for protocol in ["resp2", "resp3"] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("redis://:hunter2@{}/0?protocol={protocol}", listener.local_addr().unwrap());
        thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut buffer = [0; 4_096];
            while stream.read(&mut buffer).is_ok_and(|length| length > 0) {
                let _ = stream.write_all(b"-ERR unknown command, with args beginning with: `hunter2`\r\n");
            }
        });
        let error = RedisStore::open(&url, "test").unwrap().get("key").await.unwrap_err();
        let text = format!("{error} {error:?}");
        assert!(!text.contains("hunter2"), "{text}");
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_an_error() {
    let store = RedisStore::open(&format!("redis://127.0.0.1:{}", free_port()), "test").unwrap();
    for _ in 0..2 {
        let error = store.get("key").await.unwrap_err().to_string();
        assert!(error.starts_with("the state store failed: Redis: "), "{error}");
    }
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_a_timeout_and_works_again_later() {
    let Some(server) = Server::start() else { return };
    let limit = Duration::from_millis(200);
    let store = server.open("test").time_limit(limit);
    store.write("key", "value", None).await.unwrap();
    server.signal("STOP");
    for _ in 0..2 {
        let error = store.get("key").await.unwrap_err();
        assert!(matches!(error, StoreError::Timeout { .. }), "{error}");
    }
    server.signal("CONT");
    let store = store.time_limit(HOUR);
    assert_eq!(store.read::<String>("key").await.unwrap().as_deref(), Some("value"));
}

#[tokio::test]
async fn a_store_connects_again_when_the_server_is_back() {
    let Some(server) = Server::start() else { return };
    let port = server.port;
    let store = server.open("test");
    let reservation = store.reserve(&[claim()], HOUR).await.unwrap().unwrap();
    server.signal("KILL");
    drop(server);
    // The port is free when the server has ended.
    let _server = (0..500).find_map(|_| {
        thread::sleep(Duration::from_millis(10));
        let free = TcpListener::bind(("127.0.0.1", port)).is_ok();
        free.then(|| Server::start_at(port)).flatten()
    });
    // The server has forgotten everything: also the scripts.
    store.settle(&reservation, &[1]).await.unwrap();
    assert_eq!(store.counter("budget").await.unwrap().reserved, 0);
    store.write("key", "value", None).await.unwrap();
    assert_eq!(store.read::<String>("key").await.unwrap().as_deref(), Some("value"));
}

#[tokio::test]
async fn a_server_without_memory_is_full() {
    let Some(server) = Server::start() else { return };
    let store = server.open("test");
    store.write("key", "value", None).await.unwrap();
    let client = redis::Client::open(server.url()).unwrap();
    let mut connection = client.get_multiplexed_async_connection().await.unwrap();
    redis::cmd("CONFIG").arg(&["SET", "maxmemory", "1"]).exec_async(&mut connection).await.unwrap();
    let error = store.write("key", "other", None).await.unwrap_err();
    assert!(matches!(error, StoreError::Full(_)), "{error}");
    let error = store.reserve(&[claim()], HOUR).await.unwrap_err();
    assert!(matches!(error, StoreError::Full(_)), "{error}");
}

#[tokio::test]
async fn deployments_share_nothing_and_redis_removes_expired_keys() {
    let Some(server) = shared() else { return };
    let name = unique_name();
    let [one, two] = ["1", "2"].map(|number| server.open(&format!("{name}:{number}")));
    one.write("key", &1, Some(HOUR)).await.unwrap();
    assert_eq!(two.read::<u32>("key").await.unwrap(), None);
    one.append("log", b"entry", 9, Some(HOUR)).await.unwrap();
    let reservation = one.reserve(&[claim()], HOUR).await.unwrap().unwrap();
    one.settle(&reservation, &[1]).await.unwrap();
    let _held = one.reserve(&[Claim { key: "other", ..claim() }], HOUR).await.unwrap().unwrap();
    assert_eq!(two.counter("budget").await.unwrap().used, 0);

    let client = redis::Client::open(server.url()).unwrap();
    let mut connection = client.get_multiplexed_async_connection().await.unwrap();
    let keys: Vec<String> = redis::cmd("KEYS").arg(format!("*{name}*")).query_async(&mut connection).await.unwrap();
    assert_eq!(keys.len(), 7, "{keys:?}");
    for key in keys {
        let left: i64 = redis::cmd("PTTL").arg(&key).query_async(&mut connection).await.unwrap();
        assert_eq!(left > 0, !key.contains("sequence"), "`{key}` expires in {left} ms");
    }
}
