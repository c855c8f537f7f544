//! Printing of a command's output.

use std::io::{self, Write};

/// Prints `text`. Who closes the pipe has seen enough (`halftrack run STUDY | head`), which is no failure.
///
/// # Errors
/// When standard output cannot be written for another reason.
pub fn print(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}
