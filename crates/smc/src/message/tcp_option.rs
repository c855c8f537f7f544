//! The TCP option by which both ends show that they have SMC-R (RFC 7609, section 3.1).

use super::EYE_CATCHER;

/// Kind of a TCP option for experiments (RFC 6994).
const KIND: u8 = 254;
/// Option kinds of one octet: end of the list, and no operation.
const END: u8 = 0;
const NO_OPERATION: u8 = 1;

/// Octets of the option in SYN and SYN-ACK, padded with two of no operation.
pub const TCP_OPTION: [u8; 8] = {
    let [a, b, c, d] = EYE_CATCHER;
    [KIND, 6, a, b, c, d, NO_OPERATION, NO_OPERATION]
};

/// Returns whether the options of a segment have that of SMC-R.
pub fn has_tcp_option(options: &[u8]) -> bool {
    let mut rest = options;
    loop {
        match rest {
            [] | [END, ..] => return false,
            [NO_OPERATION, behind @ ..] => rest = behind,
            [kind, length, ..] => {
                let Some((option, behind)) = rest.split_at_checked(usize::from(*length)) else {
                    return false;
                };
                if option.len() < 2 {
                    return false;
                }
                if *kind == KIND && option[2..] == EYE_CATCHER {
                    return true;
                }
                rest = behind;
            }
            [_] => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_option_is_found_between_others_and_nowhere_else() {
        let maximum_segment = [2, 4, 5, 0xB4];
        assert_eq!(TCP_OPTION, [0xFE, 6, 0xE2, 0xD4, 0xC3, 0xD9, 1, 1]);
        assert!(has_tcp_option(&TCP_OPTION));
        assert!(has_tcp_option(&[&maximum_segment[..], &[1, 1], &TCP_OPTION].concat()));
        assert!(!has_tcp_option(&[]));
        assert!(!has_tcp_option(&maximum_segment));
        assert!(!has_tcp_option(&[0, 0xFE, 6, 0xE2, 0xD4, 0xC3, 0xD9]), "behind the end of the list");
        assert!(!has_tcp_option(&[0xFE, 6, 0xE2, 0xD4, 0xC3, 0xC4]), "another experiment");
        assert!(!has_tcp_option(&[0xFE, 6, 0xE2, 0xD4, 0xC3]), "cut short");
        assert!(!has_tcp_option(&[0xFE, 0, 0xE2, 0xD4, 0xC3, 0xD9]), "no length");
        assert!(!has_tcp_option(&[2, 8, 0, 0, 0xFE, 6, 0xE2, 0xD4, 0xC3, 0xD9]), "inside another option");
    }
}
