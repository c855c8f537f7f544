//! Settings of TLS for the links of a file: both ends have a certificate, of an authority that the other end trusts.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use halftrack_wire::WorldWideName;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{Resumption, verify_server_cert_signed_by_trust_anchor};
use rustls::crypto::{CryptoProvider, ring, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::{ParsedCertificate, WebPkiClientVerifier};
use rustls::version::TLS13;
use rustls::{
    ClientConfig, ClientConnection, Connection, DigitallySignedStruct, Error, PeerIncompatible,
    RootCertStore, ServerConfig, ServerConnection, SignatureScheme,
};
use thiserror::Error;

use super::certificate_name::names_in;

/// Name that a client connection needs and that no certificate is compared with: ports are named by WWPN.
const UNUSED_NAME: &str = "halftrack.invalid";

/// Why files make no settings.
#[derive(Debug, Error)]
pub enum TlsFault {
    /// A file cannot be read as PEM, or has nothing.
    #[error("{}: {why}", .file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// Why.
        why: String,
    },
    /// They do not belong together, or cannot be used.
    #[error("certificate, key and authority make no TLS: {0}")]
    Settings(String),
}

/// Settings of TLS for the links of a file.
pub struct TlsSettings {
    client: Arc<ClientConfig>,
    server: Arc<ServerConfig>,
    names: Vec<WorldWideName>,
}

impl fmt::Debug for TlsSettings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("TlsSettings").field("names", &self.names).finish()
    }
}

impl TlsSettings {
    /// Reads the settings from PEM files: certificates of this end, their private key, certificates of the authorities.
    ///
    /// # Errors
    /// Why they are of no use.
    pub fn read(certificate: &Path, key: &Path, authority: &Path) -> Result<Self, TlsFault> {
        let chain = certificates(certificate)?;
        let private = PrivateKeyDer::from_pem_file(key).map_err(|error| fault(key, error))?;
        Self::new(chain, private, certificates(authority)?)
    }

    /// Creates the settings from certificates and key.
    ///
    /// # Errors
    /// Why they are of no use.
    pub fn new(
        chain: Vec<CertificateDer<'static>>,
        key: PrivateKeyDer<'static>,
        authorities: Vec<CertificateDer<'static>>,
    ) -> Result<Self, TlsFault> {
        let words = |error: &dyn fmt::Display| TlsFault::Settings(error.to_string());
        let mut roots = RootCertStore::empty();
        for authority in authorities {
            roots.add(authority).map_err(|error| words(&error))?;
        }
        let names = chain.first().map(names_in).unwrap_or_default();
        let (roots, provider) = (Arc::new(roots), Arc::new(ring::default_provider()));
        let clients = WebPkiClientVerifier::builder_with_provider(Arc::clone(&roots), Arc::clone(&provider));
        let clients = clients.build().map_err(|error| words(&error))?;
        let mut server = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_protocol_versions(&[&TLS13])
            .map_err(|error| words(&error))?
            .with_client_cert_verifier(clients)
            .with_single_cert(chain.clone(), key.clone_key())
            .map_err(|error| words(&error))?;
        // Each connection proves the names anew.
        server.send_tls13_tickets = 0;
        let mut client = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_protocol_versions(&[&TLS13])
            .map_err(|error| words(&error))?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(AuthorityVerifier { roots, provider }))
            .with_client_auth_cert(chain, key)
            .map_err(|error| words(&error))?;
        client.resumption = Resumption::disabled();
        client.enable_sni = false;
        Ok(Self { client: Arc::new(client), server: Arc::new(server), names })
    }

    /// Returns the names of ports in the certificate of this end.
    #[must_use]
    pub fn names(&self) -> &[WorldWideName] {
        &self.names
    }

    /// Begins a connection that this end opened or accepted.
    pub(super) fn begin(&self, is_opener: bool) -> Result<Connection, Error> {
        if !is_opener {
            return ServerConnection::new(Arc::clone(&self.server)).map(Connection::Server);
        }
        let name = ServerName::try_from(UNUSED_NAME).map_err(|error| Error::General(error.to_string()))?;
        ClientConnection::new(Arc::clone(&self.client), name).map(Connection::Client)
    }
}

/// Verifies that an authority has signed the certificate. Its names are compared by the owner of the connection.
#[derive(Debug)]
struct AuthorityVerifier {
    roots: Arc<RootCertStore>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for AuthorityVerifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let certificate = ParsedCertificate::try_from(end_entity)?;
        let algorithms = self.provider.signature_verification_algorithms.all;
        verify_server_cert_signed_by_trust_anchor(&certificate, &self.roots, intermediates, now, algorithms)?;
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Err(PeerIncompatible::ServerDoesNotSupportTls12Or13.into())
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, TlsFault> {
    let found: Result<Vec<_>, _> =
        CertificateDer::pem_file_iter(file).map_err(|error| fault(file, error))?.collect();
    let found = found.map_err(|error| fault(file, error))?;
    if found.is_empty() { Err(fault(file, "no certificate in PEM")) } else { Ok(found) }
}

fn fault(file: &Path, why: impl fmt::Display) -> TlsFault {
    TlsFault::File { file: file.to_owned(), why: why.to_string() }
}
