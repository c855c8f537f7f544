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

/// The port expected at the other end of a fibre.
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

/// Need of an end with `[tls]` for `attached_port`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AttachedNeed {
    /// No other key gives the certificate that belongs there.
    WithTls,
    /// None: `hosts` may give it.
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

#[cfg(test)]
mod tests {
    use halftrack_input::SourceFile;

    use crate::{read_channel, read_control_unit, read_director};

    const UNIT: &str = "name = \"BOXA\"\nnode = \"50:05:07:63:00:00:00:01\"\n[[port]]\nid = \"0030\"\n\
        wwpn = \"50:05:07:63:00:00:00:30\"\nlisten = \"3225\"\n@\n[[logical_control_unit]]\ncuadd = \"00\"\n\
        [[logical_control_unit.volume]]\nunit_address = \"00\"\nfile = \"a.ckd\"\n";
    const CHANNEL: &str = "name = \"P\"\nnode = \"50:05:07:64:00:00:00:01\"\n[[path]]\nchpid = \"40\"\n\
        connect = \"box:3225\"\nwwpn = \"50:05:07:64:00:00:00:40\"\n@\n[[stream]]\nname = \"s\"\n\
        devices = [\"00\"]\nprogram = { block = \"4K\" }\nclosed = { jobs = 1 }\n";
    const DIRECTOR: &str = "name = \"D\"\nwwn = \"10:00:00:00:00:00:00:61\"\ndomain = \"61\"\n\
        [[port]]\nlink = \"04\"\nlisten = \"4104\"\n\
        hosts = [{ wwpn = \"50:05:07:64:00:00:00:40\", key = \"k\" }]\n\
        [[isl]]\nlink = \"E0\"\nlisten = \"4161\"\n@\n";
    const TLS: &str = "[tls]\ncertificate = \"a.pem\"\nkey = \"a.key\"\nauthority = \"ca.pem\"\n";

    /// Returns the messages about a file with `keys` in the place of the sign.
    fn messages(text: &str, keys: &str) -> String {
        let source = SourceFile::new("link.toml", text.replace('@', keys));
        let found = match text {
            UNIT => read_control_unit(&source).1,
            CHANNEL => read_channel(&source).1,
            _ => read_director(&source).1,
        };
        found.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn hosts_are_names_or_tables_of_name_and_key() {
        let name = "50:05:07:64:00:00:00:40";
        let hosts = format!("hosts = [\"50:05:07:64:00:00:00:41\", {{ wwpn = \"{name}\", key = \"k\" }}]");
        assert_eq!(messages(UNIT, &hosts), "");
        let source = SourceFile::new("link.toml", UNIT.replace('@', &hosts));
        let port = read_control_unit(&source).0.unwrap().ports.remove(0);
        let hosts = port.hosts.unwrap();
        assert_eq!((hosts[0].key.is_none(), hosts[1].port_name.to_string()), (true, name.to_owned()));
        assert_eq!(hosts[1].key.as_ref().map(|key| key.value.as_path()), Some("k".as_ref()));
        for wrong in [
            format!("{{ wwpn = \"{name}\" }}"),
            format!("{{ wwpn = \"{name}\", key = \"\" }}"),
            format!("{{ wwpn = \"{name}\", key = \"k\", keys = \"k\" }}"),
            "{ key = \"k\" }".to_owned(),
        ] {
            let found = messages(UNIT, &format!("hosts = [{wrong}]"));
            assert!(found.contains("link.toml:7:10") && found.contains("key = \"FILE\""), "{wrong}: {found}");
        }
        let twice = messages(UNIT, &format!("hosts = [\"{name}\", {{ wwpn = \"{name}\", key = \"k\" }}]"));
        assert!(twice.contains(&format!("host {name}")), "{twice}");
    }

    #[test]
    fn a_name_at_the_other_end_needs_a_proof_and_a_certificate_needs_a_name() {
        let name = "attached_port = \"50:05:07:63:00:00:00:30\"\n";
        for text in [CHANNEL, DIRECTOR, UNIT] {
            assert_eq!(messages(text, "key = \"k\"\n"), "");
            assert_eq!(messages(text, &format!("{name}key = \"k\"\n")), "");
            assert_eq!(messages(text, &format!("{name}{TLS}")), "");
            let found = messages(text, name);
            assert!(found.contains("proven by nothing"), "{found}");
        }
        for text in [CHANNEL, DIRECTOR] {
            let found = messages(text, TLS);
            assert!(found.contains("no `attached_port`"), "{found}");
        }
        assert_eq!(messages(UNIT, TLS), "", "its hosts are named by their certificates");
        let found = messages(UNIT, "[tls]\ncertificate = \"a.pem\"\n");
        assert!(found.contains("`key`") && found.contains("`authority`"), "{found}");
    }
}
