//! The scripts that the server runs, and calls of the scripts.

use std::sync::LazyLock;
use std::time::Duration;

use redis::{FromRedisValue, RedisResult, Script, ScriptInvocation, ToRedisArgs};

use crate::time::millis;

/// The scripts, one for each operation. Each begins with `common.lua`.
pub(super) struct Scripts {
    /// Returns the epoch, and makes it if there is none. Without `common.lua`.
    pub(super) begin: Script,
    pub(super) get: Script,
    pub(super) compare_and_set: Script,
    pub(super) reserve: Script,
    pub(super) settle: Script,
    pub(super) counter: Script,
    pub(super) forget: Script,
    pub(super) append: Script,
    pub(super) entries: Script,
}

macro_rules! script {
    ($file:literal) => {
        Script::new(concat!(include_str!("common.lua"), include_str!($file)))
    };
}

pub(super) static SCRIPTS: LazyLock<Scripts> = LazyLock::new(|| Scripts {
    begin: Script::new(include_str!("begin.lua")),
    get: script!("get.lua"),
    compare_and_set: script!("compare_and_set.lua"),
    reserve: script!("reserve.lua"),
    settle: script!("settle.lua"),
    counter: script!("counter.lua"),
    forget: script!("forget.lua"),
    append: script!("append.lua"),
    entries: script!("entries.lua"),
});

/// A script with its keys and arguments.
pub(super) struct Call(ScriptInvocation<'static>);

impl Call {
    pub(super) fn new(script: &'static Script) -> Self {
        Self(script.prepare_invoke())
    }

    pub(super) fn key(mut self, key: String) -> Self {
        self.0.key(key);
        self
    }

    pub(super) fn arg(mut self, arg: impl ToRedisArgs) -> Self {
        self.0.arg(arg);
        self
    }

    /// Adds a duration in milliseconds. An empty text means that there is none.
    pub(super) fn duration(self, duration: Option<Duration>) -> Self {
        match duration {
            Some(duration) => self.arg(millis(duration)),
            None => self.arg(""),
        }
    }

    pub(super) async fn run<T: FromRedisValue>(
        &self,
        connection: &mut redis::aio::MultiplexedConnection,
    ) -> RedisResult<T> {
        self.0.invoke_async(connection).await
    }
}
