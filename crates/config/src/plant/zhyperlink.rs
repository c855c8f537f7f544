//! zHyperLinks of a plant: cables from ports of adapters to boxes, and the switches of both ends.

use std::ops::Range;

use halftrack_input::{Expect, Fields, Located};

use crate::cpc_name::CpcName;
use crate::identity::ChannelIdentity;
use crate::place::{NAME_WORDS, control_unit_name};
use crate::plant::cpcs::{Cpc, read_owner};
use crate::plant::host::pchid;
use crate::synchronous::Directions;
use crate::unique::check_unique;

/// Longest cable in a file, m; the catalog has the reach.
const METRES_MAX: f64 = 1_000_000.0;

/// One `[[zhyperlink]]`: a cable.
#[derive(Debug, Clone)]
pub struct ZHyperLink {
    /// The CPC of the adapter.
    pub cpc: CpcName,
    /// The adapter.
    pub pchid: Located<ChannelIdentity>,
    /// Port of the adapter, 1 or 2.
    pub port: u8,
    /// Name of the box.
    pub control_unit: Located<String>,
    /// Its length, m.
    pub metres: Located<f64>,
    /// The whole table.
    pub span: Range<usize>,
}

impl ZHyperLink {
    /// Returns the port of the adapter, as messages and reports name it: `180.1`.
    #[must_use]
    pub fn place(&self) -> String {
        format!("{}{}.{}", self.cpc.prefix(), self.pchid.value.digits(), self.port)
    }
}

/// Returns the directions of `ZHYPERLINK,OPER=` of IECIOSxx.
pub(crate) fn oper() -> Expect<'static, Directions> {
    let on = |read, write| Directions { read, write };
    Expect::one_of([
        ("NONE", on(false, false)),
        ("READ", on(true, false)),
        ("WRITE", on(false, true)),
        ("ALL", on(true, true)),
    ])
}

/// Reads `zhyperlink_read` and `zhyperlink_write` of a box.
pub(super) fn read_switches(control_unit: &mut Fields<'_>) -> Directions {
    let read = control_unit.or("zhyperlink_read", Expect::flag(), true);
    let write = control_unit.or("zhyperlink_write", Expect::flag(), false);
    Directions { read, write }
}

pub(super) fn read_zhyperlinks(fields: &mut Fields<'_>, cpcs: &[Cpc]) -> Vec<ZHyperLink> {
    let links = fields.tables("zhyperlink", |link| {
        let cpc = read_owner(link, cpcs);
        let pchid = link.required("pchid", pchid());
        let port = link.required("port", Expect::integer(1..=2));
        let control_unit = link.required("box", Expect::parsed(NAME_WORDS, control_unit_name));
        let metres = link.required("metres", Expect::positive(METRES_MAX));
        let (port, span) = (port?.value, link.span());
        Some(ZHyperLink {
            cpc: cpc?,
            pchid: pchid?,
            port,
            control_unit: control_unit?,
            metres: metres?,
            span,
        })
    });
    let places = links.iter().map(|link| Located::new(link.place(), link.pchid.span.clone()));
    check_unique(fields, "zHyperLink port", places);
    links
}
