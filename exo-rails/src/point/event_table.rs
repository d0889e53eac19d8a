//! The table of events. To add an event, start here.
//!
//! A row has these parts:
//!
//! - the event's name,
//! - its number, which is its index in [`HookPoint::ALL`](super::HookPoint::ALL),
//! - its name at run time,
//! - a word for when it fires,
//! - its payload,
//! - the type of the substitute that a skip may bring,
//! - the highest action that its rails may return.
//!
//! The word is one of these:
//!
//! - `before`: the event fires before the step that it announces.
//! - `after`: the event fires after the step that it reports, so an onion runs the rails in reverse order.
//! - `end`: the event reports the end of a run or a session, so its rails have nothing to stop. An onion runs them in
//!   reverse order too.
//!
//! `event_table!(callback)` passes the rows to the macro `callback`. The callbacks generate
//! [`HookPoint`](super::HookPoint), the event types with their traits, the union of payloads, the bounds of a guard set,
//! and the payloads that a test holds. The lists in messages, in the macros and in the docs cannot be generated: the test
//! `every_list_of_events_is_complete` compares them with the table.

macro_rules! event_table {
    ($callback:ident) => {
        $callback! {
            /// A session of several runs begins.
            SessionStart = 0 "session_start" before
                (ref session: SessionInfo) -> NoSubstitute, allows Abort;
            /// A run begins. A skip ends the run with a substitute output, such as a cached answer.
            Start = 1 "start" before
                (mut run: InvokeInputs) -> InvokeOutput, allows Retry;
            /// A memory has answered, and the model has not read the answer yet. A skip may bring a substitute for the
            /// recalled items. Without a substitute, the model reads no recalled items.
            MemoryRecalled = 2 "memory_recalled" before
                (ref query: MemoryQuery, mut memory: RecalledMemory) -> RecalledMemory, allows Skip;
            /// A run has assembled the messages that its model reads first: instructions, conversation, recalled memory,
            /// input. The changes of rails last for the whole run.
            ContextAssembled = 3 "context_assembled" before
                (mut context: ContextInputs) -> NoSubstitute, allows Abort;
            /// The history is about to be compacted, because it exceeds its budget. A skip may bring a substitute history.
            /// Without a substitute, the history stays unchanged.
            PreCompaction = 4 "pre_compaction" before
                (mut history: CompactionInputs) -> CompactionOutput, allows Skip;
            /// The history has been compacted. The rails of this event observe.
            PostCompaction = 5 "post_compaction" after
                (ref history: CompactionInputs, ref output: CompactionOutput) -> NoSubstitute, allows Nothing;
            /// The next model call has more tokens than the budget allows, and no compaction has helped. The changes of
            /// rails last for the whole run.
            ContextOverflow = 6 "context_overflow" before
                (mut context: ContextInputs) -> NoSubstitute, allows Abort;
            /// The model is about to be called.
            PreLlmCall = 7 "pre_llm_call" before
                (mut call: ModelCallInputs) -> ModelResponse, allows Retry;
            /// The model has sent a piece of its answer, or the whole answer if the answer is not streamed. A skip releases
            /// the window unchanged. A retry calls the model again. To end the answer here, see
            /// [`StreamWindow::end`](crate::StreamWindow::end).
            LlmChunk = 8 "llm_chunk" before
                (ref call: ModelCallInputs, mut window: StreamWindow) -> NoSubstitute, allows Retry;
            /// The model has answered. A skip accepts the answer unchanged.
            PostLlmCall = 9 "post_llm_call" after
                (ref call: ModelCallInputs, mut response: ModelResponse) -> NoSubstitute, allows Retry;
            /// The model call has failed. A skip may bring a substitute, such as an answer from another provider. A skip
            /// without a substitute keeps the error, and no further rail runs.
            LlmError = 10 "llm_error" after
                (ref call: ModelCallInputs, ref error: OperationError) -> ModelResponse, allows Retry;
            /// A tool is about to be called.
            PreToolCall = 11 "pre_tool_call" before
                (mut call: ToolCallInputs) -> ToolOutput, allows Retry;
            /// A tool has returned. A skip accepts the output unchanged.
            PostToolCall = 12 "post_tool_call" after
                (ref call: ToolCallInputs, mut output: ToolOutput) -> NoSubstitute, allows Retry;
            /// A tool has failed. A skip may bring a substitute. After a skip without a substitute, the model reads the
            /// error as the output of the tool, and no further rail runs.
            ToolError = 13 "tool_error" after
                (ref call: ToolCallInputs, ref error: OperationError) -> ToolOutput, allows Retry;
            /// A run has its answer. A skip accepts the answer unchanged. A retry repeats the whole run.
            Finished = 14 "finished" after
                (ref run: InvokeInputs, mut output: InvokeOutput) -> NoSubstitute, allows Retry;
            /// A memory is about to store an entry. After a skip, the memory does not store the entry.
            MemoryStored = 15 "memory_stored" before
                (mut entry: MemoryEntry) -> NoSubstitute, allows Skip;
            /// A run ends with an error. The rails of this event observe.
            Error = 16 "error" end
                (ref run: InvokeInputs, ref error: RunError) -> NoSubstitute, allows Nothing;
            /// A rail has suspended the run until its question is answered. The rails of this event observe. If several
            /// rails ask at once, each about a different tool call, the event carries the first question.
            Suspended = 17 "suspended" end
                (ref run: InvokeInputs, ref question: OpenQuestion) -> NoSubstitute, allows Nothing;
            /// A session ends. The rails of this event observe.
            SessionEnd = 18 "session_end" end
                (ref session: SessionInfo) -> NoSubstitute, allows Nothing;
            /// A run or a session is dropped before its end. The rails of this event observe. They run during the drop,
            /// where nothing can be awaited, so each of them is a plain `fn`.
            Dropped = 19 "dropped" end
                (ref dropped: DroppedInputs) -> NoSubstitute, allows Nothing;
        }
    };
}

pub(crate) use event_table;
