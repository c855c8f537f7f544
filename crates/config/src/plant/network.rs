//! Networks between partitions: `[[network]]`.

use halftrack_input::{Expect, Fields, Located};

use crate::plant::km;
use crate::unique::check_unique;

/// Fastest OSD, Gbit/s.
const GBPS_MAX: f64 = 1000.0;
/// Switches in a row at most.
const SWITCHES_MAX: u32 = 16;

/// One `[[network]]`: a physical network, by the PNETID of the ports on it.
#[derive(Debug, Clone)]
pub struct Network {
    /// PNETID.
    pub pnetid: Located<String>,
    /// Way from any port to any other, km.
    pub km: Located<f64>,
    /// Fibre at a port, km; `None` where it is as long as the way leaves it.
    pub port_km: Option<Located<f64>>,
    /// Switches on the way; none from port to port.
    pub switches: u32,
    /// Global Pause of the switches is on.
    pub pause: Located<bool>,
    /// Priority flow control of the switches is on.
    pub pfc: Located<bool>,
    /// Multiplexers between the switches.
    pub dwdm: Option<Located<String>>,
    /// Speed of the OSD adapters on it, Gbit/s.
    pub osd_gbps: Located<f64>,
}

/// Returns a PNETID.
pub(crate) fn pnetid() -> Expect<'static, String> {
    Expect::parsed("a PNETID of 1 to 16 characters A-Z, 0-9, #, @ and $", |text| {
        let is_known =
            |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || b"#@$".contains(&byte);
        ((1..=16).contains(&text.len()) && text.bytes().all(is_known)).then(|| text.to_owned())
    })
}

pub(super) fn read_networks(fields: &mut Fields<'_>) -> Vec<Network> {
    let networks = fields.tables("network", |network| {
        let name = network.required("pnetid", pnetid());
        let length = network.required("km", km());
        let port_km = network.optional("port_km", km());
        let switches = network.or("switches", Expect::integer(0..=SWITCHES_MAX), 1);
        let span = network.span();
        let mut flag = |key, default| {
            let given = network.optional(key, Expect::flag());
            given.unwrap_or_else(|| Located::new(default, span.clone()))
        };
        let (pause, pfc) = (flag("pause", true), flag("pfc", false));
        let dwdm = network.optional("dwdm", Expect::text());
        let osd_gbps = network.required("osd_gbps", Expect::positive(GBPS_MAX));
        Some(Network { pnetid: name?, km: length?, port_km, switches, pause, pfc, dwdm, osd_gbps: osd_gbps? })
    });
    check_unique(fields, "network", networks.iter().map(|one| one.pnetid.clone()));
    networks
}
