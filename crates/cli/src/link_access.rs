//! Keys and certificates of the ports of a working link, read from the files that its TOML file names.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use halftrack_config::LinkPlace;
use halftrack_config::link_access::{AttachedEntry, HostEntry, TlsEntry};
use halftrack_input::messages::link as numbers;
use halftrack_input::{Diagnostic, Located, Severity, SourceFile};
use halftrack_link::access::link_access::{Expected, Host};
use halftrack_link::access::{LinkAccess, LinkKey, LinkRole, TlsSettings, key};
use halftrack_wire::WorldWideName;

/// A port as its file describes it.
pub struct PortEntry<'a> {
    /// Name for messages.
    pub id: &'a str,
    /// Where its fibre comes from or leads to.
    pub place: &'a LinkPlace,
    /// Port name.
    pub port_name: WorldWideName,
    /// Ports that may log in.
    pub hosts: Option<&'a [HostEntry]>,
    /// The port expected at the other end.
    pub attached: Option<&'a AttachedEntry>,
    /// Its table.
    pub span: &'a Range<usize>,
}

/// Requirements of the ports of a file, in its order; none for a port that requires nothing.
pub type Accesses = Vec<Option<Arc<LinkAccess>>>;

/// Reader of the keys and certificates that one file names.
pub struct LinkAccessReader<'a> {
    source: &'a Arc<SourceFile>,
    directory: PathBuf,
    role: LinkRole,
    tls: Option<(Arc<TlsSettings>, Located<PathBuf>)>,
    found: &'a mut Vec<Diagnostic>,
}

impl<'a> LinkAccessReader<'a> {
    /// Begins with `[tls]` of the file at `path`; messages are added to `found`.
    pub fn new(
        path: &Path,
        source: &'a Arc<SourceFile>,
        role: LinkRole,
        tls: Option<&TlsEntry>,
        found: &'a mut Vec<Diagnostic>,
    ) -> Self {
        let directory = path.parent().unwrap_or(Path::new("")).to_owned();
        let mut reader = Self { source, directory, role, tls: None, found };
        reader.tls = tls.and_then(|tls| reader.read_tls(tls));
        reader
    }

    /// Returns the requirements of a port; nothing where it has none, or one that cannot be met, which is reported.
    pub fn access_of(&mut self, port: &PortEntry<'_>) -> Option<Arc<LinkAccess>> {
        self.check_name(port.port_name);
        let hosts = port.hosts.map(|hosts| {
            let hosts = hosts.iter();
            hosts.map(|host| Host { name: host.port_name, key: self.key(host.key.as_ref()) }).collect()
        });
        let expected = port
            .attached
            .map(|attached| Expected { name: attached.port_name, key: self.key(attached.key.as_ref()) });
        let tls = self.tls.as_ref().map(|(tls, _)| Arc::clone(tls));
        let access = LinkAccess { own_name: port.port_name, role: self.role, hosts, expected, tls };
        self.check_reach(port, access.is_protected());
        access.is_protected().then(|| Arc::new(access))
    }

    /// Reports a port that the certificate does not name.
    pub fn check_name(&mut self, port_name: WorldWideName) {
        let Some((tls, certificate)) = &self.tls else { return };
        if tls.names().contains(&port_name) {
            return;
        }
        let message = format!("the certificate does not name port {port_name}");
        let fix = format!("give it the name `URI:urn:halftrack:wwpn:{:016X}`", port_name.0);
        let span = certificate.span.clone();
        self.found.push(Diagnostic::error(numbers::NOT_IN_CERTIFICATE, self.source, span, message).fix(fix));
    }

    /// Warns of a port that other hosts can reach and that takes any of them.
    fn check_reach(&mut self, port: &PortEntry<'_>, is_protected: bool) {
        let LinkPlace::Listen(address) = port.place else { return };
        if is_protected || address.ip().is_loopback() {
            return;
        }
        let message = format!("port {} takes any host that reaches {address} at its word", port.id);
        let fix = "give its hosts keys, `{ wwpn = \"...\", key = \"FILE\" }`, or the file a table `[tls]`";
        self.warn(numbers::UNPROTECTED_PORT, port.span.clone(), message, fix);
    }

    fn key(&mut self, file: Option<&Located<PathBuf>>) -> Option<LinkKey> {
        let file = file?;
        let path = self.directory.join(&file.value);
        match LinkKey::read(&path) {
            Ok(key) => {
                self.check_permissions(&path, file);
                Some(key)
            }
            Err(fault) => {
                let message = format!("{} is no key: {fault}", path.display());
                let fix = format!("`openssl rand -hex 32 > {}` makes a key for both ends", path.display());
                self.unusable(file.span.clone(), message, fix);
                None
            }
        }
    }

    fn read_tls(&mut self, entry: &TlsEntry) -> Option<(Arc<TlsSettings>, Located<PathBuf>)> {
        let [certificate, key, authority] =
            [&entry.certificate, &entry.key, &entry.authority].map(|file| self.directory.join(&file.value));
        match TlsSettings::read(&certificate, &key, &authority) {
            Ok(settings) => {
                self.check_permissions(&key, &entry.key);
                Some((Arc::new(settings), entry.certificate.clone()))
            }
            Err(fault) => {
                let fix = "make the three PEM files by the commands in docs/link.md".to_owned();
                self.unusable(entry.span.clone(), fault.to_string(), fix);
                None
            }
        }
    }

    fn check_permissions(&mut self, path: &Path, file: &Located<PathBuf>) {
        if key::is_open_to_others(path) {
            let message = format!("others may read {}", path.display());
            let fix = format!("`chmod 600 {}`, and make a new key if it was read", path.display());
            self.warn(numbers::OPEN_KEY, file.span.clone(), message, &fix);
        }
    }

    fn unusable(&mut self, span: Range<usize>, message: String, fix: String) {
        self.found.push(Diagnostic::error(numbers::UNUSABLE_KEY, self.source, span, message).fix(fix));
    }

    fn warn(&mut self, number: u16, span: Range<usize>, message: String, fix: &str) {
        let found = Diagnostic::error(number, self.source, span, message).severity(Severity::Warning);
        self.found.push(found.fix(fix));
    }
}
