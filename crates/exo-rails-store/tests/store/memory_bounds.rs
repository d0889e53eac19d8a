//! The bounds of a store in memory.

use std::time::Duration;

use exo_rails_store::{Claim, Counter, MemoryStore, StateStore, StateStoreExt, StoreError};

const MINUTE: Duration = Duration::from_mins(1);

#[tokio::test(start_paused = true)]
async fn expired_entries_take_no_room() {
    let store = MemoryStore::new().max_items(9).max_bytes(1_300);
    let claim = Claim { key: "calls", amount: 2, limit: 10, window: Some(MINUTE) };
    for _ in 0..50 {
        store.write("record", "text", Some(MINUTE)).await.unwrap();
        for _ in 0..4 {
            store.append("log", b"entry", 2, Some(MINUTE)).await.unwrap();
        }
        let kept = store.reserve(&[claim, Claim { key: "tokens", ..claim }], MINUTE).await.unwrap().unwrap();
        store.settle(&kept, &[1, 0]).await.unwrap();
        store.reserve(&[claim], MINUTE).await.unwrap().unwrap();
        tokio::time::advance(MINUTE).await;
        assert_eq!(store.counter("calls").await.unwrap(), Counter::default());
        tokio::time::advance(11 * MINUTE).await;
        assert_eq!(store.get("record").await.unwrap(), None);
    }
}

#[tokio::test]
async fn a_full_store_refuses_new_entries_and_keeps_the_old_ones() {
    let store = MemoryStore::new().max_items(4);
    let claim = Claim { key: "calls", amount: 1, limit: 10, window: None };
    let reservation = store.reserve(&[claim], MINUTE).await.unwrap().unwrap();
    store.write("approval", "yes", None).await.unwrap();
    store.append("log", b"entry", 1, None).await.unwrap();

    for _ in 0..3 {
        assert!(matches!(store.write("other", "text", None).await, Err(StoreError::Full(_))));
        assert!(matches!(store.reserve(&[claim], MINUTE).await, Err(StoreError::Full(_))));
        assert!(matches!(store.append("log", b"entry", 2, None).await, Err(StoreError::Full(_))));
    }
    // What replaces something is possible, and a settlement always.
    store.append("log", b"other", 1, None).await.unwrap();
    store.write("approval", "no", None).await.unwrap();
    store.settle(&reservation, &[1]).await.unwrap();
    assert_eq!(store.counter("calls").await.unwrap().used, 1);
    assert_eq!(store.read::<String>("approval").await.unwrap().unwrap(), "no");
}

#[tokio::test]
async fn large_values_fill_the_store() {
    let store = MemoryStore::new().max_bytes(1_000);
    assert!(matches!(store.write("big", &"x".repeat(1_000), None).await, Err(StoreError::Full(_))));
    store.write("small", &"x".repeat(500), None).await.unwrap();
    assert!(matches!(store.write("small", &"x".repeat(900), None).await, Err(StoreError::Full(_))));
    assert_eq!(store.read::<String>("small").await.unwrap().unwrap().len(), 500);
}
