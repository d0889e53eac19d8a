//! Opens files that must be regular.

use std::fs::{self, File, FileType, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::Path;

/// Opens a regular file with these options. Returns an error at once if the path is a directory, a pipe, a socket or a device.
///
/// Opening a pipe can wait for its other end, reading a device may never end, and opening a device can have effects. So the
/// function looks at the path before it opens it. It opens the file without waiting, and looks at the open file again, because
/// somebody may have replaced it in the meantime. A symbolic link is followed.
///
/// ```
/// use std::fs::{File, OpenOptions};
/// use exo_rails_policy::open_regular;
///
/// # let folder = std::env::temp_dir().join(format!("exo-rails-doc-regular-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// let mut options = OpenOptions::new();
/// let file: File = open_regular(&folder.join("policy.toml"), options.create(true).append(true))?;
/// let error = open_regular(&folder, OpenOptions::new().read(true)).unwrap_err();
/// assert_eq!(error.to_string(), "it is a directory, not a regular file");
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// Returns an error that names the kind of the file if it is not regular, or the error of the operating system.
pub fn open_regular(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    match fs::metadata(path) {
        Ok(found) => check(found.file_type())?,
        // The options may create it.
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt as _;

        options.custom_flags((OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed());
    }
    let file = options.open(path)?;
    check(file.metadata()?.file_type())?;
    Ok(file)
}

fn check(kind: FileType) -> io::Result<()> {
    if kind.is_file() {
        return Ok(());
    }
    let kind = name(kind);
    Err(io::Error::new(ErrorKind::InvalidInput, format!("it is a {kind}, not a regular file")))
}

fn name(kind: FileType) -> &'static str {
    if kind.is_dir() {
        return "directory";
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;

        if kind.is_fifo() {
            return "pipe";
        }
        if kind.is_socket() {
            return "socket";
        }
    }
    "device"
}
