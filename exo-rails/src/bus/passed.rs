//! Which inputs of operations a record may have: those that the rails before the operation have let pass.

use crate::context::RailContext;
use crate::point::HookPoint;

/// The operation that an event is part of, as a bit; none where there is no operation whose inputs the event carries.
// Two custom operations may have the same bit. In a context, one operation ends before the next begins.
const fn operation_of(point: HookPoint) -> u64 {
    let first = match point {
        HookPoint::Start | HookPoint::Finished | HookPoint::Error | HookPoint::Suspended => HookPoint::Start,
        HookPoint::PreLlmCall | HookPoint::PostLlmCall | HookPoint::LlmError => HookPoint::PreLlmCall,
        HookPoint::PreToolCall | HookPoint::PostToolCall | HookPoint::ToolError => HookPoint::PreToolCall,
        HookPoint::PreCompaction | HookPoint::PostCompaction => HookPoint::PreCompaction,
        HookPoint::Custom(point) => return point.operation_bit(),
        _ => return 0,
    };
    1 << first.number()
}

/// Notes what has become of the inputs of an operation, at the event before it. Other events change nothing.
pub(super) const fn note(point: HookPoint, passed: bool, ctx: &mut RailContext) {
    if !point.is_after() {
        ctx.set_passed(operation_of(point), passed);
    }
}

/// Whether a record of this event may have the inputs of its operation.
pub(super) const fn may_have_inputs(point: HookPoint, ctx: &RailContext) -> bool {
    let operation = operation_of(point);
    operation == 0 || ctx.has_passed(operation)
}
