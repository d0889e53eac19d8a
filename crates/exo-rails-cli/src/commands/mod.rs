//! The commands.

mod check;
mod draw;
mod exec;
mod fmt;
mod step;

pub(crate) use check::check;
pub(crate) use draw::draw;
pub(crate) use exec::exec;
pub(crate) use fmt::fmt;
pub(crate) use step::step;
