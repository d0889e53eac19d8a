//! The window through which rails see a streamed answer.

use std::mem;
use std::panic::Location;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::message::pattern::{Excerpt, Pattern, PatternMatch};

/// The part of an answer that has not left yet: the payload of [`LlmChunk`](crate::events::LlmChunk).
///
/// A streamed answer arrives in pieces, and the border of two pieces may cut a word or a number in two.
/// [`replace`](Self::replace) and [`find`](Self::find) search as if the answer came as a whole: their results do not
/// depend on the pieces. They hold back the end of the window only where a match may still begin or grow.
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
/// // The model sends these pieces…
/// let said = ["Log in wi", "th sk-l", "ive-47", "11 and", " go on."];
/// # let model = |_| stream::iter(said.map(|text| Ok::<_, OperationError>(ModelDelta::Text(text.to_owned()))));
/// # let (left, mut ctx) = (Mutex::new(Vec::new()), RunContext::new("demo"));
/// # let sink = async |piece| if let StreamPiece::Text(text) = piece { left.lock().unwrap().push(text) };
/// # rail_chain![redact].guard_stream(ModelCallInputs::default(), &mut ctx, model, sink).await?;
/// // …and the sink receives these. Only text that may be part of the key waits.
/// assert_eq!(left.into_inner().unwrap(), ["Log in wi", "th ", "[key] and", " go on."]);
/// # Ok(()) }
/// ```
///
/// A [`Pattern`] is a text, a character, a list of patterns, a `Regex` (with the feature `regex`), or a type that
/// implements the trait.
///
/// # The window of a rail
///
/// `#[rail(on = [LlmChunk], window = 64)]` declares how many characters the rail must see together. The window may be
/// an expression of the type `usize`. For a method, the expression may use `self`: `window = self.longest`. The guard
/// set evaluates it when the answer begins. The window 0 means no window.
///
/// - If the rail calls `replace`, `find` or [`hold_back`](Self::hold_back), the window is the length of the longest
///   match. Text that may become a match of a regex waits for this number of characters, and then leaves. Without a
///   `window`, the text waits until it either matches or cannot match any more, which may be at the end of the answer.
///   A match that was found already is held back until it ends, even if it is longer than the window. A pattern that is
///   a text needs no `window`.
/// - If the rail looks at [`text`](Self::text) itself, the guard set always holds back this number of characters. The
///   rail sees them again with the text that follows. So it sees a match as a whole even if the border of two pieces
///   cuts the match. But a match at the end of the window may continue, and the rail must consider this case. The
///   option `window = "all"` holds back everything until the answer is complete.
///
/// Call `replace` or `find` in each window. If a rail with a `window` calls none of these methods in a window, the
/// guard set holds back the declared number of characters.
///
/// # Several rails
///
/// A rail does not see the text that an earlier rail holds back. It sees the text later, when the earlier rail has
/// decided. So the result is the same as if each rail in turn had changed the whole answer. Only text that no rail
/// holds back leaves the window.
///
/// A rail that looks at the text itself sees text again that the guard set holds back, also text that later rails have
/// changed. If it changes such text, the later rails search the whole window again.
///
/// # Answers that are not streamed
///
/// The same rails run on an answer that is not streamed. They see it in one window, which is the last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StreamWindow {
    /// The text that has not left yet, without the text that an earlier rail holds back.
    pub text: String,
    /// Whether the answer ends with this window. Nothing in the last window is held back.
    pub is_last: bool,
    /// The start of the text that rails have not seen yet, in bytes.
    fresh: usize,
    left: usize,
    /// The last characters that have left, at most [`CONTEXT`].
    last_left: String,
    ends: bool,
    /// The text that rails hold back in this window. It follows `text`.
    held_back: String,
    /// The part of the text that rails had seen before the event.
    known: String,
    searches: Vec<PlacedSearch>,
    /// The number of characters that the guard set holds back by default. The rails can declare a different number for
    /// a window.
    fixed: usize,
    /// The length of the text from which rails run on it again, in bytes.
    waits_for: usize,
    asked: Asked,
    /// The windows of the rails in shadow, each under a key.
    shadows: Vec<(ShadowKey, StreamWindow)>,
}

/// Identifies a rail in shadow in the windows of one answer.
pub(crate) type ShadowKey = (&'static str, u64);

/// The line of the call and the pattern: its address and size.
type SearchKey = (&'static Location<'static>, usize, usize);

/// The progress of a search of a rail.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PlacedSearch {
    key: SearchKey,
    round: usize,
    /// Whether the rail made this search in this window.
    is_made: bool,
    /// The start of the text that the search has not decided, in bytes.
    from: usize,
    /// The characters before `from`, as the search saw them. The text may have a replacement there.
    before: String,
    /// The number of characters between the last replacement and `from`.
    since_change: usize,
    /// The length of the text that followed the search's text, including the text that the search holds back.
    followed_by: usize,
}

/// The most characters before the text of a search that a pattern sees.
const CONTEXT: usize = 64;

/// If rails hold back more bytes than this, they run again only when the text has grown by half of these bytes. So the
/// work for an answer is linear, even if a match does not end.
const LONG: usize = 1024;

/// The numbers of characters that the rails of one window ask for.
#[derive(Debug, Default)]
struct Asked {
    /// The longest window of the rails that ran.
    most: AtomicUsize,
    /// The longest window of the rails that called no method that holds back text. Atomic, because concurrent rails
    /// share the window.
    silent: AtomicUsize,
    /// The window of the rail that is running.
    now: usize,
    /// Whether the running rail has called a method that holds back text.
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
    /// Makes a window with this text, which no rail has seen. `is_last` says whether the answer ends with the window.
    #[must_use]
    pub fn new(text: impl Into<String>, is_last: bool) -> Self {
        Self { text: text.into(), is_last, ..Self::default() }
    }

    /// Replaces each match of a pattern, and returns the number of matches. The search skips replaced text, in this
    /// window and in later ones.
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

    /// Replaces each match of a pattern with the result of `with`, and returns the number of matches. `with` receives the match: its
    /// text, and what the [search knows](Pattern::Found) about it.
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
        mut with: impl FnMut(PatternMatch<'_, P::Found>) -> T,
    ) -> usize {
        self.search_round(pattern, Location::caller(), 0, &mut with).count
    }

    /// Replaces each match of a pattern, and searches the result again until nothing changes, at most `rounds` times. `with`
    /// receives the match and the number of its round, from 0. Use it if a replacement may complete a match beside it.
    ///
    /// Returns the number of rounds up to the last one that has changed the text. If this number is `rounds`, another round may
    /// change more.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    ///
    /// let mut window = StreamWindow::new("a((()))b", true);
    /// let rounds = window.replace_in_rounds("()", 8, |_, _| "");
    /// assert_eq!((window.text.as_str(), rounds), ("ab", 3));
    /// ```
    #[track_caller]
    pub fn replace_in_rounds<P: Pattern + ?Sized, T: AsRef<str>>(
        &mut self,
        pattern: &P,
        rounds: usize,
        mut with: impl FnMut(PatternMatch<'_, P::Found>, usize) -> T,
    ) -> usize {
        let line = Location::caller();
        let mut last = 0;
        for round in 0..rounds {
            let round_with = &mut |found: PatternMatch<'_, P::Found>| with(found, round);
            let Searched { changes, is_same, .. } = self.search_round(pattern, line, round, round_with);
            if changes {
                last = round + 1;
            }
            // A later round may have held back text before.
            if is_same && !self.has_later_round(pattern, line, round) {
                break;
            }
        }
        last
    }

    /// Returns the first match of a pattern in the text that earlier calls have not searched. If a match may still
    /// grow, `find` holds it back, and returns it when it is complete.
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

    /// Holds back the text from this byte on. If the byte is inside a character, holds back the whole character. Use
    /// this method in a rail that looks at [`text`](Self::text) itself and knows which part it can decide. The rail
    /// sees the held back text again with the text that follows. In the last window, the method holds back nothing.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    ///
    /// /// Releases whole sentences only.
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

    /// Returns the text that rails hold back in this window. It follows `text`.
    #[must_use]
    pub fn held_back(&self) -> &str {
        &self.held_back
    }

    /// Returns the text that has arrived since rails saw the window last. Use it in rails that count or measure, and
    /// must see each text once. If an earlier rail changes the length of older text, the start of the fresh text is off
    /// by the difference.
    #[must_use]
    pub fn fresh(&self) -> &str {
        self.text.get(self.fresh..).unwrap_or_default()
    }

    /// Returns the number of characters of the answer that have left.
    #[must_use]
    pub const fn left(&self) -> usize {
        self.left
    }

    /// Ends the answer with this window. The rail may shorten the window before. The guard does not read the rest of
    /// the model's answer, and the response has no tool calls. Text that this rail or an earlier one holds back is not
    /// part of the answer. The later rails still run on this window. In a stream, all rails then run once more, on the
    /// last window.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    ///
    /// /// Removes everything from the signature on.
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
        // The held back text follows the end of the answer.
        self.held_back.clear();
        self.searches.iter_mut().for_each(|search| search.followed_by = 0);
    }

    /// Returns whether a rail has [ended](Self::end) the answer.
    #[must_use]
    pub const fn ends(&self) -> bool {
        self.ends
    }

    /// Makes an empty window for a guard set that holds back `fixed` characters.
    pub(crate) fn holding_back(fixed: usize) -> Self {
        Self { fixed, ..Self::default() }
    }

    /// Takes the window of a rail in shadow out of this window, and adds the text that the rail has not seen. The window
    /// holds back `fixed` characters for the rail. So this window need not hold back anything, and the text of the answer
    /// leaves as if the rail did not exist.
    pub(crate) fn take_shadow(&mut self, key: ShadowKey, fixed: usize) -> Self {
        let place = self.shadows.iter().position(|(of, _)| *of == key);
        let mut shadow = place.map_or_else(|| Self::holding_back(fixed), |place| self.shadows.swap_remove(place).1);
        shadow.push(self.fresh());
        shadow.is_last = self.is_last;
        shadow
    }

    /// Puts the window of a rail in shadow back, without the text that has left it. `all_passed` is as in
    /// [`release`](Self::release).
    pub(crate) fn put_shadow(&mut self, key: ShadowKey, mut shadow: Self, all_passed: bool) {
        drop(shadow.release(all_passed));
        self.shadows.push((key, shadow));
    }

    /// Adds text from the model.
    pub(crate) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Returns whether rails must run on the text that has arrived.
    pub(crate) const fn is_due(&self) -> bool {
        // If the guard set holds back everything, no text leaves before the end. So the rails run once, at the end, as
        // on an answer that is not streamed.
        self.is_last || (self.fixed < usize::MAX && self.text.len() >= self.waits_for)
    }

    /// Records that a rail starts to work on this window.
    pub(crate) const fn begin_rail(&mut self, window: usize) {
        self.asked.now = window;
        self.asked.is_said = false;
    }

    /// Records that the rail has ended.
    pub(crate) fn end_rail(&mut self) {
        let window = mem::take(&mut self.asked.now);
        if self.asked.is_said {
            self.asked.most.fetch_max(window, Ordering::Relaxed);
        } else {
            self.shared_by_rail(window);
        }
    }

    /// Records that a rail looks at this window at the same time as other rails.
    pub(crate) fn shared_by_rail(&self, window: usize) {
        self.asked.most.fetch_max(window, Ordering::Relaxed);
        self.asked.silent.fetch_max(window, Ordering::Relaxed);
    }

    /// Returns the text that leaves the window. `all_passed` is false if a rail skipped the rails after it.
    pub(crate) fn leaving(&self, all_passed: bool) -> &str {
        let silent = self.asked.silent.load(Ordering::Relaxed);
        let all_asked = all_passed && self.asked.most.load(Ordering::Relaxed) >= self.fixed;
        let characters = match (self.is_last, all_asked) {
            (true, _) => 0,
            (false, true) => silent,
            // A rail that did not run may have held back this number of characters.
            (false, false) => silent.max(self.fixed),
        };
        let border = match characters.checked_sub(1) {
            None => self.text.len(),
            Some(before) => self.text.char_indices().nth_back(before).map_or(0, |(at, _)| at),
        };
        &self.text[..border]
    }

    /// Removes the text that leaves and returns it. Rails have seen the text that stays.
    pub(crate) fn release(&mut self, all_passed: bool) -> String {
        let held = self.text.split_off(self.leaving(all_passed).len());
        let released = mem::replace(&mut self.text, held);
        self.left += released.chars().count();
        self.last_left.push_str(&released);
        keep_last(&mut self.last_left, CONTEXT);
        let held = mem::take(&mut self.held_back);
        self.text.push_str(&held);
        self.waits_for = if held.len() > LONG { self.text.len() + held.len() / 2 } else { 0 };
        self.known.clone_from(&self.text);
        self.fresh = self.text.len();
        self.asked = Asked::default();
        self.searches.retain_mut(|search| {
            let is_made = mem::take(&mut search.is_made);
            // An earlier rail may have skipped the event. A search that was not made has no place in this window.
            if is_made {
                search.from = self.text.len() - search.followed_by;
            }
            is_made
        });
        released
    }

    /// Moves text out of the window, to the held back text. Rails see it again with the text that follows.
    fn hold(&mut self, text: &str) {
        self.held_back.insert_str(0, text);
        self.asked.is_said = true;
    }

    /// Replaces each match in the text that this search has not decided.
    fn search_round<P: Pattern + ?Sized, T: AsRef<str>>(
        &mut self,
        pattern: &P,
        line: &'static Location<'static>,
        round: usize,
        with: &mut impl FnMut(PatternMatch<'_, P::Found>) -> T,
    ) -> Searched {
        let place = self.placed_search(pattern, line, round);
        let search = &mut self.searches[place];
        let (from, mut begun, before_change) = (search.from, mem::take(&mut search.before), search.since_change);
        let mut at = begun.len();
        begun.push_str(&self.text[from..]);
        self.fresh = self.fresh.min(from);
        let longest = if self.asked.now == 0 { usize::MAX } else { self.asked.now };

        let (mut decided, mut count, mut changes, mut is_broken) = (String::new(), 0, false, false);
        let excerpt = Excerpt { text: &begun, from: at, is_last: self.is_last, longest };
        let undecided = pattern.search_all(excerpt, &mut |place, found| {
            let text = begun.get(place.clone()).filter(|text| place.start >= at && !text.is_empty());
            // A match outside of the text counts as undecided, and so does what follows.
            let Some(text) = text.filter(|_| !is_broken) else { return is_broken = true };
            decided.push_str(&begun[at..place.start]);
            let with = with(PatternMatch { text, found });
            decided.push_str(with.as_ref());
            changes |= with.as_ref() != text;
            at = place.end;
            count += 1;
        });
        let undecided = match undecided.unwrap_or(begun.len()) {
            _ if self.is_last => begun.len(),
            from if !is_broken && from >= at && begun.is_char_boundary(from) => from,
            _ => at,
        };
        decided.push_str(&begun[at..undecided]);
        self.text.replace_range(from.., &decided);
        self.hold(&begun[undecided..]);

        let context = pattern.context().min(CONTEXT);
        let unchanged = begun[at..undecided].chars().count();
        let since_change = if changes { unchanged } else { before_change.saturating_add(unchanged) };
        // If nothing was replaced in or before the text, and nothing is held back, another search finds nothing.
        let is_same = !changes && before_change >= context && undecided == begun.len();
        if is_same && round > 0 && !self.has_later_round(pattern, line, round) {
            // The round begins again when it is needed.
            self.searches.remove(place);
        } else {
            begun.truncate(undecided);
            keep_last(&mut begun, context);
            let search = &mut self.searches[place];
            (search.before, search.since_change) = (begun, since_change);
            search.followed_by = self.held_back.len();
        }
        Searched { count, changes, is_same }
    }

    /// Returns whether a round after this one has begun.
    fn has_later_round<P: Pattern + ?Sized>(
        &self,
        pattern: &P,
        line: &'static Location<'static>,
        round: usize,
    ) -> bool {
        let key = key_of(pattern, line);
        self.searches.iter().any(|search| search.key == key && search.round > round)
    }

    /// Returns the index of the search that this line makes for this pattern, and records that it was made in this
    /// window.
    fn placed_search<P: Pattern + ?Sized>(
        &mut self,
        pattern: &P,
        line: &'static Location<'static>,
        round: usize,
    ) -> usize {
        let key = key_of(pattern, line);
        let last_left = || {
            let mut before = self.last_left.clone();
            keep_last(&mut before, pattern.context());
            before
        };
        let place =
            self.searches.iter().position(|search| !search.is_made && search.key == key && search.round == round);
        let place = place.unwrap_or_else(|| {
            let before = last_left();
            self.searches.push(PlacedSearch {
                key,
                round,
                is_made: false,
                from: 0,
                before,
                since_change: usize::MAX,
                followed_by: 0,
            });
            self.searches.len() - 1
        });
        let intact = self.text.bytes().zip(self.known.bytes()).take_while(|(one, other)| one == other).count();
        let search = &mut self.searches[place];
        search.is_made = true;
        if search.from > intact {
            // A rail has changed decided text, and a match may begin before the change.
            (search.from, search.before, search.since_change) = (0, last_left(), usize::MAX);
        }
        place
    }
}

/// The result of one search.
struct Searched {
    /// The number of matches.
    count: usize,
    /// Whether a match was replaced by another text.
    changes: bool,
    /// Whether another search finds and holds back the same.
    is_same: bool,
}

/// Returns the key of a search.
fn key_of<P: Pattern + ?Sized>(pattern: &P, line: &'static Location<'static>) -> SearchKey {
    (line, std::ptr::from_ref(pattern).cast::<()>().addr(), size_of_val(pattern))
}

/// Removes the beginning of a text that has more than this number of characters.
fn keep_last(text: &mut String, characters: usize) {
    let start = match characters.checked_sub(1) {
        None => text.len(),
        Some(before) => text.char_indices().nth_back(before).map_or(0, |(at, _)| at),
    };
    text.drain(..start);
    text.shrink_to(LONG);
}
