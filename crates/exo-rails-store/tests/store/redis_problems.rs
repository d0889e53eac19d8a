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
    let error = store.settle(&reservation, &[1]).await.unwrap_err();
    assert!(matches!(error, StoreError::Lost(_)), "{error}");
    store.accept_loss();
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
    assert_eq!(keys.len(), 9, "{keys:?}");
    for key in keys {
        let left: i64 = redis::cmd("PTTL").arg(&key).query_async(&mut connection).await.unwrap();
        assert_eq!(left > 0, !key.contains("sequence") && !key.contains("epoch"), "`{key}` expires in {left} ms");
    }
}

async fn command(server: &Server, command: &[&str]) {
    let client = redis::Client::open(server.url()).unwrap();
    let mut connection = client.get_multiplexed_async_connection().await.unwrap();
    redis::cmd(command[0]).arg(&command[1..]).exec_async(&mut connection).await.unwrap();
}

/// A handle that has used the state does not begin with fresh budgets. Neither does one that gets its reservation later.
#[tokio::test]
async fn a_server_that_loses_its_data_is_an_error_until_a_person_accepts_it() {
    let Some(server) = Server::start() else { return };
    let [store, other] = [server.open("test"), server.open("test")];
    let settled = store.reserve(&[claim()], HOUR).await.unwrap().unwrap();
    store.settle(&settled, &[1]).await.unwrap();
    let open = store.reserve(&[Claim { key: "open", ..claim() }], HOUR).await.unwrap().unwrap();
    assert_eq!(other.counter("open").await.unwrap().reserved, 1);
    command(&server, &["FLUSHALL"]).await;

    // A process that starts now makes another state. It has a reservation with the same number.
    let later = server.open("test");
    let new = later.reserve(&[Claim { key: "open", limit: 9, ..claim() }], HOUR).await.unwrap().unwrap();
    for store in [&store, &other] {
        let results = [
            store.settle(&open, &[1]).await,
            store.settle(&settled, &[1]).await,
            store.reserve(&[claim()], HOUR).await.map(drop),
            store.counter("budget").await.map(drop),
            store.get("record").await.map(drop),
            store.write("record", "value", None).await,
            store.append("log", b"entry", 9, None).await.map(drop),
            store.entries("log").await.map(drop),
            store.forget(&["budget".to_owned()]).await,
        ];
        for result in results {
            let error = result.unwrap_err();
            assert!(matches!(error, StoreError::Lost(_)), "{error}");
            assert!(error.to_string().contains("call `RedisStore::accept_loss`"), "{error}");
        }
    }
    // The old reservations count nowhere, and free nothing of others.
    for old in [&open, &settled] {
        assert!(matches!(later.settle(old, &[5]).await, Err(StoreError::Lost(_))));
    }
    let counter = later.counter("open").await.unwrap();
    assert_eq!((counter.used, counter.reserved), (0, 1));
    store.accept_loss();
    store.settle(&new, &[2]).await.unwrap();
    store.settle(&new, &[2]).await.unwrap();
    let counter = store.counter("open").await.unwrap();
    assert_eq!((counter.used, counter.reserved), (2, 0));
    assert!(matches!(store.settle(&open, &[1]).await, Err(StoreError::Lost(_))));
}

/// A server with its last snapshot does not have the latest reservation.
#[tokio::test]
async fn a_reservation_that_the_server_has_lost_cannot_be_settled() {
    let Some(server) = Server::start() else { return };
    let store = server.open("test");
    let _kept = store.reserve(&[Claim { key: "kept", ..claim() }], HOUR).await.unwrap().unwrap();
    let lost = store.reserve(&[claim()], HOUR).await.unwrap().unwrap();
    let names = ["open:", "counter:budget", "held:budget"].map(|name| format!("{{test}}:{name}"));
    command(&server, &["DEL", &names[0], &names[1], &names[2]]).await;
    command(&server, &["SET", "{test}:sequence:", "1"]).await;
    let error = store.settle(&lost, &[1]).await.unwrap_err();
    assert!(error.to_string().contains("Redis has lost the latest data"), "{error}");
    assert!(store.reserve(&[claim()], HOUR).await.unwrap().is_ok());
}

/// One key has something else than the store has written. The others work.
#[tokio::test]
async fn a_damaged_counter_is_an_error_about_its_key() {
    let Some(server) = Server::start() else { return };
    let store = server.open("test");
    for key in ["good", "bad", "odd"] {
        let reservation = store.reserve(&[Claim { key, ..claim() }], HOUR).await.unwrap().unwrap();
        store.settle(&reservation, &[1]).await.unwrap();
    }
    command(&server, &["SET", "{test}:counter:bad", "text"]).await;
    command(&server, &["HSET", "{test}:counter:odd", "used", "text"]).await;
    for key in ["bad", "odd"] {
        for error in [
            store.counter(key).await.map(drop).unwrap_err(),
            store.reserve(&[Claim { key, ..claim() }], HOUR).await.map(drop).unwrap_err(),
        ] {
            assert!(error.to_string().contains(&format!("`{{test}}:counter:{key}` is damaged")), "{error}");
        }
    }
    assert_eq!(store.counter("good").await.unwrap().used, 1);
}
