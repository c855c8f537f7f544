//! Places of the ports of PCHIDs, as advice on single points of failure needs them.
//!
//! The deck names ports by PCHID alone. Card, drawer and domain of a port are properties of the hardware, of which
//! this crate has no data: a crate that has them implements [`Placement`]. [`ByNumber`] is a placement by the number
//! alone.

/// The place of a port.
///
/// Names identify parts over the whole machine: two ports with the same `domain` share that domain. `None` is an
/// unknown part, which never counts as shared.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// Frame.
    pub frame: Option<String>,
    /// I/O drawer or cage.
    pub drawer: Option<String>,
    /// Slot in the drawer.
    pub slot: Option<String>,
    /// Port of the card.
    pub port: Option<String>,
    /// The card.
    pub card: Option<String>,
    /// I/O domain: the cards behind one interconnect card.
    pub domain: Option<String>,
    /// Fanout of the CPC drawer that the domain hangs from.
    pub fanout: Option<String>,
    /// CPC drawer or book of that fanout.
    pub cpc_drawer: Option<String>,
    /// Resource group of native PCIe adapters.
    pub resource_group: Option<String>,
}

/// A part that several ports may have in common, from the smallest to the largest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// A card.
    Card,
    /// An I/O domain.
    Domain,
    /// A fanout.
    Fanout,
    /// An I/O drawer.
    Drawer,
    /// A CPC drawer.
    CpcDrawer,
}

impl Part {
    /// All of them, the smallest first.
    pub const ALL: [Part; 5] = [Part::Card, Part::Domain, Part::Fanout, Part::Drawer, Part::CpcDrawer];

    /// Returns the word for it in messages.
    pub fn name(self) -> &'static str {
        match self {
            Part::Card => "card",
            Part::Domain => "I/O domain",
            Part::Fanout => "fanout",
            Part::Drawer => "I/O drawer",
            Part::CpcDrawer => "CPC drawer",
        }
    }
}

impl Place {
    /// Returns the name of the part of kind `part` that the port is in.
    pub fn of(&self, part: Part) -> Option<&str> {
        let name = match part {
            Part::Card => &self.card,
            Part::Domain => &self.domain,
            Part::Fanout => &self.fanout,
            Part::Drawer => &self.drawer,
            Part::CpcDrawer => &self.cpc_drawer,
        };
        name.as_deref()
    }
}

/// A source of the places of ports.
pub trait Placement {
    /// Returns the place of the port `pchid`; `None` when it is missing or unknown.
    fn place(&self, pchid: u16) -> Option<Place>;

    /// Returns the blade of director `switch` that has the port with address `port`; `None` when it is unknown.
    fn blade(&self, _switch: u8, _port: u8) -> Option<String> {
        None
    }
}

/// Another placement, and directors whose blades have consecutive port addresses.
///
/// The number of ports of a blade depends on the director, and no deck names its type.
#[derive(Clone, Copy)]
pub struct WithBlades<'a> {
    /// Where PCHIDs are.
    pub ports: &'a dyn Placement,
    /// Ports of a blade, the first blade from port address 00.
    pub ports_per_blade: u8,
}

impl Placement for WithBlades<'_> {
    fn place(&self, pchid: u16) -> Option<Place> {
        self.ports.place(pchid)
    }

    fn blade(&self, _switch: u8, port: u8) -> Option<String> {
        let first = port / self.ports_per_blade.max(1) * self.ports_per_blade.max(1);
        let last = first.saturating_add(self.ports_per_blade.max(1) - 1);
        Some(format!("{first:02X}-{last:02X}"))
    }
}

/// The placement that PCHIDs alone give: a card owns four consecutive numbers, the first divisible by 4.
///
/// That holds for the cards of PCIe drawers, zEC12 and later (reference: IOCP, section 7 and R374).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByNumber;

impl Placement for ByNumber {
    fn place(&self, pchid: u16) -> Option<Place> {
        let first = pchid / 4 * 4;
        Some(Place { card: Some(format!("{first:03X}-{:03X}", first + 3)), ..Place::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_has_four_numbers_and_nothing_else_is_known() {
        let card = |pchid| ByNumber.place(pchid).and_then(|place| place.card);
        assert_eq!(card(0x101), card(0x103));
        assert_ne!(card(0x103), card(0x104));
        let place = ByNumber.place(0x101).expect("a place");
        let known: Vec<Part> = Part::ALL.into_iter().filter(|&part| place.of(part).is_some()).collect();
        assert_eq!((known, place.of(Part::Card)), (vec![Part::Card], Some("100-103")));
    }
}
