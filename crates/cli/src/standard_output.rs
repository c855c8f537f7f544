//! Standard output of a command.

use std::io::{self, Write};

/// Prints `text`. A reader that closes the pipe has seen enough (`halftrack run STUDY | head`), which is no failure.
///
/// # Errors
/// When standard output cannot be written for another reason.
pub fn print(text: &str) -> io::Result<()> {
    print_octets(text.as_bytes())
}

/// Prints `octets`, in any encoding, as [`print`] does.
///
/// # Errors
/// When standard output cannot be written for another reason.
pub fn print_octets(octets: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(octets).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}
