//! Standard output, whose reader may close it early.

use std::io::{self, Write};

use crate::standard_error::unless_closed;

/// Prints `text`. A reader that closes the pipe has read enough (`halftrack run STUDY | head`): that is no failure, and the
/// exit code is that of the work.
///
/// # Errors
/// When standard output cannot be written for another reason.
pub fn print(text: &str) -> io::Result<()> {
    print_octets(text.as_bytes())
}

/// Prints `octets`, in any encoding, as [`print()`] does.
///
/// # Errors
/// When standard output cannot be written for another reason.
pub fn print_octets(octets: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    unless_closed(stdout.write_all(octets).and_then(|()| stdout.flush()), ())
}
