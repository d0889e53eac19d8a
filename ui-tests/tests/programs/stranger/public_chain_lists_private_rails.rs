//! What it shows: a `pub` chain whose rails, event and payload are less public, with a constructor and one public field.

mod guards {
    use exo_rails::prelude::*;

    #[derive(Debug)]
    pub(super) struct Draft(pub(super) String);

    #[derive(Event)]
    #[event(payload = &mut Draft, allows = "abort")]
    pub(super) struct DraftWritten;

    struct Secret(String);

    #[rail(priority = 10)]
    impl Secret {
        #[on(DraftWritten)]
        fn hide(&self, draft: &mut Draft) {
            draft.0 = draft.0.replace(&self.0, "[secret]");
        }
    }

    #[rail(priority = 20, on = [DraftWritten])]
    fn not_blank(draft: &Draft) -> Verdict {
        Verdict::abort_if(draft.0.trim().is_empty(), "the draft is blank")
    }

    pub struct Length {
        pub most: usize,
    }

    #[rail(priority = 30)]
    impl Length {
        #[on(DraftWritten)]
        fn check(&self, draft: &Draft) -> Verdict {
            Verdict::abort_if(draft.0.len() > self.most, "the draft is too long")
        }
    }

    rail_chain! {
        /// The rails of the mail program.
        #[chain(events = [DraftWritten])]
        pub struct MailRails {
            not_blank,
            secret: Secret,
            pub length: Length,
        }
    }

    impl MailRails {
        pub fn new(secret: &str) -> Self {
            Self { secret: Secret(secret.to_owned()), length: Length { most: 40 } }
        }
    }
}

use exo_rails::testing;
use guards::{Draft, DraftWritten, MailRails};

#[tokio::main(flavor = "current_thread")]
pub async fn main() {
    let mut rails = MailRails::new("blue whale");
    let draft = |text: &str| Draft(text.to_owned());
    let written = testing::at::<DraftWritten>(&rails, draft("The word is blue whale.")).await;
    assert_eq!(written.assert_continued().payload.0, "The word is [secret].");
    testing::at::<DraftWritten>(&rails, draft("  ")).await.assert_aborted("blank");
    rails.length.most = 3;
    testing::at::<DraftWritten>(&rails, draft("Hello")).await.assert_aborted("too long");
}
