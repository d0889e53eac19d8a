//! The rules that a path can break.

use exo_rails_policy::Severity;

/// A rule of [`PathSandbox`](super::PathSandbox): the reason of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PathRule {
    /// The value at a configured place is not a text, a list of texts or `null`.
    NotAPath,
    /// The path has more than 4096 bytes, or a name in it has more than 255.
    TooLong,
    /// The path has a control character, such as NUL or a line break.
    ControlCharacter,
    /// The path has an invisible character or one that changes the direction of writing.
    InvisibleCharacter,
    /// The path begins with `~`, which some tools replace by a home directory.
    Home,
    /// The path begins with a variable, such as `$HOME` or `%TEMP%`.
    Variable,
    /// The path begins with the scheme of a URL, such as `file://`.
    Scheme,
    /// The path begins with a drive letter, and the system has no drives.
    Drive,
    /// A name consists of dots and spaces only, and is neither `.` nor `..`.
    Dots,
    /// The path is encoded in a way that correct encoders never use, such as UTF-8 that is longer than necessary.
    Encoding,
    /// A name is special on Windows: a stream, a device, a short name, or a name with a reserved character.
    WindowsName,
    /// The path leads outside of all roots.
    Outside,
    /// A name is on the list of denied names.
    DeniedName,
    /// The path leads through a link whose target does not exist.
    DanglingLink,
    /// The path has `..` after a name that does not exist.
    MissingParent,
    /// The system cannot resolve the path, for example because a file is used as a directory.
    Unresolvable,
    /// The path is a device, a pipe or a socket.
    SpecialFile,
    /// The path is in `/proc`, `/sys` or `/dev`, or follows a link there, whose target is different for each process.
    SystemFile,
    /// The file has several names (hard links), and the configuration refuses such files.
    HardLink,
    /// The tool would delete or rename a root.
    RootItself,
    /// The root does not grant a right that the tool needs.
    Rights,
    /// The tool uses its handle for something that its rule does not name.
    ToolRights,
}

impl PathRule {
    /// Returns the name of the rule in findings, such as `outside`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.row().0
    }

    /// Returns how serious it is if a path breaks the rule.
    #[must_use]
    pub const fn severity(self) -> Severity {
        self.row().1
    }

    pub(super) const fn message(self) -> &'static str {
        self.row().2
    }

    const fn row(self) -> (&'static str, Severity, &'static str) {
        use Severity::{High, Low, Medium};
        match self {
            Self::NotAPath => ("not-a-path", Medium, "the value is not a path: write a text or a list of texts"),
            Self::TooLong => ("too-long", Low, "the path is too long"),
            Self::ControlCharacter => ("control-character", High, "the path has a control character"),
            Self::InvisibleCharacter => ("invisible-character", High, "the path has an invisible character"),
            Self::Home => ("home", Medium, "the path begins with `~`: write the path without it"),
            Self::Variable => ("variable", Medium, "the path begins with a variable: write the value of the variable"),
            Self::Scheme => ("scheme", Medium, "the path begins with the scheme of a URL: write a plain path"),
            Self::Drive => ("drive", Medium, "the path begins with a drive letter"),
            Self::Dots => ("dots", Medium, "a name in the path consists of dots and spaces"),
            Self::Encoding => ("encoding", High, "the path has an invalid encoding that is used to hide characters"),
            Self::WindowsName => ("windows-name", Medium, "a name in the path has a special meaning on Windows"),
            Self::Outside => ("outside", High, "the path leads outside of the roots"),
            Self::DeniedName => ("denied-name", High, "the path has a denied name"),
            Self::DanglingLink => {
                ("dangling-link", Medium, "the path leads through a link to a file that does not exist")
            }
            Self::MissingParent => {
                ("missing-parent", Medium, "the path has `..` after a directory that does not exist")
            }
            Self::Unresolvable => ("unresolvable", Medium, "the system cannot resolve the path"),
            Self::SpecialFile => ("special-file", High, "the path is a device, a pipe or a socket"),
            Self::SystemFile => ("system-file", High, "the path is a file of the kernel"),
            Self::HardLink => {
                ("hard-link", Medium, "the file has several names, and one of them may be outside of the root")
            }
            Self::RootItself => ("root-itself", High, "the tool would delete or rename a root"),
            Self::Rights => ("rights", Medium, "the root does not grant what the tool needs"),
            Self::ToolRights => ("tool-rights", Medium, "the rule of the tool does not name what the tool needs"),
        }
    }
}
