//! A module declares the operation `FileScan`, and the program imports the operation but not its event `PreFileScan`, which the derive
//! has declared. An ideal message proposes `use crate::archive::PreFileScan;`.

use archive::{FileScan, Receipt, Scan};
use exo_rails::prelude::*;

mod archive {
    use exo_rails::Operation;
    use exo_rails::prelude::*;

    #[derive(Clone, Debug)]
    pub struct Scan {
        pub title: String,
        pub pages: u32,
    }

    #[derive(Debug, PartialEq)]
    pub struct Receipt(pub u32);

    /// Puts a scan into the archive.
    #[derive(Operation)]
    #[operation(inputs = Scan, output = Receipt)]
    pub struct FileScan;

    pub async fn file(scan: Permit<Scan>) -> Result<Receipt, OperationError> {
        Ok(Receipt(scan.pages))
    }
}

#[rail(priority = 10, on = [PreFileScan])]
fn has_a_title(scan: &Scan) -> Verdict {
    Verdict::abort_if(scan.title.is_empty(), "a scan without a title is never found again")
}

rail_chain! {
    #[chain(operations = [FileScan])]
    struct ArchiveRails { has_a_title }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), RunError> {
    let scan = Scan { title: "Minutes of May".to_owned(), pages: 3 };
    let mut ctx = RunContext::new("archive");
    let receipt = ArchiveRails.guard_operation::<FileScan, _>(scan, &mut ctx, archive::file).await?;
    assert_eq!(receipt, Receipt(3));
    Ok(())
}
