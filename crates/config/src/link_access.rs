//! Proof of identity on a link: `hosts`, `attached_port` and `key` of its ends, and `[tls]` of a file.

use std::ops::Range;
use std::path::PathBuf;

use halftrack_input::messages::toml_file as numbers;
use halftrack_input::{Expect, Fields, Located};
use halftrack_wire::WorldWideName;
use toml::de::DeValue;

use crate::channel_file::{NAME_WORDS, world_wide_name};
use crate::unique::check_unique;

/// A port that may log in, and the key with which it proves its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostEntry {
    /// World-wide name of the port.
    pub port_name: WorldWideName,
    /// File of the key, as written; none: the name is not proven by a key.
    pub key: Option<Located<PathBuf>>,
}

/// The port at the other end of a fibre, as an end that knows it expects it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttachedEntry {
    /// World-wide name of the port; none: whoever has the key.
    pub port_name: Option<WorldWideName>,
    /// File of the key that both ends have, as written.
    pub key: Option<Located<PathBuf>>,
}

/// `[tls]`: the files by which the ends of a link prove their names and encrypt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsEntry {
    /// Certificates of this end, its own first.
    pub certificate: Located<PathBuf>,
    /// Private key of its own certificate.
    pub key: Located<PathBuf>,
    /// Certificates of the authorities that sign those of the other ends.
    pub authority: Located<PathBuf>,
    /// The whole table.
    pub span: Range<usize>,
}

/// Whether an end with `[tls]` needs `attached_port`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AttachedNeed {
    /// Nothing else says which certificate belongs there.
    WithTls,
    /// `hosts` may say it.
    Never,
}

/// Reads `[tls]` at the head of a file.
pub(crate) fn read_tls(fields: &mut Fields<'_>) -> Option<TlsEntry> {
    fields.optional_table("tls", |tls| {
        let certificate = file(tls.required("certificate", Expect::text()));
        let key = file(tls.required("key", Expect::text()));
        let authority = file(tls.required("authority", Expect::text()));
        Some(TlsEntry { certificate: certificate?, key: key?, authority: authority?, span: tls.span() })
    })
}

/// Reads `hosts` of a port.
pub(crate) fn read_hosts(port: &mut Fields<'_>) -> Option<Vec<HostEntry>> {
    let hosts = port.optional_list("hosts", host())?;
    check_unique(port, "host", hosts.iter().map(|host| Located::new(host.value.0, host.span.clone())));
    let entry = |host: Located<(WorldWideName, Option<String>)>| {
        let (port_name, key) = host.value;
        HostEntry { port_name, key: key.map(|key| Located::new(PathBuf::from(key), host.span)) }
    };
    Some(hosts.into_iter().map(entry).collect())
}

/// Reads `attached_port` and `key` of an end; `has_tls` when the file has `[tls]`.
pub(crate) fn read_attached(
    end: &mut Fields<'_>,
    need: AttachedNeed,
    has_tls: bool,
) -> Option<AttachedEntry> {
    let port_name = end.optional("attached_port", world_wide_name());
    let key = file(end.optional("key", Expect::text()));
    if let Some(name) = port_name.as_ref().filter(|_| key.is_none() && !has_tls) {
        let message = "`attached_port` is proven by nothing: expected `key` here, or `[tls]`";
        let fix = "give the end a `key`, or the file a table `[tls]`";
        end.error(numbers::MISSING_KEY, name.span.clone(), message, fix);
    }
    if has_tls && need == AttachedNeed::WithTls && !end.has("attached_port") {
        let message = format!("no `attached_port` in {}: with `[tls]` any certificate would do", end.name());
        let fix = "name the port at the other end: `attached_port = \"50:05:07:63:00:00:00:30\"`";
        end.error(numbers::MISSING_KEY, end.span(), message, fix);
    }
    let is_given = port_name.is_some() || key.is_some();
    is_given.then(|| AttachedEntry { port_name: port_name.map(|name| name.value), key })
}

fn file(text: Option<Located<String>>) -> Option<Located<PathBuf>> {
    text.map(|text| Located::new(PathBuf::from(text.value), text.span))
}

/// Returns a world-wide name, or a table of one and the file of its key.
fn host<'e>() -> Expect<'e, (WorldWideName, Option<String>)> {
    let words = format!("{NAME_WORDS}, or {{ wwpn = \"...\", key = \"FILE\" }}");
    let text = |value: &DeValue<'_>| value.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned);
    Expect::new(words, move |value| {
        let Some(table) = value.as_table() else {
            return Some((value.as_str()?.parse().ok()?, None));
        };
        let name = table.get("wwpn")?.get_ref().as_str()?.parse().ok()?;
        let key = text(table.get("key")?.get_ref())?;
        (table.len() == 2).then_some((name, Some(key)))
    })
}
