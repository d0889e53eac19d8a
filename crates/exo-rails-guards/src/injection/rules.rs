//! What texts say that want to instruct a model.

use exo_rails_policy::Severity;

use crate::wording::phrasing::{ACT_AS, EARLIER, FENCES, NO_RULES, PRETEND, QUESTION, REVEAL, TOKENS};
use crate::wording::{Phrasing, Wording};

/// A rule, and how texts say what it finds.
pub(super) struct Rule {
    pub(super) name: &'static str,
    pub(super) severity: Severity,
    pub(super) message: &'static str,
    phrasings: &'static [Phrasing],
}

use Severity::{High, Low, Medium};

/// The same with the time after it.
const EARLIER_AFTER: &str = "(?:all|any|every|each|of|the|my|your|our|these|those|this|that|and|or|other|system|safety){0,6}\
    (?:instruction|prompt|rule|direction|directive|guideline|command|constraint|polic|programming|training|everything|whatever|anything)s?(?:ies|y)?\
    (?:that|which|you|i|we|they|have|has|been|were|was|had|ve|got|received|read|seen|given|told|said|wrote|written|stated|to){0,6}\
    (?:above|before|previously|earlier|sofar|untilnow|uptothispoint|uptonow|beforethis|saidbefore)";

/// All instructions, without a word for the time.
const ALL_OF_YOURS: &str = "(?:all|any|every|each|of|the){0,4}your(?:system|safety|own|current|default|ethical|content|other){0,3}\
    (?:instruction|prompt|rule|directive|guideline|constraint|programming|polic)";

const IGNORE: &[&str] = &[
    "ignore",
    "ignoring",
    "disregard",
    "disregarding",
    "forget",
    "overlook",
    "neglect",
    "override",
    "overrule",
    "bypass",
    "stop following",
    "do not follow",
    "don't follow",
    "do not obey",
    "don't obey",
    "pay no attention to",
];

/// All rules.
pub(super) const RULES: [Rule; 9] = [
    Rule {
        name: "instruction_override",
        severity: High,
        message: "the text asks the model to drop its instructions",
        phrasings: &[
            Phrasing::words(IGNORE, EARLIER),
            Phrasing::words(IGNORE, EARLIER_AFTER),
            Phrasing::words(IGNORE, ALL_OF_YOURS),
            Phrasing::words(
                &["ignoriere", "vergiss", "missachte"],
                "(?:alle|bitte|deine|die|meine|ihre){0,3}(?:vorherigen|bisherigen|vorigen|obigen|fruheren)(?:an|regeln|befehle|instruk|vorgaben|prompts)",
            ),
            Phrasing::words(
                &["ignora", "olvida", "ignorez", "oubliez", "oublie", "ignore"],
                "(?:z)?(?:todas|toutes|tutte|todos|tous|las|les|le|los|as|tus|vos|tes|suas){0,3}(?:instrucciones|instructions|istruzioni|instrucoes|reglas|regles|consignes|ordenes)(?:anteriores|previas|precedentes|precedenti|cidessus)",
            ),
        ],
    },
    Rule {
        name: "new_instructions",
        severity: Medium,
        message: "the text brings instructions of its own",
        phrasings: &[
            Phrasing::words(
                &["new", "updated", "revised", "real", "actual", "true", "additional"],
                "(?:system|user|important|priority){0,2}instructions?(?:are|is){0,1}(?:asfollows|followthese|supersede|override|replace|youmust|youare|youwill|fortheai|fortheassistant|forthemodel|ignore)",
            ),
            Phrasing::marks(
                &[
                    "newinstruction:",
                    "newinstructions:",
                    "updatedinstructions:",
                    "newsystemprompt:",
                    "newtask:",
                    "systemoverride:",
                ],
                "",
            ),
            Phrasing::words(
                &["your new", "your real", "your actual", "your true", "your only", "your next"],
                "(?:task|instruction|goal|objective|mission|job|purpose|role|directive|identity|name)s?(?:is|are|now|will)",
            ),
            Phrasing::words(
                &["from now on", "starting now", "from this point on", "from this point forward"],
                "(?:and|then){0,1}(?:you|your|act|respond|answer|reply|always|only|ignore|all)",
            ),
            Phrasing::words(
                &["your instructions have", "your task has", "instructions have"],
                "(?:been){0,1}(?:chang|updat|replac|overrid|revok|modif)",
            ),
            Phrasing::words(
                &["the following instructions", "these instructions", "this instruction"],
                "(?:have|has|take|takes|supersede|override|overrule|replace)(?:s|the|absolute|highest|top|all|any|your|precedence|priority|previous|prior)",
            ),
            Phrasing::words(
                &["instead of", "rather than"],
                "(?:answering|summarizing|summarising|responding|following|doing|translating|completing)(?:to|the|that|this|what|your|my|user){0,4}[a-z]{0,30}?(?:you(?:must|should|will|need)|please|print|say|write|output|reply|respond)",
            ),
        ],
    },
    Rule {
        name: "role_change",
        severity: Medium,
        message: "the text gives the model another role",
        phrasings: &[
            Phrasing::words(
                &["you are now", "you're now", "you will now be", "you are no longer"],
                "(?:in|entering|operatingin|going|to|act|as|an|a|the|my|called|named|being|free|from|bound|restricted|limited|by|openai|chatgpt|ai|assistant|dan|jailbroken|unrestricted|uncensored|developer|mode|evil|god|root|admin)",
            ),
            ACT_AS,
            PRETEND,
            NO_RULES,
            Phrasing::words(
                &[
                    "do anything now",
                    "dan mode",
                    "developer mode enabled",
                    "enable developer mode",
                    "jailbreak mode",
                    "jailbroken mode",
                    "god mode enabled",
                    "debug mode enabled",
                    "entering developer mode",
                    "opposite mode",
                    "sudo mode",
                ],
                "",
            ),
            Phrasing::words(
                &[
                    "you have no",
                    "you have been freed from",
                    "you are free from",
                    "you are not bound by",
                    "you do not have",
                    "without any",
                    "no longer bound by",
                    "you don't have",
                ],
                "(?:any|all|the|your|of|more|longer|moral|ethical|content|safety|openai|typical|usual|normal){0,4}(?:restriction|guideline|limitation|filter|censorship|polic|confinesofai|boundaries|moral)",
            ),
        ],
    },
    Rule {
        name: "prompt_extraction",
        severity: Medium,
        message: "the text asks for the instructions of the model",
        phrasings: &[
            REVEAL,
            QUESTION,
            Phrasing::words(
                &["repeat", "print", "output", "write out"],
                "(?:all|of|the|every|everything|text|words|word|content){1,4}(?:above|before|upto)(?:this|here|starting|beginning|the|verbatim|in|exactly|from|and)",
            ),
            Phrasing::words(
                &["starting with you are", "begins with you are", "beginning with you are", "starting from you are"],
                "",
            ),
        ],
    },
    Rule {
        name: "delimiter",
        severity: High,
        message: "the text has a mark that separates the parts of a prompt",
        phrasings: &[
            TOKENS,
            FENCES,
            Phrasing::marks(
                &[
                    "###system",
                    "###instruction",
                    "###newinstruction",
                    "---system",
                    "===system",
                    "[system]",
                    "(system)",
                    "<system>",
                    "{system}",
                ],
                ":?(?:you|ignore|override|new|the|important|prompt|note|message|attention|disregard|forget|admin)",
            ),
        ],
    },
    Rule {
        name: "addressed_to_model",
        severity: Medium,
        message: "the text speaks to a model",
        phrasings: &[
            Phrasing::words(
                &[
                    "if you are an",
                    "if you're an",
                    "if you are a",
                    "if you're a",
                    "as an",
                    "attention",
                    "dear",
                    "hey",
                    "note to",
                    "message to",
                    "notice to",
                    "instruction for",
                    "instructions for",
                    "instructions to",
                    "important for",
                    "to all",
                    "to any",
                    "any",
                ],
                "(?:the|all|any|every|an|a|other|automated){0,3}(?:aiassistant|aiagent|aimodel|languagemodel|largelanguagemodel|llm|chatbot|chatgpt|claude|gemini|copilot|aisystem|assistant(?:reading|processing|summar))s?\
                 (?:reading|processing|summar|parsing|that|who|must|should|please|you|ignore|do|include|add|say|do|append|send|visit|follow|instead|when|viewing|analyz|evaluat|is|are|to|and)",
            ),
            Phrasing::words(
                &["assistant", "ai", "llm", "chatgpt", "claude"],
                "(?:you)(?:must|should|have|need|will|are)(?:to|now|first|immediately|always|ignore|instead|required|also|follow|not)",
            ),
            Phrasing::words(
                &[
                    "important message to",
                    "important message for",
                    "this is an important message",
                    "important instructions for",
                    "system override",
                    "admin override",
                    "administrator override",
                    "system notice for",
                    "priority override",
                ],
                "",
            ),
        ],
    },
    Rule {
        name: "concealment",
        severity: High,
        message: "the text asks the model to hide something from people",
        phrasings: &[
            Phrasing::words(
                &["do not", "don't", "never", "dont", "must not", "without", "avoid"],
                "(?:ever|please|under|any|circumstances){0,3}(?:tell|telling|mention|mentioning|inform|informing|notify|notifying|reveal|revealing|alert|alerting|warn|warning|show|showing|disclose|disclosing|report|reporting|letting|let|ask|asking)\
                 (?:this|that|it|about|any|of|the|to|these|instruction|instructions|message|action|actions|anything){0,5}(?:theuser|user|anyone|anybody|thehuman|human|theperson|yourowner|theoperator|thecustomer)",
            ),
            Phrasing::words(
                &["keep this", "keep it", "hide this", "hide it", "conceal this"],
                "(?:a|as|strictly|secret|hidden|confidential|private|message|instruction|action){0,4}(?:from)(?:the|all|your|any){0,1}(?:user|human|owner|operator|customer)",
            ),
        ],
    },
    Rule {
        name: "exfiltration",
        severity: Low,
        message: "the text asks to send data away",
        phrasings: &[Phrasing::words(
            &[
                "send",
                "forward",
                "email",
                "mail",
                "post",
                "upload",
                "exfiltrate",
                "transmit",
                "leak",
                "append",
                "include",
                "encode",
            ],
            "(?:me|us|all|of|the|any|your|users|user|their|this|that|a|copy|every|and|it|its|contents|content){0,6}\
                 (?:password|apikey|credential|secret|privatekey|sshkey|accesstoken|systemprompt|conversation|chathistory|envfile|environmentvariable|creditcard|personaldata|privatedata|sensitivedata|sensitiveinformation|confidential|messages|emails|contacts)[a-z]{0,40}?(?:to|in|into|as|at|via)(?:http|www|the|this|my|me|our|an|a|url|link|mailto|us)",
        )],
    },
    Rule {
        name: "task_switch",
        severity: Low,
        message: "the text asks the model to do something else than its task",
        phrasings: &[
            Phrasing::words(
                &["do not", "don't", "stop"],
                "(?:answer|answering|summarize|summarise|summarizing|respond|responding|translate|translating|complete|process)(?:to){0,1}(?:the|this|that|any|my|user|users|original|following|text|article|email|document){1,4}[a-z]{0,40}?(?:instead|but|just|only)",
            ),
            Phrasing::words(
                &["before you", "before doing", "before answering", "before responding", "before continuing"],
                "(?:do|answer|respond|continue|proceed|anything|solve|can|start|begin|any|with){0,4}(?:else|anything|task|question|the|you|this|that|of){0,5}(?:you)?(?:must|should|please|need|first|call|send|visit|open|run|execute|read|have)",
            ),
            Phrasing::words(
                &[
                    "the user wants you to",
                    "the user has asked you to",
                    "the user has authorized",
                    "the user has approved",
                    "the user has already",
                    "your creator wants",
                    "the developer wants you to",
                    "i am your developer",
                    "i am the developer",
                    "i am the administrator",
                    "i am your administrator",
                    "as your administrator",
                    "as your developer",
                ],
                "",
            ),
            Phrasing::words(
                &[
                    "stop what you are doing",
                    "stop everything you are doing",
                    "abandon your",
                    "end of user input",
                    "end of document",
                    "end of the document",
                    "end of context",
                ],
                "(?:and|task|goal|then|now|begin|start|new|user|system|instructions|instead|ignore|please|query)",
            ),
        ],
    },
];

impl Rule {
    pub(super) fn wordings(&self) -> impl Iterator<Item = Wording> {
        self.phrasings.iter().map(Phrasing::wording)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ConfigError;

    /// The guard compiles them only when a search needs them.
    #[test]
    fn the_wordings_of_the_rules_compile() -> Result<(), ConfigError> {
        RULES.iter().flat_map(Rule::wordings).try_for_each(|wording| wording.check_all())
    }
}
