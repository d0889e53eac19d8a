//! Why calls fail: the words of the policy file, and those of the library.

use exo_rails::OperationErrorKind;
use exo_rails_policy::FailureKind;

/// Returns the kind of failure that the library knows under this name.
pub(crate) const fn core_kind(kind: FailureKind) -> OperationErrorKind {
    match kind {
        FailureKind::Timeout => OperationErrorKind::Timeout,
        FailureKind::RateLimited => OperationErrorKind::RateLimited,
        FailureKind::Unavailable => OperationErrorKind::Unavailable,
        FailureKind::InvalidRequest => OperationErrorKind::InvalidRequest,
        FailureKind::InvalidResponse => OperationErrorKind::InvalidResponse,
        FailureKind::NotFound => OperationErrorKind::NotFound,
        FailureKind::Denied => OperationErrorKind::Denied,
        FailureKind::Other => OperationErrorKind::Other,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_one_name_in_files_and_in_the_library() {
        for name in [
            "timeout",
            "rate_limited",
            "unavailable",
            "invalid_request",
            "invalid_response",
            "not_found",
            "denied",
            "other",
        ] {
            let kind: FailureKind = serde_json::from_str(&format!("\"{name}\"")).unwrap();
            assert_eq!(serde_json::to_string(&core_kind(kind)).unwrap(), format!("\"{name}\""));
        }
    }
}
