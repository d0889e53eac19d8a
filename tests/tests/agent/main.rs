//! The agent, and what belongs to it: its run, its tools, its sessions, its model, and what it tells.
//!
//! All in one program, for the same reason as in `guards`, and as independent of each other.

// Runs.
mod agent_loop;
mod failing_runs;
mod lifecycle;
mod parallel_tools;
mod platform;
mod scripted_agent;

// What outlives an event, a run, or a context window.
mod compaction;
mod context;
mod memory;
mod nested;
mod sessions;
mod state;
mod suspension;

// Tools and messages, as types and as JSON.
mod tool_args;
mod torn_calls;
mod wire_format;
mod written_back;

// Answers in pieces.
mod stream_patterns;
mod stream_rounds;
mod streamed_answers;
mod streaming;

// What a run reports, to subscribers and to tests of rails.
mod event_bus;
mod testing;
