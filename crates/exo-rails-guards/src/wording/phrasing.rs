//! How texts say what several guards look for. A phrasing that two guards look for stands here, once.

use super::{View, Wording};

/// A way to say something: one of the starts, and then the regex `rest`, which sees letters without the spaces between them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Phrasing {
    view: View,
    starts: &'static [&'static str],
    rest: &'static str,
    to_word: bool,
}

impl Phrasing {
    /// Words, in every spelling.
    pub(crate) const fn words(starts: &'static [&'static str], rest: &'static str) -> Self {
        Self { view: View::Words, starts, rest, to_word: false }
    }

    /// Words and signs.
    pub(crate) const fn marks(starts: &'static [&'static str], rest: &'static str) -> Self {
        Self { view: View::Marks, starts, rest, to_word: false }
    }

    /// It ends with a whole word.
    pub(crate) const fn ending_with_word(mut self) -> Self {
        self.to_word = true;
        self
    }

    pub(crate) fn wording(&self) -> Wording {
        let wording = Wording::new(self.view, self.starts, self.rest);
        if self.to_word { wording.ending_with_word() } else { wording }
    }
}

/// Earlier instructions, after a word such as `ignore`.
pub(crate) const EARLIER: &str = "(?:all|any|every|each|of|the|my|your|our|these|those|this|that|and|or|other|system|safety|to|completely|please|just){0,6}\
    (?:previous|prior|above|preceding|earlier|former|foregoing|past|existing|original|initial|precedent)\
    (?:and|or|all|the|system|given|safety|user|previous|prior|above|earlier){0,4}\
    (?:instruction|prompt|rule|direction|directive|guideline|command|constraint|polic|programming|training)";

/// A role without rules.
const ROLE: &str = "(?:ifyouare|ifyouwere|thoughyouare|thoughyouwere|anai|ai|an|a|the|my){0,3}[a-z]{0,40}?\
    (?:unrestricted|unfiltered|uncensored|evil|jailbroken|amoral|unethical|norules?|norestrictions?|nolimits?|withoutrestrictions?|withoutlimits?|withoutrules?|withoutany|dan|rootuser|hacker|linuxterminal|developermode)";

/// The order to play a role without rules.
pub(crate) const ACT_AS: Phrasing = Phrasing::words(
    &[
        "act as",
        "acts as",
        "acting as",
        "roleplay as",
        "role play as",
        "simulate being",
        "behave as",
        "behave like",
        "take on the role of",
        "assume the role of",
    ],
    ROLE,
)
.ending_with_word();

/// The order to pretend to be somebody without rules.
pub(crate) const PRETEND: Phrasing =
    Phrasing::words(&["pretend to be", "pretend you are", "pretend that you are"], ROLE).ending_with_word();

/// The order to pretend that no rules hold.
pub(crate) const NO_RULES: Phrasing = Phrasing::words(
    &["pretend", "pretending"],
    "(?:that|tobe|as){0,1}(?:ifyou|youre|you){0,1}(?:are|have|were|had|with){0,1}(?:anai|an|a|ai){0,2}(?:with|that|has|without){0,2}\
     (?:no|without|any){1,2}[a-z]{0,12}?(?:restriction|rule|limitation|limit|guideline|filter)",
);

/// A request for the instructions of the model.
pub(crate) const REVEAL: Phrasing = Phrasing::words(
    &[
        "reveal",
        "show",
        "print",
        "display",
        "output",
        "repeat",
        "tell",
        "give",
        "share",
        "write",
        "list",
        "recite",
        "expose",
        "leak",
        "disclose",
        "dump",
        "return",
        "send",
        "summarize",
        "translate",
        "encode",
        "spell out",
        "provide",
        "copy",
    ],
    "(?:me|us|to|all|of|out|back|down|the|your|full|entire|complete|exact|whole|current|above|previous|original|verbatim|text|content|contents|words|word|for|in|initial|hidden|secret|own|and|with|everything|from|base){0,9}\
     (?:systemprompt|systeminstruction|systemmessage|initialinstruction|initialprompt|hiddeninstruction|hiddenprompt|originalinstruction|secretinstruction|yourinstruction|yourprompt|developermessage|promptabove|instructionsabove|preprompt)",
);

/// A question about the instructions of the model.
pub(crate) const QUESTION: Phrasing = Phrasing::words(
    &["what are your", "what is your", "what's your", "what were your", "what was your"],
    "(?:current|exact|full|initial|original|hidden|secret|system|very|first){0,3}(?:systemprompt|instruction|rules|prompt|systemmessage)",
);

/// Marks between the parts of a prompt, as chat templates have them.
pub(crate) const TOKENS: Phrasing = Phrasing::marks(
    &[
        "[INST]",
        "[/INST]",
        "<<SYS>>",
        "<</SYS>>",
        "<|im_start|>",
        "<|im_end|>",
        "<|system|>",
        "<|user|>",
        "<|assistant|>",
        "<|endoftext|>",
        "<|eot_id|>",
        "<|start_header_id|>",
        "<|begin_of_text|>",
        "<start_of_turn>",
        "<end_of_turn>",
        "<|endofprompt|>",
        "[/system]",
        "[system](#",
        "</system>",
        "</user_query>",
        "</tool_result>",
        "</function_results>",
    ],
    "",
);

/// Code fences that pretend to come from the system.
pub(crate) const FENCES: Phrasing = Phrasing::marks(&["```system", "```admin", "```root"], "").ending_with_word();
