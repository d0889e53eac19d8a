//! Lists of messages that clones share. A clone costs a reference count.

use std::fmt;
use std::iter::FusedIterator;
use std::ops::{Index, IndexMut, RangeBounds};
use std::sync::Arc;
use std::{slice, vec};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Message;

/// A list of messages that clones share. A clone costs a reference count, at any length.
///
/// Use it like a `Vec<Message>`. Clones share one list, and different lists share their messages. Changing a list
/// changes only that list: other clones keep their messages. A change copies only the shared parts that it touches: the
/// list, which is one pointer for each message, and the changed message.
///
/// ```
/// use exo_rails::message::{Message, Messages};
///
/// let told = Messages::from([Message::system("Be brief."), Message::user("Where is my order?")]);
/// let mut request = told.clone();
/// request.push(Message::assistant("On its way."));
/// request[0] = Message::system("Be friendly.");
///
/// assert_eq!(request.len(), 3);
/// assert_eq!(told, [Message::system("Be brief."), Message::user("Where is my order?")]);
/// ```
///
/// A list cannot return a range as a slice. Read a range with [`iter`](Self::iter), or copy it into another list with
/// [`extend_from`](Self::extend_from).
// `None` is the empty list: it allocates nothing, like an empty `Vec`. A list inside `Some` may be empty too.
#[derive(Clone, Default)]
pub struct Messages(Option<Arc<Vec<Arc<Message>>>>);

impl Messages {
    /// Makes an empty list. It allocates nothing.
    ///
    /// ```
    /// use exo_rails::message::Messages;
    ///
    /// assert!(Messages::new().is_empty());
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self(None)
    }

    /// Returns the number of messages.
    ///
    /// ```
    /// use exo_rails::message::{Message, Messages};
    ///
    /// assert_eq!(Messages::from([Message::user("Hello")]).len(), 1);
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.shared().len()
    }

    /// Returns whether the list has no messages.
    ///
    /// ```
    /// use exo_rails::message::{Message, Messages};
    ///
    /// assert!(!Messages::from([Message::user("Hello")]).is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.shared().is_empty()
    }

    /// Returns the first message.
    ///
    /// ```
    /// use exo_rails::message::{Message, Messages};
    ///
    /// let messages = Messages::from([Message::system("Be brief."), Message::user("Hello")]);
    /// assert!(messages.first().is_some_and(Message::is_instructions));
    /// ```
    #[must_use]
    pub fn first(&self) -> Option<&Message> {
        self.get(0)
    }

    /// Returns the last message.
    ///
    /// ```
    /// use exo_rails::message::{Message, Messages};
    ///
    /// let messages = Messages::from([Message::system("Be brief."), Message::user("Hello")]);
    /// assert_eq!(messages.last().unwrap().text(), "Hello");
    /// ```
    #[must_use]
    pub fn last(&self) -> Option<&Message> {
        self.shared().last().map(|message| &**message)
    }

    /// Returns a mutable reference to the last message. If the message is shared, `last_mut` copies it.
    ///
    /// ```
    /// use exo_rails::message::{Message, Messages, Role};
    ///
    /// let mut messages = Messages::from([Message::user("Hello")]);
    /// messages.last_mut().unwrap().role = Role::Assistant;
    /// assert_eq!(messages, [Message::assistant("Hello")]);
    /// ```
    pub fn last_mut(&mut self) -> Option<&mut Message> {
        self.get_mut(self.len().checked_sub(1)?)
    }

    /// Returns the message at this index.
    ///
    /// ```
    /// use exo_rails::message::{Message, Messages};
    ///
    /// let messages = Messages::from([Message::user("Hello")]);
    /// assert_eq!(messages.get(0).unwrap().text(), "Hello");
    /// assert_eq!(messages.get(1), None);
    /// ```
    #[must_use]
    pub fn get(&self, at: usize) -> Option<&Message> {
        self.shared().get(at).map(|message| &**message)
    }

    /// Returns a mutable reference to the message at this index. If the message is shared, `get_mut` copies it.
    ///
    /// ```
    /// use exo_rails::message::{Message, Messages};
    ///
    /// let mut messages = Messages::from([Message::user("Hello")]);
    /// if let Some(message) = messages.get_mut(0) {
    ///     *message = Message::user("Goodbye");
    /// }
    /// assert_eq!(messages[0].text(), "Goodbye");
    /// ```
    pub fn get_mut(&mut self, at: usize) -> Option<&mut Message> {
        // An index past the end must not copy the list.
        (at < self.len()).then(|| Arc::make_mut(&mut self.own(0)[at]))
    }

    /// Returns an iterator over the messages, in order.
    ///
    /// ```
    /// use exo_rails::message::{Message, Messages, Role};
    ///
    /// let messages = Messages::from([Message::user("Hello"), Message::assistant("Hello!")]);
    /// let asked = messages.iter().rfind(|message| message.role == Role::User);
    /// assert_eq!(asked.unwrap().text(), "Hello");
    /// ```
    #[must_use]
    pub fn iter(&self) -> MessagesIter<'_> {
        MessagesIter(self.shared().iter())
    }

    /// Returns an iterator over mutable references to the messages, in order. When the iterator reaches a shared
    /// message, it copies the message, even if you change nothing in it. To change a few of many messages, find their
    /// indices with [`iter`](Self::iter), and change them with [`get_mut`](Self::get_mut).
    ///
    /// ```
    /// use exo_rails::message::{Content, Message, Messages};
    ///
    /// let mut messages = Messages::from([Message::user("a"), Message::user("b")]);
    /// for message in messages.iter_mut().rev().take(1) {
    ///     message.content = Some(Content::from("c"));
    /// }
    /// assert_eq!(messages, [Message::user("a"), Message::user("c")]);
    /// ```
    pub fn iter_mut(&mut self) -> MessagesIterMut<'_> {
        MessagesIterMut(if self.is_empty() { [].iter_mut() } else { self.own(0).iter_mut() })
    }

    /// Calls `change` with [each text](Message::for_each_text) of the messages. Use it in rails that redact. A shared
    /// message is copied only if a text in it has changed.
    ///
    /// ```
    /// use exo_rails::message::{Message, Messages};
    ///
    /// let mut messages = Messages::from([Message::user("My key is sk-live-4711."), Message::user("Hello?")]);
    /// messages.for_each_text(|text| *text = text.replace("sk-live-4711", "[key]"));
    /// assert_eq!(messages[0].text(), "My key is [key].");
    /// ```
    pub fn for_each_text(&mut self, change: impl FnMut(&mut String)) {
        self.for_each_text_from(0, change);
    }

    /// Calls `change` with each text of the messages from this index on: see [`for_each_text`](Self::for_each_text).
    ///
    /// ```
    /// use exo_rails::message::{Message, Messages};
    ///
    /// let mut messages = Messages::from([Message::user("one"), Message::user("two")]);
    /// messages.for_each_text_from(1, |text| text.make_ascii_uppercase());
    /// assert_eq!(messages, [Message::user("one"), Message::user("TWO")]);
    /// ```
    pub fn for_each_text_from(&mut self, from: usize, mut change: impl FnMut(&mut String)) {
        for at in from..self.len() {
            let mut changed = self[at].clone();
            changed.for_each_text(&mut change);
            if changed != self[at] {
                self[at] = changed;
            }
        }
    }

    /// Returns how many messages at the beginning this list shares with another list, because one of them is a copy of the other.
    /// A rail that keeps a copy of the last conversation finds out what is new in the next one. This compares no texts, so it
    /// takes a few nanoseconds for each message. Messages that are equal, but were made twice, are not shared.
    ///
    /// ```
    /// use exo_rails::message::{Message, Messages};
    ///
    /// let last = Messages::from([Message::user("Hello"), Message::assistant("Hello!")]);
    /// let mut next = last.clone();
    /// next.push(Message::user("Where is my order?"));
    /// assert_eq!(next.shared_start(&last), 2);
    ///
    /// next[0] = Message::user("Hi");
    /// assert_eq!(next.shared_start(&last), 0);
    /// ```
    #[must_use]
    pub fn shared_start(&self, other: &Self) -> usize {
        match (&self.0, &other.0) {
            (Some(one), Some(other)) if Arc::ptr_eq(one, other) => one.len(),
            (Some(one), Some(other)) => {
                one.iter().zip(other.iter()).take_while(|(one, other)| Arc::ptr_eq(one, other)).count()
            }
            _ => 0,
        }
    }

    /// Adds a message at the end.
    ///
    /// ```
    /// use exo_rails::message::{Message, Messages};
    ///
    /// let mut messages = Messages::new();
    /// messages.push(Message::user("Hello"));
    /// assert_eq!(messages.len(), 1);
    /// ```
    pub fn push(&mut self, message: Message) {
        self.own(1).push(Arc::new(message));
    }

    /// Inserts a message at this index, before the message that is there.
    ///
    /// ```
    /// use exo_rails::message::{Message, Messages};
    ///
    /// let mut messages = Messages::from([Message::user("Hello")]);
    /// messages.insert(0, Message::system("Be brief."));
    /// assert_eq!(messages, [Message::system("Be brief."), Message::user("Hello")]);
    /// ```
    ///
    /// # Panics
    /// Panics if `at` is greater than the number of messages.
    #[track_caller]
    pub fn insert(&mut self, at: usize, message: Message) {
        assert!(at <= self.len(), "cannot insert at {at}: the list has {} messages", self.len());
        self.own(1).insert(at, Arc::new(message));
    }

    /// Removes the message at this index and returns it. If the message is shared, `remove` returns a copy.
    ///
    /// ```
    /// use exo_rails::message::{Message, Messages};
    ///
    /// let mut messages = Messages::from([Message::system("Be brief."), Message::user("Hello")]);
    /// assert_eq!(messages.remove(0), Message::system("Be brief."));
    /// assert_eq!(messages, [Message::user("Hello")]);
    /// ```
    ///
    /// # Panics
    /// Panics if there is no message at this index.
    #[track_caller]
    pub fn remove(&mut self, at: usize) -> Message {
        assert!(at < self.len(), "there is no message {at}: the list has {} messages", self.len());
        Arc::unwrap_or_clone(self.own(0).remove(at))
    }

    /// Removes the last message and returns it. If the message is shared, `pop` returns a copy.
    ///
    /// ```
    /// use exo_rails::message::{Message, Messages};
    ///
    /// let mut messages = Messages::from([Message::user("Hello")]);
    /// assert_eq!(messages.pop(), Some(Message::user("Hello")));
    /// assert_eq!(messages.pop(), None);
    /// ```
    pub fn pop(&mut self) -> Option<Message> {
        if self.is_empty() { None } else { self.own(0).pop().map(Arc::unwrap_or_clone) }
    }

    /// Keeps the first `len` messages and removes the others.
    ///
    /// ```
    /// use exo_rails::message::{Message, Messages};
    ///
    /// let mut messages = Messages::from([Message::user("a"), Message::user("b")]);
    /// messages.truncate(1);
    /// assert_eq!(messages, [Message::user("a")]);
    /// ```
    pub fn truncate(&mut self, len: usize) {
        if len < self.len() {
            self.own(0).truncate(len);
        }
    }

    /// Removes all messages.
    ///
    /// ```
    /// use exo_rails::message::{Message, Messages};
    ///
    /// let mut messages = Messages::from([Message::user("Hello")]);
    /// messages.clear();
    /// assert!(messages.is_empty());
    /// ```
    pub fn clear(&mut self) {
        *self = Self::new();
    }

    /// Keeps the messages for which `keep` returns `true`.
    ///
    /// ```
    /// use exo_rails::message::{Message, Messages};
    ///
    /// let mut messages = Messages::from([Message::system("Be brief."), Message::user("Hello")]);
    /// messages.retain(|message| !message.is_instructions());
    /// assert_eq!(messages, [Message::user("Hello")]);
    /// ```
    pub fn retain(&mut self, mut keep: impl FnMut(&Message) -> bool) {
        if !self.is_empty() {
            self.own(0).retain(|message| keep(message));
        }
    }

    /// Removes a range of messages, and returns an iterator over them. The iterator returns a copy of each shared
    /// message.
    ///
    /// ```
    /// use exo_rails::message::{Message, Messages};
    ///
    /// let mut messages = Messages::from([Message::system("Be brief."), Message::user("a"), Message::user("b")]);
    /// let gone: Vec<_> = messages.drain(1..2).collect();
    /// assert_eq!(gone, [Message::user("a")]);
    /// assert_eq!(messages, [Message::system("Be brief."), Message::user("b")]);
    /// ```
    ///
    /// # Panics
    /// Panics if the range starts after its end, or ends after the list.
    #[track_caller]
    pub fn drain(&mut self, range: impl RangeBounds<usize>) -> MessagesDrain<'_> {
        MessagesDrain(self.own(0).drain(range))
    }

    /// Adds a range of another list at the end. The two lists share these messages, so no message is copied.
    ///
    /// ```
    /// use exo_rails::message::{Message, Messages};
    ///
    /// let messages = Messages::from([Message::system("Be brief."), Message::user("a"), Message::user("b")]);
    /// let mut kept = Messages::new();
    /// kept.extend_from(&messages, ..1);
    /// kept.extend_from(&messages, 2..);
    /// assert_eq!(kept, [Message::system("Be brief."), Message::user("b")]);
    /// ```
    ///
    /// # Panics
    /// Panics if the range starts after its end, or ends after the list.
    #[track_caller]
    pub fn extend_from(&mut self, other: &Self, range: impl RangeBounds<usize>) {
        let part = &other.shared()[(range.start_bound().cloned(), range.end_bound().cloned())];
        if self.is_empty() && part.len() == other.len() {
            self.clone_from(other);
        } else if !part.is_empty() {
            self.own(part.len()).extend_from_slice(part);
        }
    }

    /// Returns a copy of all messages.
    ///
    /// ```
    /// use exo_rails::message::{Message, Messages};
    ///
    /// let list: Vec<Message> = Messages::from([Message::user("Hello")]).to_vec();
    /// assert_eq!(list, [Message::user("Hello")]);
    /// ```
    #[must_use]
    pub fn to_vec(&self) -> Vec<Message> {
        self.iter().cloned().collect()
    }

    fn shared(&self) -> &[Arc<Message>] {
        self.0.as_ref().map_or(&[], |list| list)
    }

    /// Returns a list that no other clone shares. If it must copy the list, the copy has room for `more` messages.
    fn own(&mut self, more: usize) -> &mut Vec<Arc<Message>> {
        let list = self.0.get_or_insert_default();
        if Arc::get_mut(list).is_none() {
            let mut copy = Vec::with_capacity(list.len() + more);
            copy.extend_from_slice(list);
            *list = Arc::new(copy);
        }
        Arc::make_mut(list)
    }

    fn of(list: Vec<Arc<Message>>) -> Self {
        Self((!list.is_empty()).then(|| Arc::new(list)))
    }
}

impl fmt::Debug for Messages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

impl From<Vec<Message>> for Messages {
    fn from(messages: Vec<Message>) -> Self {
        messages.into_iter().collect()
    }
}

impl<const N: usize> From<[Message; N]> for Messages {
    fn from(messages: [Message; N]) -> Self {
        messages.into_iter().collect()
    }
}

impl From<Messages> for Vec<Message> {
    fn from(messages: Messages) -> Self {
        messages.into_iter().collect()
    }
}

impl FromIterator<Message> for Messages {
    fn from_iter<I: IntoIterator<Item = Message>>(messages: I) -> Self {
        Self::of(messages.into_iter().map(Arc::new).collect())
    }
}

impl Extend<Message> for Messages {
    fn extend<I: IntoIterator<Item = Message>>(&mut self, messages: I) {
        let mut messages = messages.into_iter().map(Arc::new).peekable();
        if messages.peek().is_some() {
            self.own(messages.size_hint().0).extend(messages);
        }
    }
}

impl Index<usize> for Messages {
    type Output = Message;

    #[track_caller]
    fn index(&self, at: usize) -> &Message {
        &self.shared()[at]
    }
}

impl IndexMut<usize> for Messages {
    #[track_caller]
    fn index_mut(&mut self, at: usize) -> &mut Message {
        assert!(at < self.len(), "there is no message {at}: the list has {} messages", self.len());
        Arc::make_mut(&mut self.own(0)[at])
    }
}

impl PartialEq for Messages {
    fn eq(&self, other: &Self) -> bool {
        let (one, other) = (self.shared(), other.shared());
        // Each message equals itself, so a list does too. A shared list needs no comparison.
        std::ptr::eq(one, other)
            || one.len() == other.len()
                && one.iter().zip(other).all(|(one, other)| Arc::ptr_eq(one, other) || one == other)
    }
}

impl Eq for Messages {}

impl PartialEq<[Message]> for Messages {
    fn eq(&self, other: &[Message]) -> bool {
        self.iter().eq(other)
    }
}

impl<const N: usize> PartialEq<[Message; N]> for Messages {
    fn eq(&self, other: &[Message; N]) -> bool {
        *self == other[..]
    }
}

impl PartialEq<Vec<Message>> for Messages {
    fn eq(&self, other: &Vec<Message>) -> bool {
        *self == other[..]
    }
}

impl PartialEq<Messages> for Vec<Message> {
    fn eq(&self, other: &Messages) -> bool {
        other == self
    }
}

impl Serialize for Messages {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self)
    }
}

impl<'de> Deserialize<'de> for Messages {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Self::from)
    }
}

impl<'a> IntoIterator for &'a Messages {
    type Item = &'a Message;
    type IntoIter = MessagesIter<'a>;

    fn into_iter(self) -> MessagesIter<'a> {
        self.iter()
    }
}

impl<'a> IntoIterator for &'a mut Messages {
    type Item = &'a mut Message;
    type IntoIter = MessagesIterMut<'a>;

    fn into_iter(self) -> MessagesIterMut<'a> {
        self.iter_mut()
    }
}

impl IntoIterator for Messages {
    type Item = Message;
    type IntoIter = MessagesIntoIter;

    fn into_iter(self) -> MessagesIntoIter {
        MessagesIntoIter(self.0.map(Arc::unwrap_or_clone).unwrap_or_default().into_iter())
    }
}

/// Implements an iterator on top of the list's iterator. `$made` turns each pointer into an item.
macro_rules! iterator {
    ($name:ident $(<$life:lifetime>)?, $item:ty, $made:expr) => {
        impl $(<$life>)? Iterator for $name $(<$life>)? {
            type Item = $item;

            fn next(&mut self) -> Option<$item> {
                self.0.next().map($made)
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                self.0.size_hint()
            }

            // Skipped messages are not copied.
            fn nth(&mut self, n: usize) -> Option<$item> {
                self.0.nth(n).map($made)
            }

            fn count(self) -> usize {
                self.0.len()
            }

            fn last(mut self) -> Option<$item> {
                self.next_back()
            }
        }

        impl $(<$life>)? DoubleEndedIterator for $name $(<$life>)? {
            fn next_back(&mut self) -> Option<$item> {
                self.0.next_back().map($made)
            }

            fn nth_back(&mut self, n: usize) -> Option<$item> {
                self.0.nth_back(n).map($made)
            }
        }

        impl $(<$life>)? ExactSizeIterator for $name $(<$life>)? {}

        impl $(<$life>)? FusedIterator for $name $(<$life>)? {}
    };
}

/// An iterator over the messages of a list, made by [`Messages::iter`].
///
/// ```
/// use exo_rails::message::{Message, Messages};
///
/// let messages = Messages::from([Message::user("a"), Message::user("b")]);
/// let backwards: Vec<_> = messages.iter().rev().map(Message::text).collect();
/// assert_eq!(backwards, ["b", "a"]);
/// ```
#[derive(Clone, Debug)]
pub struct MessagesIter<'a>(slice::Iter<'a, Arc<Message>>);

iterator!(MessagesIter<'a>, &'a Message, |message| &**message);

/// An iterator over mutable references to the messages of a list, made by [`Messages::iter_mut`].
///
/// ```
/// use exo_rails::message::{Message, Messages, Role};
///
/// let mut messages = Messages::from([Message::user("a"), Message::user("b")]);
/// messages.iter_mut().for_each(|message| message.role = Role::System);
/// assert!(messages.iter().all(Message::is_instructions));
/// ```
#[derive(Debug)]
pub struct MessagesIterMut<'a>(slice::IterMut<'a, Arc<Message>>);

iterator!(MessagesIterMut<'a>, &'a mut Message, Arc::make_mut);

/// An iterator that owns the messages of a list, made by [`into_iter`](Messages::into_iter). It returns a copy of each
/// shared message.
///
/// ```
/// use exo_rails::message::{Message, Messages};
///
/// let messages = Messages::from([Message::user("a"), Message::user("b")]);
/// let list: Vec<Message> = messages.into_iter().collect();
/// assert_eq!(list.len(), 2);
/// ```
#[derive(Debug)]
pub struct MessagesIntoIter(vec::IntoIter<Arc<Message>>);

iterator!(MessagesIntoIter, Message, Arc::unwrap_or_clone);

/// An iterator over removed messages, made by [`Messages::drain`]. If you drop it before its end, the remaining
/// messages of the range are removed too.
///
/// ```
/// use exo_rails::message::{Message, Messages};
///
/// let mut messages = Messages::from([Message::user("a"), Message::user("b"), Message::user("c")]);
/// messages.drain(..2);
/// assert_eq!(messages, [Message::user("c")]);
/// ```
#[derive(Debug)]
pub struct MessagesDrain<'a>(vec::Drain<'a, Arc<Message>>);

iterator!(MessagesDrain<'a>, Message, Arc::unwrap_or_clone);
