//! The `halftrack` command.
fn main() {}
