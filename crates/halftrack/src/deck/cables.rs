//! Cable list of a deck with the far ends of a plant.

use halftrack_config::{CpcName, Place, Plant};
use halftrack_deck::model::Deck;
use halftrack_plugging::{CABLE_HEADS, Cable, FarEnd, FarEnds, Hardware, cable_table, cables, csv_line};
use serde_json::{Map, Value, json};

/// Cables of a deck.
#[derive(Debug, Default)]
pub struct CableList(Vec<Cable>);

impl CableList {
    /// Lists the cables of `deck` on `hardware`; `plant` has their far ends.
    pub fn new(deck: &Deck, hardware: &Hardware, plant: Option<&Plant>) -> Self {
        let ends = plant.map(|plant| far_ends(plant, deck)).unwrap_or_default();
        Self(cables(deck, hardware, &ends))
    }

    /// Formats the list as a table.
    pub fn to_text(&self) -> String {
        cable_table(&self.0)
    }

    /// Formats the list as comma-separated values, a line of heads first.
    pub fn to_csv(&self) -> String {
        let lines = self.0.iter().map(|cable| csv_line(cable.cells().iter().map(String::as_str)));
        csv_line(CABLE_HEADS) + &lines.collect::<String>()
    }

    /// Formats the list as JSON text, ended by a newline.
    pub fn to_json(&self) -> String {
        let list: Vec<Value> = self.0.iter().map(as_json).collect();
        format!("{:#}\n", json!({ "cables": list }))
    }
}

/// Returns the far ends of the cables of the machine of `deck`: the only one of the plant, or the one that LSYSTEM names.
fn far_ends(plant: &Plant, deck: &Deck) -> FarEnds {
    let named = deck.id.lsystem.as_ref().and_then(|name| CpcName::parse(&name.value));
    let is_own = |cpc: CpcName| plant.cpcs.len() == 1 || Some(cpc) == named;
    let mut ends = FarEnds::default();
    for cable in plant.cables.iter().filter(|cable| is_own(cable.cpc)) {
        let Some(pchid) = cable.port.value.pchid() else { continue };
        let name = match &cable.to.value {
            Place::Director(port) => format!("director {:02X} port {:02X}", port.director, port.port),
            Place::ControlUnit(port) => port.to_string(),
            Place::Channel(plug) => plug.to_string(),
        };
        ends.channels.insert(pchid, FarEnd { name, km: cable.length.km });
    }
    for unit in &plant.control_units {
        for port in &unit.ports {
            let Some(to) = &port.to else { continue };
            let end = FarEnd { name: port.address(unit).to_string(), km: port.length.km };
            ends.director_ports.insert((to.value.director, to.value.port), end);
        }
    }
    ends
}

/// Formats the cells of a cable by the heads of their columns; an unknown cell is null.
fn as_json(cable: &Cable) -> Value {
    let cells = CABLE_HEADS.into_iter().zip(cable.cells());
    let pair = |(head, cell): (&str, String)| {
        (head.to_lowercase(), if cell.is_empty() { Value::Null } else { Value::String(cell) })
    };
    Value::Object(cells.map(pair).collect::<Map<String, Value>>())
}
