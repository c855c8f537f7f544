//! Laws for any octets that are taken for an operator command. The tests of `report` run the committed corpus through
//! the same function.

use halftrack_report::display::parse;

/// Checks that the result is a command, the same in capitals, or an error inside the text with its fix.
pub fn display_command(octets: &[u8]) {
    let text = String::from_utf8_lossy(octets);
    match parse(&text) {
        Ok(command) => assert_eq!(parse(&text.to_ascii_uppercase()).as_ref(), Ok(&command)),
        Err(refused) => {
            assert!(text.get(refused.at.span.clone()).is_some(), "{refused}");
            assert!(refused.fix.is_some(), "{refused}");
        }
    }
}
