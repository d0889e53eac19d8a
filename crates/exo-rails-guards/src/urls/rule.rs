//! The rules that a URL can break.

use std::fmt;

use exo_rails_policy::Severity;

use crate::finding::{Finding, Place};

/// A rule of [`UrlGuard`](super::UrlGuard): the reason of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum UrlRule {
    /// The value is not a whole URL with a scheme and a host.
    NotAUrl,
    /// The URL is longer than the configuration allows.
    TooLong,
    /// The call has more URLs than the configuration allows.
    TooMany,
    /// The URL has a control character, such as a tab or a line break.
    ControlCharacter,
    /// Programs disagree on the host of the URL, for example because it has a backslash or two `@`.
    Ambiguous,
    /// The scheme is not on the list of allowed schemes.
    Scheme,
    /// The URL has a user name or a password.
    Credentials,
    /// The port is not on the list of allowed ports.
    Port,
    /// The host is on the list of denied hosts.
    DeniedHost,
    /// There is a list of allowed hosts, and the host is not on it.
    HostNotAllowed,
    /// The name of the host is for internal networks, such as `localhost` or `*.internal`.
    InternalHost,
    /// The host has an address that is not public: see [`special_range`](super::special_range).
    SpecialAddress,
    /// The host has an address in a denied network.
    DeniedNetwork,
    /// The resolver has no address for the host, failed, or did not answer in time.
    Unresolved,
}

impl UrlRule {
    /// Returns the name of the rule in findings, such as `special-address`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.row().0
    }

    /// Returns how serious it is if a URL breaks the rule.
    #[must_use]
    pub const fn severity(self) -> Severity {
        self.row().1
    }

    const fn row(self) -> (&'static str, Severity, &'static str) {
        use Severity::{High, Low, Medium};
        match self {
            Self::NotAUrl => {
                ("not-a-url", Medium, "the value is not a URL: write it whole, such as `https://example.com/page`")
            }
            Self::TooLong => ("too-long", Low, "the URL is too long"),
            Self::TooMany => ("too-many", Low, "the call has too many URLs"),
            Self::ControlCharacter => ("control-character", High, "the URL has a control character"),
            Self::Ambiguous => {
                ("ambiguous", High, "programs disagree on the host of the URL: write it in the usual form")
            }
            Self::Scheme => ("scheme", Medium, "the scheme of the URL is not allowed"),
            Self::Credentials => ("credentials", Medium, "the URL has a user name or a password"),
            Self::Port => ("port", Medium, "the port of the URL is not allowed"),
            Self::DeniedHost => ("denied-host", High, "the host of the URL is denied"),
            Self::HostNotAllowed => {
                ("host-not-allowed", Medium, "the host of the URL is not on the list of allowed hosts")
            }
            Self::InternalHost => ("internal-host", High, "the host of the URL is internal"),
            Self::SpecialAddress => ("special-address", High, "the host of the URL has an address that is not public"),
            Self::DeniedNetwork => ("denied-network", High, "the host of the URL has an address in a denied network"),
            Self::Unresolved => ("unresolved", Low, "the address of the URL's host is not known"),
        }
    }
}

/// A URL that the guard refuses. The message names the rule, and never the URL.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct UrlRefusal {
    rule: UrlRule,
    detail: Option<String>,
}

impl UrlRefusal {
    pub(super) const fn new(rule: UrlRule) -> Self {
        Self { rule, detail: None }
    }

    pub(super) fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// Returns the rule that the URL breaks.
    #[must_use]
    pub const fn rule(&self) -> UrlRule {
        self.rule
    }

    /// Returns the finding about the URL at this place.
    pub(super) fn finding(&self, place: Place) -> Finding {
        Finding::new("urls", self.rule.name(), self.rule.severity(), self.to_string()).at(place)
    }
}

impl fmt::Display for UrlRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.rule.row().2)?;
        self.detail.as_ref().map_or(Ok(()), |detail| write!(f, " ({detail})"))
    }
}
