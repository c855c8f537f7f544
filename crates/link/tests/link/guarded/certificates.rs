//! Mutual TLS.

use std::io::Write;
use std::net::TcpStream;

use halftrack_link::access::TlsSettings;
use halftrack_wire::WorldWideName;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, SanType};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};

use super::{HOST, OTHER, UNIT, drive, path, refused, unit};
use crate::control_unit::server::Server;
use crate::control_unit::{drained, special};

/// An authority that makes certificates.
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    certificate: CertificateDer<'static>,
}

impl Authority {
    pub fn new() -> Self {
        let mut parameters = CertificateParams::new(Vec::new()).unwrap();
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let certificate = parameters.self_signed(&key).unwrap().der().clone();
        Self { issuer: Issuer::new(parameters, key), certificate }
    }

    /// Returns the settings of an end whose certificate names these ports and that trusts this authority.
    pub fn settings(&self, names: &[WorldWideName]) -> TlsSettings {
        self.settings_signed_by(self, names)
    }

    /// Returns the settings of an end that trusts this authority and whose certificate is of another one.
    fn settings_signed_by(&self, signer: &Self, names: &[WorldWideName]) -> TlsSettings {
        let mut parameters = CertificateParams::new(Vec::new()).unwrap();
        let uris = names.iter().map(|name| format!("urn:halftrack:wwpn:{:016X}", name.0));
        parameters.subject_alt_names =
            uris.map(|uri| SanType::URI(uri.as_str().try_into().unwrap())).collect();
        let key = KeyPair::generate().unwrap();
        let certificate = parameters.signed_by(&key, &signer.issuer).unwrap().der().clone();
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        TlsSettings::new(vec![certificate], key, vec![self.certificate.clone()]).unwrap()
    }
}

/// Checks that the control unit refuses a channel with these settings, for a reason with these words.
fn is_refused(authority: &Authority, settings: TlsSettings, words: &str) {
    let server = Server::guarded(None, unit(&[], Some(authority.settings(&[UNIT]))));
    refused(&server.address, path(HOST, None, Some(settings)));
    let notices = server.end();
    assert!(notices.iter().any(|line| line.contains(words)), "{words}: {notices:?}");
    assert!(!notices.iter().any(|line| line.contains("logged in as")), "{notices:?}");
}

#[test]
fn a_host_with_its_certificate_does_its_io() {
    let authority = Authority::new();
    let server = Server::guarded(None, unit(&[], Some(authority.settings(&[UNIT]))));
    let settings = authority.settings(&[OTHER, HOST]);
    assert_eq!(settings.names(), [OTHER, HOST]);
    assert!(drive(&server.address, path(HOST, None, Some(settings))).unwrap().is_right());
}

#[test]
fn certificate_and_key_together_serve_and_each_alone_does_not() {
    let authority = Authority::new();
    let server = Server::guarded(None, unit(&[(HOST, 1), (OTHER, 2)], Some(authority.settings(&[UNIT]))));
    let both = path(HOST, Some(1), Some(authority.settings(&[HOST])));
    assert!(drive(&server.address, both).unwrap().is_right());
    refused(&server.address, path(HOST, None, Some(authority.settings(&[HOST]))));
    refused(&server.address, path(HOST, Some(1), None));
    // The key of one host in a connection of the other's certificate.
    refused(&server.address, path(HOST, Some(1), Some(authority.settings(&[OTHER]))));
    let notices = server.end();
    let words = format!("{HOST} is not a name in the certificate");
    assert!(notices.iter().any(|line| line.contains(&words)), "{notices:?}");
}

#[test]
fn a_certificate_of_another_host_does_not_claim_the_name() {
    let authority = Authority::new();
    let words = format!("{HOST} is not the name that the connection has proven");
    is_refused(&authority, authority.settings(&[OTHER]), &words);
    let stranger = WorldWideName(0x5005_0764_0000_0099);
    is_refused(&authority, authority.settings(&[stranger]), "and no port that may be here");
    is_refused(&authority, authority.settings(&[]), "names no port");
}

#[test]
fn a_certificate_of_another_authority_is_refused_by_either_end() {
    let (authority, other) = (Authority::new(), Authority::new());
    // The host trusts the authority of the control unit, which does not trust the host's.
    is_refused(&authority, authority.settings_signed_by(&other, &[HOST]), "TLS: invalid peer certificate");
    let server = Server::guarded(None, unit(&[], Some(other.settings(&[UNIT]))));
    let reason =
        refused(&server.address, path(HOST, None, Some(authority.settings_signed_by(&other, &[HOST]))));
    assert!(reason.contains("TLS: invalid peer certificate"), "{reason}");
}

#[test]
fn a_channel_refuses_a_control_unit_whose_certificate_names_another_port() {
    let authority = Authority::new();
    let server = Server::guarded(None, unit(&[], Some(authority.settings(&[OTHER]))));
    let reason = refused(&server.address, path(HOST, None, Some(authority.settings(&[HOST]))));
    assert!(reason.contains(&format!("the certificate of the other end names {OTHER}")), "{reason}");
}

#[test]
fn an_end_that_begins_without_tls_is_refused() {
    let authority = Authority::new();
    let server = Server::guarded(None, unit(&[], Some(authority.settings(&[UNIT]))));
    let mut plain = TcpStream::connect(&server.address).unwrap();
    plain.write_all(&special()).unwrap();
    let came = drained(&mut plain);
    assert!(!came.windows(4).any(|octets| octets == &special()[..4]), "no FCIP: {came:?}");
    let notices = server.end();
    assert!(notices.iter().any(|line| line.contains("closed: TLS:")), "{notices:?}");
}
