//! The message should say: a chain lists rails by their names, and `rude_words` is a variable. A rail with state is a field of a
//! named chain, `rail_chain! { struct ForumRails { rude_words: RudeWords } }`, whose value is `ForumRails { rude_words }`.

use exo_rails::prelude::*;

struct RudeWords(Vec<&'static str>);

#[rail(priority = 20)]
impl RudeWords {
    #[on(PostLlmCall)]
    fn check(&self, response: &ModelResponse) -> Verdict {
        let text = response.message.text().to_lowercase();
        Verdict::abort_if(self.0.iter().any(|word| text.contains(word)), "the forum stays friendly")
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), RunError> {
    let rude_words = RudeWords(vec!["stupid", "ugly"]);
    let rails = rail_chain![rude_words]; // <- here
    let model = |_| async { Ok::<_, OperationError>("What a nice post!") };
    let response = rails.guard_llm_call(ModelCallInputs::default(), &mut RunContext::new("forum"), model).await?;
    assert_eq!(response.message.text(), "What a nice post!");
    Ok(())
}
