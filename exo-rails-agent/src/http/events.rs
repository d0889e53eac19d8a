//! Server-sent events, as far as servers of models use them: from bytes to the data of each event.
//!
//! It is not a crate because of what servers do and what they must not do: the last event may lack the empty line
//! behind it, and none may be longer than memory.

use std::collections::VecDeque;

/// An event: its data, undecoded, since nothing shorter than an event need be a whole number of characters.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Event {
    pub(crate) data: Vec<u8>,
    /// Whether it is called `error`.
    pub(crate) is_error: bool,
}

/// An event is too long.
#[derive(Debug, PartialEq)]
pub(crate) struct TooLong;

/// Takes bytes as they come and gives events.
#[derive(Debug)]
pub(crate) struct Events {
    /// How many bytes an event may have.
    longest: usize,
    /// The line that has not ended.
    line: Vec<u8>,
    /// The event that has not ended, when it has data.
    data: Option<Vec<u8>>,
    is_error: bool,
    /// A carriage return ended the last line: a line feed after it belongs to it.
    after_return: bool,
    ready: VecDeque<Event>,
}

impl Events {
    /// Events of at most so many bytes.
    pub(crate) fn new(longest: usize) -> Self {
        Self { longest, line: Vec::new(), data: None, is_error: false, after_return: false, ready: VecDeque::new() }
    }

    /// Takes more bytes.
    pub(crate) fn feed(&mut self, mut bytes: &[u8]) -> Result<(), TooLong> {
        while let Some((&first, rest)) = bytes.split_first() {
            if std::mem::take(&mut self.after_return) && first == b'\n' {
                bytes = rest;
                continue;
            }
            let end = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let (line, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
            self.extend_line(line)?;
            bytes = rest;
            if let Some((&end, rest)) = rest.split_first() {
                self.after_return = end == b'\r';
                self.end_line();
                bytes = rest;
            }
        }
        Ok(())
    }

    /// The next event that is complete.
    pub(crate) fn next(&mut self) -> Option<Event> {
        self.ready.pop_front()
    }

    /// What has come of the last event, when nothing more comes.
    pub(crate) fn rest(&mut self) -> Option<Event> {
        self.end_line();
        self.end_event();
        self.next()
    }

    fn extend_line(&mut self, bytes: &[u8]) -> Result<(), TooLong> {
        let length = self.line.len() + self.data.as_ref().map_or(0, Vec::len) + bytes.len();
        if length > self.longest {
            return Err(TooLong);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            return self.end_event();
        }
        // A byte order mark may stand before the first line, where it would hide the name of a field.
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
            // llama.cpp writes it so.
            b"error" => {
                self.is_error = true;
                self.add_data(value);
            }
            // Comments, which keep the connection alive, have the empty name.
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

    /// The events of this text when it comes in pieces of so many bytes.
    fn events(text: &str, size: usize) -> Vec<Event> {
        let mut events = Events::new(LONGEST);
        for piece in text.as_bytes().chunks(size) {
            assert_eq!(events.feed(piece), Ok(()));
        }
        let mut all: Vec<_> = std::iter::from_fn(|| events.next()).collect();
        all.extend(events.rest());
        all
    }

    #[test]
    fn events_are_the_same_in_pieces_of_any_size() {
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
        ];
        for (text, expected) in cases {
            for size in 1..=text.len() {
                assert_eq!(events(text, size), expected, "{text:?} in pieces of {size}");
            }
        }
    }

    #[test]
    fn an_event_without_an_end_does_not_fill_the_memory() {
        let (mut events, piece) = (Events::new(LONGEST), vec![b'x'; LONGEST / 4]);
        let fed = (0..8).try_for_each(|_| events.feed(b"data: ").and_then(|()| events.feed(&piece)));
        assert_eq!(fed, Err(TooLong));
        let (mut events, piece) = (Events::new(LONGEST), [&b"data: "[..], &piece, b"\n"].concat());
        assert_eq!((0..8).try_for_each(|_| events.feed(&piece)), Err(TooLong));
    }
}
