//! Guards that judge tool calls.

mod approval;
#[cfg(all(feature = "handlers", feature = "http", feature = "urls", unix))]
mod floods;
#[cfg(all(feature = "handlers", unix))]
mod handlers;
mod loops;
#[cfg(feature = "paths")]
mod paths;
#[cfg(all(feature = "shell", feature = "urls"))]
mod permissions;
mod sequence;
mod shape;
#[cfg(feature = "urls")]
mod urls;
