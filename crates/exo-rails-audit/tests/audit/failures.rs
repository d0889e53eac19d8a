//! Disks that are full, and logs that are closed.

use std::sync::atomic::Ordering;

use exo_rails_audit::{Audit, AuditError, OnError, Verify, WhenFull};

use crate::bench::{Disk, call, dispatch, lines, runtime};

/// After an error of the disk, every event is a fault, until the disk works again. No line is lost or torn.
#[test]
fn events_are_faults_until_the_log_can_be_written_again() {
    for at_once in [0, 1, 7] {
        let disk = Disk::default();
        disk.at_once.store(at_once, Ordering::SeqCst);
        runtime().block_on(async {
            let audit = Audit::to_sink(Audit::builder(), disk.clone()).unwrap();
            call(&audit, "before").await;
            audit.flush().await.unwrap();
            disk.is_full.store(true, Ordering::SeqCst);
            // The writer has not noticed yet.
            call(&audit, "unnoticed").await;
            assert!(matches!(audit.flush().await, Err(AuditError::Write(_))));
            let fault = dispatch(&audit, "refused").await.unwrap_err();
            assert_eq!(fault.rail_name, "audit");
            let text = fault.to_string();
            assert!(
                text.starts_with("rail `audit` faulted at pre_tool_call: the audit log cannot be written: "),
                "{text}"
            );
            disk.is_full.store(false, Ordering::SeqCst);
            call(&audit, "after").await;
            audit.close().await.unwrap();
        });
        let verified = Verify::new().reader(&disk.log()[..]).unwrap();
        assert_eq!((verified.events, verified.lost), (3, 0));
        let names: Vec<_> = names(&disk);
        assert_eq!(names, ["before", "unnoticed", "after"]);
    }
}

fn names(disk: &Disk) -> Vec<String> {
    let lines = lines(&disk.log());
    let names = lines.iter().filter_map(|line| line["event"]["payload"]["call"]["tool_name"].as_str());
    names.map(str::to_owned).collect()
}

/// With `report`, runs go on, and the log has the number of the records that it lost: before the next record, and at the end.
#[test]
fn reported_errors_are_counted() {
    for expected in [&["kept", "after"][..], &["kept"]] {
        let disk = Disk::default();
        runtime().block_on(async {
            let audit = Audit::to_sink(Audit::builder().on_error(OnError::Report), disk.clone()).unwrap();
            disk.is_full.store(true, Ordering::SeqCst);
            call(&audit, "kept").await;
            assert!(audit.flush().await.is_err());
            for _ in 0..5 {
                call(&audit, "lost").await;
            }
            assert!(audit.flush().await.is_err());
            disk.is_full.store(false, Ordering::SeqCst);
            for name in &expected[1..] {
                call(&audit, name).await;
            }
            audit.close().await.unwrap();
        });
        let verified = Verify::new().reader(&disk.log()[..]).unwrap();
        assert_eq!((verified.events, verified.lost), (expected.len() as u64, 5));
        assert_eq!(names(&disk), expected);
    }
}

#[test]
fn a_closed_log_refuses_records() {
    runtime().block_on(async {
        let audit = Audit::to_sink(Audit::builder(), Disk::default()).unwrap();
        audit.close().await.unwrap();
        assert_eq!(
            dispatch(&audit, "late").await.unwrap_err().to_string(),
            "rail `audit` faulted at pre_tool_call: the audit log is closed"
        );
        assert_eq!(audit.close().await, Err(AuditError::Closed));

        let audit =
            Audit::to_sink(Audit::builder().on_error(OnError::Report).when_full(WhenFull::Drop), Disk::default());
        let audit = audit.unwrap();
        audit.close().await.unwrap();
        call(&audit, "late").await;
    });
}

/// With `write_ahead`, the record is in the log when the dispatch returns.
#[test]
fn write_ahead_waits_for_the_disk() {
    let disk = Disk::default();
    runtime().block_on(async {
        let audit = Audit::to_sink(Audit::builder().write_ahead(true), disk.clone()).unwrap();
        call(&audit, "first").await;
        assert_eq!(names(&disk), ["first"]);
        disk.is_full.store(true, Ordering::SeqCst);
        assert!(dispatch(&audit, "refused").await.is_err());
    });
}

#[test]
fn mistakes_in_the_configuration_are_named() {
    let error = |config: exo_rails_audit::AuditConfig| Audit::new(config).unwrap_err().to_string();
    assert_eq!(error(Audit::builder()), "`path`: write the path of the log, such as `audit.jsonl`");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    assert_eq!(
        error(Audit::builder().path(&path).capacity(0)),
        "`capacity`: 0 is not a length of a queue: write a number from 1 to 1048576",
    );
    assert!(error(Audit::builder().path(folder.path().join("no/log"))).contains("cannot be taken"));
    let _writer = Audit::new(Audit::builder().path(&path)).unwrap();
    assert!(error(Audit::builder().path(&path)).ends_with("has another writer: use one path for each process"));
    let sink = Audit::to_sink(Audit::builder().max_file_bytes(1), Vec::new()).unwrap_err().to_string();
    assert_eq!(sink, "`max_file_bytes`: a sink has one file: leave the key out");
}
