//! A text as a reader may see it, with the places of the original text.

use std::ops::Range;

/// A text that was made from another one, its source, by replacing or removing some of its characters.
///
/// It knows the bytes of the source that each of its bytes stands for. So what is found in the reading can be found, and hidden, in the
/// source.
///
/// ```
/// use exo_rails_text::codes::decoded;
///
/// let source = r"the key is \u0073k-1";
/// let reading = decoded(source, true).ok_or("no code")?;
/// assert_eq!(reading.text(), "the key is sk-1");
///
/// let found = reading.text().find("sk-1").ok_or("nothing")?;
/// assert_eq!(&source[reading.in_source(&(found..found + 4))], r"\u0073k-1");
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    text: String,
    pieces: Vec<Piece>,
    end: Option<usize>,
}

/// Bytes of a reading that stand for other bytes of the source. Characters that were removed have no bytes in the reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    at: usize,
    length: usize,
    from: usize,
    to: usize,
}

impl Reading {
    /// Makes a reading in which each range of the source is replaced by some characters, or removed. The ranges are in order, and do not
    /// overlap.
    ///
    /// `end` is the place of the source where the reading ends, if that is not the end of the source. Returns `None` if nothing is
    /// replaced and the reading does not end early: then the source is its only reading.
    ///
    /// ```
    /// use exo_rails_text::reading::Reading;
    ///
    /// let reading = Reading::new("a\u{200b}b", None, [(1..4, None)]);
    /// assert_eq!(reading.map(|reading| reading.text().to_owned()).as_deref(), Some("ab"));
    /// assert_eq!(Reading::new("ab", None, [] as [(_, Option<char>); 0]), None);
    /// ```
    pub fn new<C: IntoIterator<Item = char>>(
        source: &str,
        end: Option<usize>,
        replaced: impl IntoIterator<Item = (Range<usize>, C)>,
    ) -> Option<Self> {
        let mut reading = Self { text: String::new(), pieces: Vec::new(), end };
        let mut copied = 0;
        let source = &source[..end.unwrap_or(source.len())];
        for (Range { start, end }, characters) in replaced {
            reading.text.push_str(&source[copied..start]);
            let at = reading.text.len();
            reading.text.extend(characters);
            let length = reading.text.len() - at;
            reading.pieces.push(Piece { at, length, from: start, to: end });
            copied = end;
        }
        if reading.pieces.is_empty() && end.is_none() {
            return None;
        }
        reading.text.push_str(&source[copied..]);
        Some(reading)
    }

    /// Returns the text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the text.
    #[must_use]
    pub fn into_text(self) -> String {
        self.text
    }

    /// Returns the place of the source where the reading ends, because what begins there is not complete.
    #[must_use]
    pub const fn end(&self) -> Option<usize> {
        self.end
    }

    /// Returns the bytes of the source that some bytes of this text stand for.
    #[must_use]
    pub fn in_source(&self, bytes: &Range<usize>) -> Range<usize> {
        let start = self.in_source_after(bytes.start);
        // A piece without bytes at the end is not a part.
        let end = match self.pieces[..self.pieces.partition_point(|piece| piece.at < bytes.end)].last() {
            None => bytes.end,
            Some(piece) if bytes.end <= piece.at + piece.length => piece.to,
            Some(piece) => piece.to + (bytes.end - piece.at - piece.length),
        };
        start..end.max(start)
    }

    /// Returns the place of the source for a place of this text, after all that was removed there.
    #[must_use]
    pub fn in_source_after(&self, at: usize) -> usize {
        match self.pieces[..self.pieces.partition_point(|piece| piece.at <= at)].last() {
            None => at,
            Some(piece) if at < piece.at + piece.length => piece.from,
            Some(piece) => piece.to + (at - piece.at - piece.length),
        }
    }

    /// Returns the place of this text for a place of the source. A place inside of a piece becomes the start of the piece.
    #[must_use]
    pub fn in_reading(&self, at: usize) -> usize {
        let place = match self.pieces[..self.pieces.partition_point(|piece| piece.from <= at)].last() {
            None => at,
            Some(piece) if at < piece.to => piece.at,
            Some(piece) => piece.at + piece.length + (at - piece.to),
        };
        place.min(self.text.len())
    }

    /// Returns the bytes of the source with all of each piece that they cut.
    #[must_use]
    pub fn whole_pieces(&self, bytes: &Range<usize>) -> Range<usize> {
        let cut = |at: usize| {
            let piece = self.pieces.get(self.pieces.partition_point(|piece| piece.to <= at))?;
            (piece.from < at).then_some(piece)
        };
        cut(bytes.start).map_or(bytes.start, |piece| piece.from)..cut(bytes.end).map_or(bytes.end, |piece| piece.to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_of_a_reading_are_found_in_its_source() {
        let source = "1\u{200b}23[0m45";
        let pieces = [(1..4, None), (6..9, None)];
        let reading = Reading::new::<Option<char>>(source, None, pieces);
        let place = |bytes| reading.as_ref().map(|reading| reading.in_source(&bytes));
        assert_eq!(reading.as_ref().map(Reading::text), Some("12345"));
        // Around the bytes, what was removed stays. Inside, it is a part.
        assert_eq!(place(3..5), Some(9..11));
        assert_eq!(place(0..1), Some(0..1));
        assert_eq!(place(1..4), Some(4..10));
        assert_eq!(reading.map(|reading| reading.whole_pieces(&(2..8))), Some(1..9));
    }
}
