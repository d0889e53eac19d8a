//! The way to a value in the arguments.

use std::rc::Rc;

use crate::finding::Place;

/// The last step on the way to a value: a name or an index, and the step before it. The pointer is written only for a
/// finding: otherwise, a long name around a long list would fill the memory.
#[derive(Debug)]
pub(crate) struct Step<'v> {
    before: Way<'v>,
    segment: Segment<'v>,
}

/// A loop, because a long way would need as much of the stack.
impl Drop for Step<'_> {
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(mut step) = next.and_then(Rc::into_inner) {
            next = step.before.take();
        }
    }
}

/// The way to a value. `None` is the way to the whole value.
pub(crate) type Way<'v> = Option<Rc<Step<'v>>>;

#[derive(Debug)]
pub(crate) enum Segment<'v> {
    Name(&'v str),
    Index(usize),
}

/// Returns the way with a further step.
pub(crate) fn step<'v>(before: &Way<'v>, segment: Segment<'v>) -> Rc<Step<'v>> {
    Rc::new(Step { before: before.clone(), segment })
}

/// Returns the place at the end of a way.
pub(crate) fn place(way: &Way<'_>) -> Place {
    let mut segments = Vec::new();
    let mut next = way;
    while let Some(step) = next {
        segments.push(match step.segment {
            Segment::Name(name) => Place::argument(name).pointer,
            Segment::Index(index) => format!("/{index}"),
        });
        next = &step.before;
    }
    segments.reverse();
    Place::pointer(segments.concat())
}
