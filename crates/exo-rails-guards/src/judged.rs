//! The texts of a conversation that a guard has judged, so that it judges each text once in a session, or in a run without one.
//!
//! A model reads more than the input of the run and the outputs of its tools: a program may begin with several turns of the user,
//! or with a history that no guard has seen. So a guard looks at each message of each request, and judges what is new.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};

use exo_rails::message::{Content, Message, Messages, Role};
use exo_rails::{RailContext, Reason};

use crate::history::{Judge, values};

/// What a guard has said about a text.
#[derive(Clone, Debug)]
pub(crate) enum Judgement {
    Passes,
    /// The text passes when the guard has removed something from it.
    Changes,
    /// The model reads this reason instead of the text.
    Withheld(Reason),
}

/// The judgements of a session, or of a run without one. A text is known by its hash, with a key that nobody outside knows.
#[derive(Default)]
struct Judged {
    keys: RandomState,
    known: HashMap<u64, Judgement>,
    /// The last request that each guard has looked at. All its messages pass.
    passed: HashMap<Judge, Messages>,
}

/// A message that a guard has not judged, or that it must change again.
pub(crate) struct Pending {
    pub(crate) number: usize,
    pub(crate) known: Option<Judgement>,
}

impl Judge {
    /// Returns the messages of these roles that are new, and those to change again.
    pub(crate) fn pending(
        self,
        messages: &Messages,
        is_judged: impl Fn(&Role) -> bool,
        ctx: &RailContext,
    ) -> Vec<Pending> {
        values(ctx).update(|judged: &mut Judged| {
            let from = judged.passed.get(&self).map_or(0, |passed| messages.shared_start(passed));
            let of_message = |(number, message): (usize, &Message)| {
                let content = message.content.as_ref().filter(|_| is_judged(&message.role))?;
                let known = judged.known.get(&judged.hash(self, &message.role, texts(content))).cloned();
                (!matches!(known, Some(Judgement::Passes))).then_some(Pending { number, known })
            };
            let pending: Vec<_> = messages.iter().enumerate().skip(from).filter_map(of_message).collect();
            let passed = pending.first().map_or(messages.len(), |first| first.number);
            if passed > from {
                let mut all = messages.clone();
                all.truncate(passed);
                judged.passed.insert(self, all);
            }
            pending
        })
    }

    /// Records the judgement about the content of a message with this role.
    pub(crate) fn set(self, role: &Role, content: &Content, judgement: Judgement, ctx: &RailContext) {
        self.set_texts(role, texts(content), judgement, ctx);
    }

    /// Returns whether the content of a message with this role is new, and records that it is known.
    pub(crate) fn is_new(self, role: &Role, content: &Content, ctx: &RailContext) -> bool {
        values(ctx).update(|judged: &mut Judged| {
            let hash = judged.hash(self, role, texts(content));
            judged.known.insert(hash, Judgement::Passes).is_none()
        })
    }

    /// Records the judgement about a message, and lets the model read the reason instead of a withheld output.
    pub(crate) fn apply(self, judgement: Judgement, messages: &mut Messages, number: usize, ctx: &RailContext) {
        let Some(Message { role, content: Some(content), .. }) = messages.get(number) else { return };
        self.set(role, content, judgement.clone(), ctx);
        if let Judgement::Withheld(reason) = judgement {
            let note = withheld(&reason);
            self.pass_text(role, &note, ctx);
            if let Some(message) = messages.get_mut(number) {
                message.content = Some(Content::Text(note));
            }
        }
    }

    /// Records that a text passes as the content of a message with this role.
    pub(crate) fn pass_text(self, role: &Role, text: &str, ctx: &RailContext) {
        self.set_texts(role, [text], Judgement::Passes, ctx);
    }

    fn set_texts<'c>(
        self,
        role: &Role,
        texts: impl IntoIterator<Item = &'c str>,
        judgement: Judgement,
        ctx: &RailContext,
    ) {
        values(ctx).update(|judged: &mut Judged| {
            let hash = judged.hash(self, role, texts);
            judged.known.insert(hash, judgement);
        });
    }
}

impl Judged {
    /// Two lists of parts have the same hash only if they have the same parts, because a guard judges each part.
    fn hash<'c>(&self, judge: Judge, role: &Role, texts: impl IntoIterator<Item = &'c str>) -> u64 {
        let mut hasher = self.keys.build_hasher();
        (judge, role).hash(&mut hasher);
        texts.into_iter().for_each(|text| text.hash(&mut hasher));
        hasher.finish()
    }
}

fn texts(content: &Content) -> impl Iterator<Item = &str> {
    let (text, parts) = match content {
        Content::Text(text) => (Some(text.as_str()), &[][..]),
        Content::Parts(parts) => (None, parts.as_slice()),
    };
    text.into_iter().chain(parts.iter().filter_map(|part| part.text.as_deref()))
}

/// What the model reads instead of the output of a tool.
pub(crate) fn withheld(reason: &Reason) -> String {
    format!("the output is withheld: {reason}")
}

/// Returns the name of the tool whose output this message is, if the conversation has its call.
pub(crate) fn tool_of(messages: &Messages, number: usize) -> Option<&str> {
    let id = messages.get(number)?.tool_call_id.as_deref()?;
    let before = messages.iter().take(number).rev();
    let call = before.flat_map(|message| &message.tool_calls).find(|call| call.id == id)?;
    Some(&call.function.name)
}
