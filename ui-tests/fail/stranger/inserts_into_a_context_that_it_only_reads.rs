//! The message should say: a rail that inserts a value into `ctx.extra` takes the context by `&mut`: write
//! `ctx: &mut RailContext`.

use exo_rails::prelude::*;

struct Spam(u32);

struct SpamScore {
    words: Vec<String>,
}

#[rail(priority = 20)]
impl SpamScore {
    #[on(PostLlmCall)]
    fn score(&self, response: &ModelResponse, ctx: &RailContext) {
        let text = response.message.text();
        let found = self.words.iter().filter(|word| text.contains(word.as_str())).count();
        ctx.extra.insert(Spam(found as u32)); // <- here
    }
}

#[rail(priority = 30, on = [PostLlmCall])]
fn no_spam(ctx: &RailContext) -> Verdict {
    Verdict::abort_if(ctx.extra.get::<Spam>().is_some_and(|spam| spam.0 > 2), "the newsletter reads like spam")
}

rail_chain! {
    struct NewsletterRails { score: SpamScore, no_spam }
}

fn main() {
    let _ = NewsletterRails { score: SpamScore { words: vec!["free".to_owned()] } };
}
