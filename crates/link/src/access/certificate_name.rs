//! Names of ports in certificates. Our choice: a subject alternative name of type URI,
//! `urn:halftrack:wwpn:5005076400000040`, one for each port that the certificate is for.

use halftrack_wire::WorldWideName;
use rustls::pki_types::CertificateDer;
use webpki::EndEntityCert;

/// Beginning of the URI, without regard to the case of letters (RFC 8141, section 3.1).
const PREFIX: &str = "urn:halftrack:wwpn:";
const DIGITS: usize = 16;

/// Returns the names of ports in a certificate; none in one that cannot be read.
pub(super) fn names_in(certificate: &CertificateDer<'_>) -> Vec<WorldWideName> {
    let Ok(certificate) = EndEntityCert::try_from(certificate) else { return Vec::new() };
    certificate.valid_uri_names().filter_map(name_of).collect()
}

fn name_of(uri: &str) -> Option<WorldWideName> {
    let (prefix, digits) = uri.split_at_checked(PREFIX.len())?;
    let is_name = prefix.eq_ignore_ascii_case(PREFIX)
        && digits.len() == DIGITS
        && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_name.then(|| u64::from_str_radix(digits, 16).ok()).flatten().map(WorldWideName)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_16_hexadecimal_digits_behind_the_prefix() {
        let name = Some(WorldWideName(0x5005_0764_0000_0040));
        assert_eq!(name_of("urn:halftrack:wwpn:5005076400000040"), name);
        assert_eq!(name_of("URN:HALFTRACK:wwpn:5005076400000040"), name);
        for other in [
            "",
            "urn:halftrack:wwpn:",
            "urn:halftrack:wwpn:+005076400000040",
            "urn:halftrack:wwnn:5005076400000040",
        ] {
            assert_eq!(name_of(other), None, "{other}");
        }
    }
}
