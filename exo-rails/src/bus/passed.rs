//! The inputs of an operation in later records. A record may have them only if the rails before the operation have
//! allowed them.

use crate::context::RailContext;
use crate::point::HookPoint;

/// Returns the operation of an event as a bit, or 0 if the event does not have the inputs of an operation.
// Two custom operations may have the same bit. In a context, an operation ends before the next one starts.
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

/// At the event before an operation, records whether the rails have allowed the inputs. At other events, does nothing.
pub(super) const fn note(point: HookPoint, passed: bool, ctx: &mut RailContext) {
    if !point.is_after() {
        ctx.set_passed(operation_of(point), passed);
    }
}

/// Returns whether a record of this event may have the inputs of its operation.
pub(super) const fn may_have_inputs(point: HookPoint, ctx: &RailContext) -> bool {
    let operation = operation_of(point);
    operation == 0 || ctx.has_passed(operation)
}
