//! A director that switches between channels and control units: `director.toml` of `halftrack director`, read and checked
//! by itself.
//!
//! ```toml
//! name = "DIRECTOR 61"
//! wwn = "10:00:00:00:00:00:00:61"
//! domain = "61"
//!
//! [[port]]
//! link = "04"
//! listen = "127.0.0.1:4104"
//!
//! [[isl]]
//! link = "E0"
//! connect = "127.0.0.1:4162"
//! km = 10.0
//!
//! [[zone]]
//! name = "PROD"
//! members = ["c0:50:76:00:00:00:00:01", "61.04"]
//! ```

mod port;
mod zone;

use std::sync::Arc;

use halftrack_input::messages::toml_file as toml_numbers;
use halftrack_input::{Diagnostic, Expect, SourceFile, read_document};
use halftrack_wire::WorldWideName;

use crate::channel_file::world_wide_name;
use crate::link_access::{TlsEntry, read_tls};
use crate::place::hex;

pub use port::{DirectorFilePort, InterSwitch};
pub use zone::{ZoneEntry, ZoneMemberEntry};

/// Lowest and highest domain of a switch (FC-SW).
const DOMAINS: std::ops::RangeInclusive<u32> = 0x01..=0xEF;

/// A director file by meaning.
#[derive(Debug, Clone)]
pub struct DirectorFile {
    /// The text that the spans point into.
    pub source: Arc<SourceFile>,
    /// Name, for messages.
    pub name: String,
    /// World-wide name of the switch.
    pub switch_name: WorldWideName,
    /// Domain.
    pub domain: u8,
    /// Certificates of its ports.
    pub tls: Option<TlsEntry>,
    /// Ports for channels and control units, then those for inter-switch links; at least one.
    pub ports: Vec<DirectorFilePort>,
    /// Zones; without any everybody sees everybody.
    pub zones: Vec<ZoneEntry>,
}

/// Reads a director file; the messages are about this file alone.
pub fn read_director(source: &Arc<SourceFile>) -> (Option<DirectorFile>, Vec<Diagnostic>) {
    read_document(source, |fields| {
        let name = fields.required("name", Expect::text());
        let switch_name = fields.required("wwn", world_wide_name());
        let domain = fields.required("domain", domain());
        let tls = read_tls(fields);
        let ports = port::read_ports(fields, tls.is_some());
        let zones = zone::read_zones(fields);
        if !fields.has("port") && !fields.has("isl") {
            let message = "no `[[port]]` in the director: expected at least one";
            let fix = "add a `[[port]]` with `link` and `listen`";
            fields.error(toml_numbers::MISSING_KEY, fields.span(), message, fix);
        }
        Some(DirectorFile {
            source: Arc::clone(fields.source()),
            name: name?.value,
            switch_name: switch_name?.value,
            domain: domain?.value,
            tls,
            ports,
            zones,
        })
    })
}

fn domain<'e>() -> Expect<'e, u8> {
    Expect::parsed("a domain of two hexadecimal digits from \"01\" to \"EF\"", |text| {
        hex(text, 2).filter(|domain| DOMAINS.contains(domain)).map(|domain| domain as u8)
    })
}

/// Returns a link address of the director.
fn link_address<'e>() -> Expect<'e, u8> {
    Expect::parsed("a link address of two hexadecimal digits such as \"04\"", |text| {
        hex(text, 2).map(|address| address as u8)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LinkPlace;

    const SOUND: &str = r#"
name = "DIRECTOR 61"
wwn = "10:00:00:00:00:00:00:61"
domain = "61"

[[port]]
link = "04"
listen = "4104"

[[port]]
link = "05"
listen = "127.0.0.1:4105"
credits = 90

[[isl]]
link = "E0"
connect = "far.example:4162"
km = 10
switch = "10:00:00:00:00:00:00:62"

[[zone]]
name = "PROD"
members = ["c0:50:76:00:00:00:00:01", "61.04"]
"#;

    fn read(text: &str) -> (Option<DirectorFile>, Vec<String>) {
        let source = SourceFile::new("director.toml", text);
        let (file, messages) = read_director(&source);
        (file, messages.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn a_director_has_ports_links_and_zones() {
        let (file, messages) = read(SOUND);
        assert_eq!(messages, [""; 0]);
        let file = file.expect("a sound file");
        assert_eq!((file.domain, file.ports.len(), file.zones.len()), (0x61, 3, 1));
        assert_eq!(file.ports[0].place, LinkPlace::Listen("127.0.0.1:4104".parse().expect("an address")));
        assert_eq!((file.ports[0].credits, file.ports[1].credits), (256, 90));
        let link = file.ports[2].inter_switch.expect("an inter-switch link");
        assert_eq!((link.km, link.neighbour), (10.0, Some(WorldWideName(0x1000_0000_0000_0062))));
        assert_eq!(file.ports[2].place, LinkPlace::Connect("far.example:4162".to_owned()));
        let members = &file.zones[0].members;
        assert_eq!(members[1], ZoneMemberEntry::LinkAddress { domain: 0x61, area: 4 });
    }

    #[test]
    fn mistakes_are_shown_with_their_place_and_what_mends_them() {
        let cases = [
            ("domain = \"61\"", "domain = \"F0\"", "director.toml:4:10"),
            ("link = \"05\"", "link = \"04\"", "director.toml:11:"),
            ("listen = \"127.0.0.1:4105\"", "listen = \"0.0.0.0:4105\"", "which other hosts can reach"),
            ("km = 10", "km = -1", "director.toml:18:6"),
            ("connect = \"far.example:4162\"", "", "exactly one of `listen` and `connect`"),
            ("\"61.04\"", "\"61.4\"", "director.toml:23:"),
            ("credits = 90", "credits = 0", "director.toml:13:11"),
            ("[[zone]]", "[[zones]]", "zones"),
        ];
        for (right, wrong, expected) in cases {
            let (_, messages) = read(&SOUND.replacen(right, wrong, 1));
            assert!(messages.iter().any(|message| message.contains(expected)), "{wrong}: {messages:?}");
        }
        let (file, messages) = read("name = \"D\"\nwwn = \"10:00:00:00:00:00:00:61\"\ndomain = \"61\"\n");
        assert!(file.is_some_and(|file| file.ports.is_empty()) && messages[0].contains("at least one"));
    }
}
