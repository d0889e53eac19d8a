//! The table of events: the one place to edit for a new event.
//!
//! A line has the event's name, its number (its place in [`HookPoint::ALL`](super::HookPoint::ALL)), its name at run time,
//! when it fires, its payload, what a skip brings, and what its rails may decide:
//!
//! - `before`: what it announces has not happened yet;
//! - `after`: it has happened, so an onion reverses the rails;
//! - `end`: likewise, and nothing is left to stop.
//!
//! `event_table!(callback)` passes the lines to the macro `callback`. From them come [`HookPoint`](super::HookPoint), the event
//! types with their traits, the union of payloads, the bounds of a guard set, and the payloads that a test holds. What
//! cannot be generated (the lists in messages, in the macros and in the docs) is held against the table by the test
//! `every_list_has_every_event`.

macro_rules! event_table {
    ($callback:ident) => {
        $callback! {
            /// A session of several runs begins.
            SessionStart = 0 "session_start" before
                (ref session: SessionInfo) -> NoSubstitute, allows Abort;
            /// A run begins. A skip ends it with a substitute output: a cache hit.
            Start = 1 "start" before
                (mut run: InvokeInputs) -> InvokeOutput, allows Retry;
            /// A memory has answered, and the model has not read it yet. A skip brings what is recalled instead; without a
            /// substitute, nothing is recalled.
            MemoryRecalled = 2 "memory_recalled" before
                (ref query: MemoryQuery, mut memory: RecalledMemory) -> RecalledMemory, allows Skip;
            /// A run has put together what its model reads first: instructions, conversation, recalled memory, input. What
            /// rails change stays changed for the whole run.
            ContextAssembled = 3 "context_assembled" before
                (mut context: ContextInputs) -> NoSubstitute, allows Abort;
            /// The history is about to be compacted, because it has outgrown its budget. A skip may bring the history to
            /// use instead; without one, the history stays as it is.
            PreCompaction = 4 "pre_compaction" before
                (mut history: CompactionInputs) -> CompactionOutput, allows Skip;
            /// The history has been compacted. Its rails observe.
            PostCompaction = 5 "post_compaction" after
                (ref history: CompactionInputs, ref output: CompactionOutput) -> NoSubstitute, allows Nothing;
            /// The model is about to be called with more tokens than the budget allows, and no compaction has helped. What
            /// rails change stays changed for the whole run.
            ContextOverflow = 6 "context_overflow" before
                (mut context: ContextInputs) -> NoSubstitute, allows Abort;
            /// The model is about to be called.
            PreLlmCall = 7 "pre_llm_call" before
                (mut call: ModelCallInputs) -> ModelResponse, allows Retry;
            /// The model has said something more: a piece of its answer, or all of an answer that is not streamed. A skip
            /// lets the window leave as it stands; a retry has the model called again. To end the answer here, see
            /// [`StreamWindow::end`](crate::StreamWindow::end).
            LlmChunk = 8 "llm_chunk" before
                (ref call: ModelCallInputs, mut window: StreamWindow) -> NoSubstitute, allows Retry;
            /// The model has answered. A skip accepts the answer as it stands.
            PostLlmCall = 9 "post_llm_call" after
                (ref call: ModelCallInputs, mut response: ModelResponse) -> NoSubstitute, allows Retry;
            /// The call of the model has failed. A skip may bring a substitute, such as an answer from another provider.
            /// Without one, the error goes on, and no further rail is asked.
            LlmError = 10 "llm_error" after
                (ref call: ModelCallInputs, ref error: OperationError) -> ModelResponse, allows Retry;
            /// A tool is about to be called.
            PreToolCall = 11 "pre_tool_call" before
                (mut call: ToolCallInputs) -> ToolOutput, allows Retry;
            /// A tool has returned. A skip accepts the output as it stands.
            PostToolCall = 12 "post_tool_call" after
                (ref call: ToolCallInputs, mut output: ToolOutput) -> NoSubstitute, allows Retry;
            /// A tool has failed. A skip may bring a substitute. Without one, the error becomes the output that the model
            /// reads, and no further rail is asked.
            ToolError = 13 "tool_error" after
                (ref call: ToolCallInputs, ref error: OperationError) -> ToolOutput, allows Retry;
            /// A run has its answer. A skip accepts it as it stands, a retry does the whole run again.
            Finished = 14 "finished" after
                (ref run: InvokeInputs, mut output: InvokeOutput) -> NoSubstitute, allows Retry;
            /// A memory is about to store something. After a skip, it is not stored.
            MemoryStored = 15 "memory_stored" before
                (mut entry: MemoryEntry) -> NoSubstitute, allows Skip;
            /// A run ends with an error. Its rails observe.
            Error = 16 "error" end
                (ref run: InvokeInputs, ref error: RunError) -> NoSubstitute, allows Nothing;
            /// A rail has suspended the run, which waits for an answer. Its rails observe. Of several rails that ask at once, each
            /// about another tool call, this is the first.
            Suspended = 17 "suspended" end
                (ref run: InvokeInputs, ref question: OpenQuestion) -> NoSubstitute, allows Nothing;
            /// A session ends. Its rails observe.
            SessionEnd = 18 "session_end" end
                (ref session: SessionInfo) -> NoSubstitute, allows Nothing;
            /// A run or a session is dropped before it has ended. Its rails observe, and run while it is dropped: a rail is a
            /// plain `fn`, because nothing can wait there.
            Dropped = 19 "dropped" end
                (ref dropped: DroppedInputs) -> NoSubstitute, allows Nothing;
        }
    };
}

pub(crate) use event_table;
