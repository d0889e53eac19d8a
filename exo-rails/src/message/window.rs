//! What rails see of a streamed answer before it leaves.

use std::mem;
use std::panic::Location;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::message::pattern::{Excerpt, Pattern, Search};

/// The part of an answer that has not left yet: carried by [`LlmChunk`](crate::events::LlmChunk).
///
/// A streamed answer comes in pieces, and their borders may cut anything in two. [`replace`](Self::replace) and
/// [`find`](Self::find) search in it as if it came as a whole: what they do does not depend on the pieces. They hold back
/// the end of the window as far as a match may still begin or grow there, and no further.
///
/// ```
/// use exo_rails::prelude::*;
///
/// #[rail(priority = 40, on = [LlmChunk])]
/// fn redact(window: &mut StreamWindow) {
///     window.replace("sk-live-4711", "[key]");
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RunError> {
/// # use std::sync::Mutex;
/// # use exo_rails::{ModelDelta, StreamPiece};
/// # use futures_util::stream;
/// // The model says it in these pieces…
/// let said = ["Log in wi", "th sk-l", "ive-47", "11 and", " go on."];
/// # let model = |_| stream::iter(said.map(|text| Ok::<_, OperationError>(ModelDelta::Text(text.to_owned()))));
/// # let (left, mut ctx) = (Mutex::new(Vec::new()), RunContext::new("demo"));
/// # let sink = async |piece| if let StreamPiece::Text(text) = piece { left.lock().unwrap().push(text) };
/// # rail_chain![redact].guard_stream(ModelCallInputs::default(), &mut ctx, model, sink).await?;
/// // …and they leave like this: nothing waits but what may be the key.
/// assert_eq!(left.into_inner().unwrap(), ["Log in wi", "th ", "[key] and", " go on."]);
/// # Ok(()) }
/// ```
///
/// A [`Pattern`] is a text, a character, a list of patterns, a `Regex` (with the feature `regex`), or a type that implements
/// the trait.
///
/// # The window of a rail
///
/// `#[rail(on = [LlmChunk], window = 64)]` says how many characters a rail has to see together. It may be an expression, and
/// for a method one on `self`: `window = self.longest`, a `usize`, asked when the answer begins; 0 is none.
///
/// - For a rail that calls `replace`, `find` or [`hold_back`](Self::hold_back), it is the length of the longest match. Text that
///   may become the match of a regex waits for so many characters, and then leaves. Without a `window`, it waits until the
///   text decides, which may be at the end of the answer. A match that was found already is held back until it ends, also
///   when it is longer. A pattern that is a text needs no `window`.
/// - For a rail that looks at [`text`](Self::text) by itself, the guard set always holds back so many characters, and the rail
///   sees them again with what follows. So it sees whole what the border of two pieces cuts in two. But a match at the end of
///   the window may go on, and the rail has to consider that. `window = "all"` holds back everything until the answer is
///   there.
///
/// Call `replace` or `find` in each window. When a rail with a `window` calls none of these methods, so many characters are
/// held back for it.
///
/// # Several rails
///
/// The rails after a rail do not see what it holds back. They see it later, when it is decided. So the result is that of the
/// rails one after the other over the whole answer. What leaves is what no rail holds back.
///
/// A rail that looks at the text by itself sees held back text again, also text that later rails have changed. When it changes
/// such text, the later rails search in all of the window again.
///
/// # Answers that are not streamed
///
/// They pass the same rails, in one window that is the last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StreamWindow {
    /// The text that has not left yet, without what a rail before this one holds back.
    pub text: String,
    /// Whether the answer ends here: nothing of the window is held back then.
    pub is_last: bool,
    /// Where the text begins that rails have not seen yet, in bytes.
    fresh: usize,
    left: usize,
    /// The last character that has left.
    last_left: Option<char>,
    ends: bool,
    /// What rails hold back in this window. It follows the text.
    held_back: String,
    /// The text at the beginning of the event, as far as rails have seen it.
    known: String,
    searches: Vec<PlacedSearch>,
    /// How many characters the guard set holds back, as long as its rails do not say more.
    fixed: usize,
    /// How long the text has to be before rails are asked about it, in bytes.
    waits_for: usize,
    asked: Asked,
}

/// How far a search of a rail has come.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PlacedSearch {
    /// The line of the call, and the pattern: place and size in memory.
    key: (&'static Location<'static>, usize, usize),
    /// Whether it was made in this window.
    is_made: bool,
    /// Where the text begins that it has not decided, in bytes.
    from: usize,
    /// The character before, as the search has seen it: it may have been replaced.
    before: Option<char>,
    /// How much followed its text when it was made, with what it holds back itself.
    followed_by: usize,
}

/// When rails hold back more bytes than these, they are not asked again before there is half as much more. So the work for an
/// answer is linear, also where a match does not end.
const LONG: usize = 4096;

/// What the rails of one window have asked for.
#[derive(Debug, Default)]
struct Asked {
    /// The longest window of those that were asked.
    most: AtomicUsize,
    /// The longest of those that have held back nothing by themselves. Rails that run concurrently share the window.
    silent: AtomicUsize,
    /// That of the rail which is at work.
    now: usize,
    /// Whether it has said what is to be held back.
    is_said: bool,
}

impl Clone for Asked {
    fn clone(&self) -> Self {
        let copy = |number: &AtomicUsize| AtomicUsize::new(number.load(Ordering::Relaxed));
        Self { most: copy(&self.most), silent: copy(&self.silent), ..*self }
    }
}

impl PartialEq for Asked {
    fn eq(&self, other: &Self) -> bool {
        let numbers = |asked: &Self| [&asked.most, &asked.silent].map(|number| number.load(Ordering::Relaxed));
        (numbers(self), self.now, self.is_said) == (numbers(other), other.now, other.is_said)
    }
}

impl Eq for Asked {}

impl StreamWindow {
    /// A window with this text, of which no rail has seen anything; whether it is the last.
    #[must_use]
    pub fn new(text: impl Into<String>, is_last: bool) -> Self {
        Self { text: text.into(), is_last, ..Self::default() }
    }

    /// Replaces each match of a pattern: how many there were. What has been replaced is not searched again, also not with
    /// the next piece.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    ///
    /// struct Redact { words: Vec<String> }
    ///
    /// #[rail(priority = 40)]
    /// impl Redact {
    ///     #[on(LlmChunk)]
    ///     fn words(&self, window: &mut StreamWindow) {
    ///         window.replace(&self.words, "[removed]");
    ///     }
    /// }
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RunError> {
    /// # rail_chain! { struct Rails { redact: Redact } }
    /// # let rails = Rails { redact: Redact { words: vec!["Falcon".into(), "Falcon 9".into()] } };
    /// # let model = |_| async { Ok::<_, OperationError>(ModelResponse::text("Falcon 9 and Falcon")) };
    /// # let answer = rails.guard_llm_call(ModelCallInputs::default(), &mut RunContext::new("demo"), model).await?;
    /// # assert_eq!(answer.message.text(), "[removed] and [removed]");
    /// # Ok(()) }
    /// ```
    #[track_caller]
    pub fn replace<P: Pattern + ?Sized>(&mut self, pattern: &P, with: &str) -> usize {
        self.replace_with(pattern, |_| with)
    }

    /// The same with a replacement that depends on the match.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    ///
    /// let mut window = StreamWindow::new("Call 555-0172 or 555-0199.", true);
    /// window.replace_with(&["555-0172", "555-0199"], |number| format!("…{}", &number[6..]));
    /// assert_eq!(window.text, "Call …72 or …99.");
    /// ```
    #[track_caller]
    pub fn replace_with<P: Pattern + ?Sized, T: AsRef<str>>(
        &mut self,
        pattern: &P,
        mut with: impl FnMut(&str) -> T,
    ) -> usize {
        let place = self.placed_search(pattern, Location::caller());
        let PlacedSearch { from, before, .. } = self.searches[place];
        self.fresh = self.fresh.min(from);
        let longest = if self.asked.now == 0 { usize::MAX } else { self.asked.now };

        let begun: String = before.into_iter().collect::<String>() + &self.text[from..];
        let (mut decided, mut count) = (String::new(), 0);
        let mut at = before.map_or(0, char::len_utf8);
        let undecided = loop {
            let excerpt = Excerpt { text: &begun, from: at, is_last: self.is_last, longest };
            match pattern.search(excerpt).within(excerpt) {
                Search::Match(found) => {
                    decided.push_str(&begun[at..found.start]);
                    decided.push_str(with(&begun[found.clone()]).as_ref());
                    at = found.end;
                    count += 1;
                }
                Search::Undecided { from } => break from,
                Search::Nothing => break begun.len(),
            }
        };
        decided.push_str(&begun[at..undecided]);
        self.text.replace_range(from.., &decided);
        self.hold(&begun[undecided..]);

        let search = &mut self.searches[place];
        search.before = begun[..undecided].chars().next_back();
        search.followed_by = self.held_back.len();
        count
    }

    /// The first match of a pattern that was not found before. A match is found when it is whole: one that may still grow is
    /// found later, and held back until then.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    ///
    /// #[rail(priority = 10, on = [LlmChunk])]
    /// fn no_recipes(window: &mut StreamWindow) -> Verdict {
    ///     Verdict::abort_if(window.find(&["nitroglycerin", "thermite"]).is_some(), "no recipes for explosives")
    /// }
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// # let model = |_| async { Ok::<_, OperationError>(ModelResponse::text("Take some thermite")) };
    /// # let mut ctx = RunContext::new("demo");
    /// # let result = rail_chain![no_recipes].guard_llm_call(ModelCallInputs::default(), &mut ctx, model).await;
    /// # assert!(matches!(result, Err(RunError::Abort(_))));
    /// # }
    /// ```
    #[track_caller]
    pub fn find<P: Pattern + ?Sized>(&mut self, pattern: &P) -> Option<String> {
        let mut first = None;
        self.replace_with(pattern, |found| {
            first.get_or_insert_with(|| found.to_owned());
            found.to_owned()
        });
        first
    }

    /// Holds back the text from this byte on, and the character in which it lies: for rails that look at
    /// [`text`](Self::text) by themselves, and know how much of it they can decide. They see it again with what follows. In
    /// the last window, nothing is held back.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    ///
    /// /// Sentences leave when they are whole.
    /// #[rail(on = [LlmChunk])]
    /// fn sentences(window: &mut StreamWindow) {
    ///     window.hold_back(window.text.rfind('.').map_or(0, |end| end + 1));
    /// }
    /// ```
    pub fn hold_back(&mut self, from: usize) {
        let from = if self.is_last { self.text.len() } else { self.text.floor_char_boundary(from) };
        let held = self.text.split_off(from);
        self.hold(&held);
    }

    /// What rails hold back in this window: it follows the text.
    #[must_use]
    pub fn held_back(&self) -> &str {
        &self.held_back
    }

    /// What has come since rails saw the window last: for rails that count or measure and do not want to see anything
    /// twice. A rail before this one that has changed the length of what was there already moves its beginning.
    #[must_use]
    pub fn fresh(&self) -> &str {
        self.text.get(self.fresh..).unwrap_or_default()
    }

    /// How many characters of the answer have left.
    #[must_use]
    pub const fn left(&self) -> usize {
        self.left
    }

    /// Ends the answer with this window, shortened by the rail or not: what the model would say after it is not read, and
    /// tool calls are left out. What this rail or one before it holds back is not part of the answer either. The other
    /// rails are asked as ever, and then all of them about the last window.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    ///
    /// /// Nothing after the signature.
    /// #[rail(on = [LlmChunk], window = 3)]
    /// fn signature(window: &mut StreamWindow) {
    ///     if let Some(at) = window.text.find("-- ") {
    ///         window.text.truncate(at);
    ///         window.end();
    ///     }
    /// }
    /// ```
    pub fn end(&mut self) {
        self.ends = true;
        // It follows the window.
        self.held_back.clear();
        self.searches.iter_mut().for_each(|search| search.followed_by = 0);
    }

    /// Whether a rail has [ended](Self::end) the answer.
    #[must_use]
    pub const fn ends(&self) -> bool {
        self.ends
    }

    /// An empty window of a guard set that holds back so many characters.
    pub(crate) fn holding_back(fixed: usize) -> Self {
        Self { fixed, ..Self::default() }
    }

    /// Adds what the model has said.
    pub(crate) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Whether rails are to be asked about what has come.
    pub(crate) const fn is_due(&self) -> bool {
        // Of what is held back as a whole, nothing leaves before the end, so rails see it then, as they see an answer that is
        // not streamed.
        self.is_last || (self.fixed < usize::MAX && self.text.len() >= self.waits_for)
    }

    /// A rail of this window begins its work.
    pub(crate) const fn begin_rail(&mut self, window: usize) {
        self.asked.now = window;
        self.asked.is_said = false;
    }

    /// It has ended.
    pub(crate) fn end_rail(&mut self) {
        let window = mem::take(&mut self.asked.now);
        if self.asked.is_said {
            self.asked.most.fetch_max(window, Ordering::Relaxed);
        } else {
            self.shared_by_rail(window);
        }
    }

    /// A rail of this window looks at it beside others.
    pub(crate) fn shared_by_rail(&self, window: usize) {
        self.asked.most.fetch_max(window, Ordering::Relaxed);
        self.asked.silent.fetch_max(window, Ordering::Relaxed);
    }

    /// What leaves of the window, when all rails have let it pass, or one that skips.
    pub(crate) fn leaving(&self, all_passed: bool) -> &str {
        let silent = self.asked.silent.load(Ordering::Relaxed);
        let all_asked = all_passed && self.asked.most.load(Ordering::Relaxed) >= self.fixed;
        let characters = match (self.is_last, all_asked) {
            (true, _) => 0,
            (false, true) => silent,
            // Somebody was not asked, who would have had so much held back.
            (false, false) => silent.max(self.fixed),
        };
        let border = match characters.checked_sub(1) {
            None => self.text.len(),
            Some(before) => self.text.char_indices().nth_back(before).map_or(0, |(at, _)| at),
        };
        &self.text[..border]
    }

    /// Takes out what leaves; rails have seen what stays.
    pub(crate) fn release(&mut self, all_passed: bool) -> String {
        let held = self.text.split_off(self.leaving(all_passed).len());
        let released = mem::replace(&mut self.text, held);
        self.left += released.chars().count();
        self.last_left = released.chars().next_back().or(self.last_left);
        let held = mem::take(&mut self.held_back);
        self.text.push_str(&held);
        self.waits_for = if held.len() > LONG { self.text.len() + held.len() / 2 } else { 0 };
        self.known.clone_from(&self.text);
        self.fresh = self.text.len();
        self.asked = Asked::default();
        self.searches.retain_mut(|search| {
            search.from = self.text.len() - search.followed_by;
            mem::take(&mut search.is_made)
        });
        released
    }

    /// Puts text behind the window, to be seen again with what follows.
    fn hold(&mut self, text: &str) {
        self.held_back.insert_str(0, text);
        self.asked.is_said = true;
    }

    /// Where the search at this line for this pattern has come to, and that it is made in this window.
    fn placed_search<P: Pattern + ?Sized>(&mut self, pattern: &P, line: &'static Location<'static>) -> usize {
        let key = (line, std::ptr::from_ref(pattern).cast::<()>().addr(), size_of_val(pattern));
        let place = self.searches.iter().position(|search| !search.is_made && search.key == key);
        let place = place.unwrap_or_else(|| {
            let before = self.last_left;
            self.searches.push(PlacedSearch { key, is_made: false, from: 0, before, followed_by: 0 });
            self.searches.len() - 1
        });
        let intact = self.text.bytes().zip(self.known.bytes()).take_while(|(one, other)| one == other).count();
        let search = &mut self.searches[place];
        search.is_made = true;
        if search.from > intact {
            // A rail has changed what was decided, and a match may begin before the change.
            (search.from, search.before) = (0, self.last_left);
        }
        place
    }
}

impl Search {
    /// The same, when it lies within the text; what cannot be is undecided.
    fn within(self, excerpt: Excerpt<'_>) -> Self {
        let Excerpt { text, from, is_last, .. } = excerpt;
        let is_place = |at: usize| at >= from && text.is_char_boundary(at);
        match self {
            Self::Match(found) if found.is_empty() || !is_place(found.start) || !is_place(found.end) => {
                Self::Undecided { from }.within(excerpt)
            }
            Self::Undecided { .. } if is_last => Self::Nothing,
            Self::Undecided { from: at } if !is_place(at) => Self::Undecided { from },
            found => found,
        }
    }
}
