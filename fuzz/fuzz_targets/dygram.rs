//! A DyGram file: its tree, its machine, its printed form and its format.

#![no_main]

use std::time::{Duration, Instant};

use exo_rails_dygram::syntax::{Item, parse};
use exo_rails_dygram::{FileId, Reader, format, read};
use libfuzzer_sys::fuzz_target;

/// Far more than a text of the usual length takes, also with the instruments of the fuzzer.
const BOUND: Duration = Duration::from_secs(5);

fuzz_target!(|text: &str| {
    let begin = Instant::now();
    let reading = read("f.dygram", text);
    assert!(begin.elapsed() < BOUND, "the file took {:?}", begin.elapsed());

    let sources = reading.report.sources();
    for found in reading.report.diagnostics() {
        let span = found.place.span;
        assert!(span.start <= span.end && span.end <= text.len(), "{found:?}");
        assert!(text.is_char_boundary(span.start) && text.is_char_boundary(span.end), "{found:?}");
        let location = sources.locate(found.place);
        assert!(location.line >= 1 && location.column >= 1);
    }
    let _ = reading.report.to_string();

    // A strict reader finds at least the errors of a lenient one.
    let strict = Reader::new().strict().read("f.dygram", text);
    assert!(strict.report.has_errors() || !reading.report.has_errors());

    let mut end = 0;
    for item in &parse(FileId::default(), text).file.items {
        let span = match item {
            Item::Node(node) => node.span,
            Item::Edge(edge) => edge.span,
            Item::Attribute(attribute) => attribute.span,
        };
        assert!(end <= span.start && span.start <= span.end, "statements overlap at {}", span.start);
        end = span.end;
    }

    if !reading.report.has_errors() {
        let printed = reading.machine.to_string();
        assert_eq!(read("p.dygram", &printed).machine, reading.machine, "printed as {printed}");
    }
    if let Ok(formatted) = format("f.dygram", text) {
        let parts = |text: &str| text.replace('\u{feff}', "").split_whitespace().collect::<String>();
        assert_eq!(parts(&formatted), parts(text));
        assert_eq!(format("f.dygram", &formatted).ok().as_ref(), Some(&formatted));
        assert_eq!(read("f.dygram", &formatted).machine, reading.machine, "formatted as {formatted}");
    }
});
