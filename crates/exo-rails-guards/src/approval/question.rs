//! A question of the model to the user, and the answer.

use serde::{Deserialize, Serialize};

use super::ReplyError;
use super::visible::shortened;

/// The longest choice of a model.
pub(super) const CHOICE: usize = 200;

/// A question of the model to the user, by the tool [`ask_user`](super::ask_user).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct UserQuestion {
    /// The id. It is unique among the questions of a program if the ids of its runs are.
    pub id: String,
    /// The id of the tool call with which the model asks.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub call_id: String,
    /// The name of the agent.
    pub agent: String,
    /// The question. A model has written it: show it with [`visible`](super::visible) characters only.
    pub question: String,
    /// Answers from which the user can choose.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    /// Whether the answer must be one of the choices.
    #[serde(default)]
    pub only_choices: bool,
}

/// The answer of the user to a [`UserQuestion`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum UserAnswer {
    /// The answer.
    Text(String),
    /// The user does not want to answer.
    Declined,
}

impl UserAnswer {
    /// Makes an answer.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }
}

impl UserQuestion {
    /// Checks that the question takes this answer. [`Pending::reply`](super::Pending::reply) checks it too, so a front end
    /// calls this method only if it wants to know before it replies.
    ///
    /// # Errors
    /// Returns [`ReplyError::NotAChoice`] if the question takes [only its choices](Self::only_choices), and the answer is none of
    /// them.
    pub fn check(&self, answer: &UserAnswer) -> Result<(), ReplyError> {
        match answer {
            UserAnswer::Text(text) if self.only_choices && !self.choices.contains(text) => {
                let choices = self.choices.iter().map(|choice| shortened(choice, CHOICE)).collect();
                Err(ReplyError::NotAChoice { answer: shortened(text, CHOICE), choices })
            }
            _ => Ok(()),
        }
    }
}
