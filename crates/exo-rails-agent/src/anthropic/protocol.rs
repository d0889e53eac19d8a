//! The messages protocol, for the connection to a server.

use exo_rails::{ModelCallInputs, ModelResponse, OperationError};
use serde_json::{Map, Value};

use super::{answer, request};
use crate::http::Protocol;

#[derive(Clone)]
pub(crate) struct Messages {
    /// The limit on the tokens of an answer, for requests that do not set one.
    pub(super) max_tokens: u32,
}

impl Protocol for Messages {
    type Decoder = answer::Decoder;

    fn body(
        &self,
        model: &str,
        request: &ModelCallInputs,
        streamed: bool,
    ) -> Result<Map<String, Value>, OperationError> {
        let mut body = request::body(request)?;
        body.entry("model").or_insert_with(|| model.into());
        body.entry("max_tokens").or_insert_with(|| self.max_tokens.into());
        if streamed {
            body.insert("stream".to_owned(), true.into());
        }
        Ok(body)
    }

    fn response(json: &[u8]) -> Result<ModelResponse, OperationError> {
        answer::whole(json)
    }
}
