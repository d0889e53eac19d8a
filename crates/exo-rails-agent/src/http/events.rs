//! Server-sent events, as servers of models use them: turns bytes into the data of each event.
//!
//! This module exists because no crate has both properties that are needed. The last event may lack the empty line at its
//! end, and the length of an event is limited.

use std::collections::VecDeque;

/// An event. Its data are bytes, because only a whole event is certain to end at the end of a character.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Event {
    pub(crate) data: Vec<u8>,
    /// Whether the name of the event is `error`.
    pub(crate) is_error: bool,
}

/// An event exceeds the limit. Earlier events do not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TooLong;

/// Takes bytes as they arrive, and returns events.
#[derive(Debug)]
pub(crate) struct Events {
    /// The limit on the bytes of an event.
    longest: usize,
    /// The line that has not ended yet.
    line: Vec<u8>,
    /// The data of the event that has not ended yet. `None` if it has no data.
    data: Option<Vec<u8>>,
    is_error: bool,
    /// Whether the last line ended with a carriage return. A line feed after it is a part of the same end of line.
    after_return: bool,
    /// Whether an event was too long. Later bytes are ignored.
    is_too_long: bool,
    ready: VecDeque<Event>,
}

impl Events {
    /// Reads events of at most `longest` bytes.
    pub(crate) fn new(longest: usize) -> Self {
        Self {
            longest,
            line: Vec::new(),
            data: None,
            is_error: false,
            after_return: false,
            is_too_long: false,
            ready: VecDeque::new(),
        }
    }

    /// Takes more bytes.
    pub(crate) fn feed(&mut self, mut bytes: &[u8]) {
        while let Some((&first, rest)) = bytes.split_first() {
            if std::mem::take(&mut self.after_return) && first == b'\n' {
                bytes = rest;
                continue;
            }
            let end = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let (line, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
            if !self.extend_line(line) {
                return;
            }
            bytes = rest;
            if let Some((&end, rest)) = rest.split_first() {
                self.after_return = end == b'\r';
                self.end_line();
                bytes = rest;
            }
        }
    }

    /// Returns the next complete event.
    ///
    /// # Errors
    /// Returns an error if the event is too long. The bytes after it are ignored.
    pub(crate) fn next(&mut self) -> Result<Option<Event>, TooLong> {
        match self.ready.pop_front() {
            None if self.is_too_long => Err(TooLong),
            event => Ok(event),
        }
    }

    /// Ends the input. The last event is then complete.
    pub(crate) fn end(&mut self) {
        if !self.is_too_long {
            self.end_line();
            self.end_event();
        }
    }

    /// Extends the line. Returns `false` if the event is now too long.
    fn extend_line(&mut self, bytes: &[u8]) -> bool {
        let length = self.line.len() + self.data.as_ref().map_or(0, Vec::len) + bytes.len();
        self.is_too_long |= length > self.longest;
        if !self.is_too_long {
            self.line.extend_from_slice(bytes);
        }
        !self.is_too_long
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            return self.end_event();
        }
        // A byte order mark may precede the first line. It would hide the name of the field.
        let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&line);
        let colon = line.iter().position(|&byte| byte == b':').unwrap_or(line.len());
        let (name, value) = line.split_at(colon);
        let value = value.strip_prefix(b":").unwrap_or(value);
        self.field(name, value.strip_prefix(b" ").unwrap_or(value));
    }

    fn field(&mut self, name: &[u8], value: &[u8]) {
        match name {
            b"data" => self.add_data(value),
            b"event" => self.is_error = value == b"error",
            // llama.cpp writes errors in this form.
            b"error" => {
                self.is_error = true;
                self.add_data(value);
            }
            // Comments keep the connection alive. They have the empty name.
            _ => {}
        }
    }

    fn add_data(&mut self, value: &[u8]) {
        match &mut self.data {
            None => self.data = Some(value.to_vec()),
            Some(data) => {
                data.push(b'\n');
                data.extend_from_slice(value);
            }
        }
    }

    fn end_event(&mut self) {
        let is_error = std::mem::take(&mut self.is_error);
        if let Some(data) = self.data.take() {
            self.ready.push_back(Event { data, is_error });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Event, Events, TooLong};

    const LONGEST: usize = 1024;

    fn event(data: &str) -> Event {
        Event { data: data.into(), is_error: false }
    }

    /// Returns the events of this text, which arrives in pieces of `size` bytes, and whether an event is too long.
    fn events(text: &str, size: usize) -> (Vec<Event>, Result<(), TooLong>) {
        let mut events = Events::new(LONGEST);
        text.as_bytes().chunks(size).for_each(|piece| events.feed(piece));
        events.end();
        let mut all = Vec::new();
        loop {
            match events.next() {
                Ok(Some(event)) => all.push(event),
                end => return (all, end.map(drop)),
            }
        }
    }

    #[test]
    fn events_are_the_same_in_pieces_of_any_size() {
        let long = format!("data: a\n\ndata: {}\n\ndata: b\n\n", "x".repeat(LONGEST));
        let cases = [
            ("data: a\n\ndata: b\n\n", vec![event("a"), event("b")]),
            ("data: a\r\n\r\ndata:b\r\r", vec![event("a"), event("b")]),
            ("data: a\ndata\ndata:  b\n\n", vec![event("a\n\n b")]),
            ("data: a\r\ndata: b\r\n\r\n", vec![event("a\nb")]),
            (": ping\n\n:\n\nid: 7\nretry: 5\n\n", vec![]),
            ("\u{feff}data: grüße\n\n\n\n", vec![event("grüße")]),
            ("event: error\ndata: x\n\ndata: y\n\n", vec![Event { is_error: true, ..event("x") }, event("y")]),
            ("error: x\n\n", vec![Event { is_error: true, ..event("x") }]),
            ("data: a\n\ndata: cut o", vec![event("a"), event("cut o")]),
            // The reader returns the events before an event that is too long, and ignores all bytes after it.
            (&long, vec![event("a")]),
        ];
        for (text, expected) in cases {
            let end = if text.len() > LONGEST { Err(TooLong) } else { Ok(()) };
            for size in 1..=text.len() {
                assert_eq!(events(text, size), (expected.clone(), end), "{text:?} in pieces of {size}");
            }
        }
    }

    #[test]
    fn an_event_without_an_end_does_not_fill_the_memory() {
        for lines in ["data: {}", "data: {}\n"] {
            let text = lines.replace("{}", &"x".repeat(LONGEST / 4)).repeat(8);
            let mut events = Events::new(LONGEST);
            text.as_bytes().chunks(100).for_each(|piece| events.feed(piece));
            assert_eq!(events.next(), Err(TooLong));
            assert!(events.line.len() + events.data.map_or(0, |data| data.len()) <= LONGEST);
        }
    }
}
