//! Guards together: agents inside of tools, runs that go on elsewhere, windows, processes, and new configurations.

mod nested;
mod others;
mod resumed;
mod reloaded;
mod windows;
