//! Custom operations: they have what the operations of the library have.

use exo_rails::prelude::*;
use exo_rails::{EventBus, Next, NoRails, Operation, Serves, StopKind};
use tests::{note, notes};

mod archive {
    use exo_rails::Operation;

    #[derive(Clone, Debug, PartialEq)]
    pub(super) struct Document(pub(super) String);

    #[derive(Debug, PartialEq)]
    pub(super) struct Receipt(pub(super) u64);

    /// Stores a document.
    #[derive(Operation)]
    #[operation(inputs = Document, output = Receipt)]
    pub(super) struct StoreDocument;
}

use archive::{Document, PostStoreDocument, PreStoreDocument, Receipt, StoreDocumentError};

/// What a server answers.
#[derive(Debug)]
struct Page(Vec<u8>);

/// Asks for a page. Its events have names of their own.
#[derive(Operation)]
#[operation(inputs = String, output = Page, pre = BeforeFetch, post = AfterFetch, failed = FetchFailed, name = "fetch")]
struct Fetch;

#[rail(priority = 10, on = [PreStoreDocument])]
fn stamp(document: &mut Document, ctx: &RailContext) -> RailAction<Receipt> {
    note(ctx, format!("before {}", ctx.attempt()));
    if document.0.is_empty() {
        return RailAction::skip_with(Receipt(0), "it is empty");
    }
    document.0.push('!');
    RailAction::Continue
}

#[rail(priority = 20, on = [PreStoreDocument], around)]
async fn logged(document: &Document, next: impl Next<archive::StoreDocument>) -> Result<Receipt, OperationError> {
    note(next.scope(), format!("around {}", document.0));
    next.run().await
}

#[rail(on = [StoreDocumentError])]
fn once_more(error: &OperationError) -> RailAction {
    RailAction::retry(error.message.clone())
}

#[rail(on = [PostStoreDocument])]
fn count(receipt: &mut Receipt, ctx: &RailContext) {
    note(ctx, format!("after, took {}", ctx.elapsed().is_some()));
    receipt.0 += 1;
}

rail_chain! {
    #[chain(operations = [archive::StoreDocument])]
    #[derive(Clone, Copy)]
    struct Guards { stamp, logged, once_more, count }
}

async fn store(document: Permit<Document>) -> Result<Receipt, OperationError> {
    note(document.scope(), format!("stored {}", document.0));
    match document.0.as_str() {
        "lost!" => Err("the disk is gone".into()),
        _ if document.attempt() == 0 => Err("the disk is busy".into()),
        text => Ok(Receipt(text.len() as u64)),
    }
}

fn document(text: &str) -> Document {
    Document(text.into())
}

#[tokio::test]
async fn a_custom_operation_is_guarded_in_every_guard_set() {
    async fn check<R>(set: &str, rails: &R)
    where
        R: GuardSet + Serves<PreStoreDocument> + Serves<PostStoreDocument> + Serves<StoreDocumentError>,
    {
        let mut ctx = RunContext::new("archive");
        let guarded = rails.guard_operation::<archive::StoreDocument, _>(document("abc"), &mut ctx, store).await;
        assert_eq!(guarded.unwrap(), Receipt(5), "{set}");
        let attempt = |number: u32| [format!("before {number}"), "around abc!".to_owned(), "stored abc!".to_owned()];
        let expected = [attempt(0).to_vec(), attempt(1).to_vec(), vec!["after, took true".to_owned()]].concat();
        assert_eq!(notes(&ctx), expected, "{set}");
        // A substitute stands in for the output, and passes the rails after it.
        let mut ctx = RunContext::new("archive");
        let guarded = rails.guard_operation::<archive::StoreDocument, _>(document(""), &mut ctx, store).await;
        assert_eq!(guarded.unwrap(), Receipt(1), "{set}");
        assert_eq!(notes(&ctx), ["before 0", "after, took false"], "{set}");
        // A failure that no rail rescues is that of the last attempt.
        let guarded = rails.guard_operation::<archive::StoreDocument, _>(document("lost"), &mut ctx, store).await;
        assert_eq!(guarded.unwrap_err().failure().unwrap().message, "the disk is gone", "{set}");
    }
    rail_chain! {
        #[chain(operations = [archive::StoreDocument])]
        struct Outer { guards: Guards }
    }
    let mut manager = RailManager::new();
    manager.add(stamp {}).unwrap();
    manager.add(logged {}).unwrap();
    manager.add(once_more {}).unwrap();
    manager.add(count {}).unwrap();
    check("chain", &Guards).await;
    check("nested", &Outer { guards: Guards }).await;
    check(
        "unnamed",
        &rail_chain![
            #[chain(operations = [archive::StoreDocument])]
            stamp,
            logged,
            once_more,
            count
        ],
    )
    .await;
    check("manager", &manager).await;
    check("bus", &EventBus::new(8).wrap(Guards)).await;
}

#[tokio::test]
async fn an_operation_without_rails_returns_its_result_unchanged() {
    let mut ctx = RunContext::new("archive");
    let fetch = |url: Permit<String>| async move { Ok::<_, OperationError>(Page(url.as_bytes().to_vec())) };
    assert_eq!(NoRails.guard_operation::<Fetch, _>("abc".into(), &mut ctx, fetch).await.unwrap().0, b"abc");
    let hooks = HookManager::new();
    assert_eq!(hooks.guard_operation::<Fetch, _>("abc".into(), &mut ctx, fetch).await.unwrap().0, b"abc");
}

#[tokio::test]
async fn a_skip_without_a_substitute_is_an_error() {
    #[rail(on = [BeforeFetch])]
    fn offline() -> RailAction {
        RailAction::skip("we are offline")
    }
    let rails = rail_chain![
        #[chain(operations = [Fetch])]
        offline
    ];
    let fetch = |_| async { Ok::<_, OperationError>(Page(Vec::new())) };
    let error = rails.guard_operation::<Fetch, _>("abc".into(), &mut RunContext::new("web"), fetch).await.unwrap_err();
    let failure = error.failure().unwrap();
    assert_eq!(failure.kind, OperationErrorKind::Denied);
    assert_eq!(failure.message, "`fetch` was skipped by the rail `offline`: we are offline");
}

#[tokio::test]
async fn events_of_a_custom_operation_reach_rails_and_the_event_bus() {
    #[rail(on = [AfterFetch])]
    fn small(page: &Page) -> Verdict {
        Verdict::abort_if(page.0.len() > 2, "the page is too large")
    }
    #[rail(on = [FetchFailed])]
    fn cached(url: &String) -> RailAction<Page> {
        RailAction::skip_with(Page(url.as_bytes()[..1].to_vec()), "it is cached")
    }
    let bus = EventBus::new(8);
    let mut records = bus.subscribe().with_events([AfterFetch::POINT]);
    let rails = bus.wrap(rail_chain![
        #[chain(operations = [Fetch])]
        small,
        cached
    ]);
    let mut ctx = RunContext::new("web");
    let fetch = |url: Permit<String>| async move {
        if url.starts_with('x') { Err("no such page") } else { Ok(Page(url.as_bytes().to_vec())) }
    };
    assert_eq!(rails.guard_operation::<Fetch, _>("xyz".into(), &mut ctx, fetch).await.unwrap().0, b"x");
    assert!(records.recv().await.unwrap().unwrap().stopped.is_none());
    assert!(matches!(
        rails.guard_operation::<Fetch, _>("abc".into(), &mut ctx, fetch).await,
        Err(RunError::Abort(abort)) if abort.rail_name == "small"
    ));
    let stopped = records.recv().await.unwrap().unwrap().stopped.clone().unwrap();
    assert_eq!((stopped.how, &*stopped.rail_name), (StopKind::Abort, "small"));
}
