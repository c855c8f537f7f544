//! Standard output, whose reader may close it early.

use std::io::{self, Write};

use crate::standard_error::unless_closed;

/// Prints `text`. A reader that closes the pipe has read enough (`halftrack run STUDY | head`): that is no failure, and the
/// exit code is that of the work.
///
/// # Errors
/// When standard output cannot be written for another reason.
pub fn print(text: &str) -> io::Result<()> {
    put(text.as_bytes())
}

/// Writes `octets` as they are; a closed pipe is no failure.
///
/// # Errors
/// When standard output cannot be written for another reason.
pub fn put(octets: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    unless_closed(stdout.write_all(octets).and_then(|()| stdout.flush()), ())
}
