//! A control unit of which no time is published: those of two others, and how far it is from the one to the other.

use halftrack_input::messages::catalog as catalog_numbers;
use halftrack_input::{Expect, Fields, Sourced, nearest_or_all};

use crate::hardware::control_unit::{ControlUnit, ControlUnitTransport};
use crate::hardware::prices::Prices;
use crate::shelf::Shelf;

/// `[between]`: what the file leaves out lies between two control units.
#[derive(Debug, Clone, PartialEq)]
pub struct Interpolation {
    /// Catalog id of the older one.
    pub older: String,
    /// Catalog id of the newer one.
    pub newer: String,
    /// How far it is from the older to the newer, 0 to 1.
    pub place: Sourced<f64>,
}

/// The two control units that a file names, and its place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Neighbours<'a> {
    pub older: &'a ControlUnit,
    pub newer: &'a ControlUnit,
    place: &'a Sourced<f64>,
}

impl Interpolation {
    /// Reads the table at hand; both names must be of `units`, which have no `[between]` of their own.
    pub(crate) fn read(fields: &mut Fields<'_>, units: &Shelf<ControlUnit>) -> Option<Self> {
        let [older, newer] = ["older", "newer"].map(|key| {
            let id = fields.required(key, Expect::text())?;
            let is_whole = |id: &&str| units.get(id).is_some_and(|unit| unit.between.is_none());
            if !is_whole(&id.value.as_str()) {
                let message = format!("control unit `{}` is unknown or has no times of its own", id.value);
                let fix = nearest_or_all(&id.value, units.ids().filter(is_whole));
                fields.error(catalog_numbers::UNKNOWN_NEIGHBOUR, id.span, message, fix);
                return None;
            }
            Some(id.value)
        });
        let place = fields.sourced("place", Expect::number(0.0..=1.0));
        Some(Self { older: older?, newer: newer?, place: place? })
    }

    /// Returns the two.
    pub(crate) fn neighbours<'a>(&'a self, units: &'a Shelf<ControlUnit>) -> Option<Neighbours<'a>> {
        Some(Neighbours {
            older: units.get(&self.older)?,
            newer: units.get(&self.newer)?,
            place: &self.place,
        })
    }
}

impl<'a> Neighbours<'a> {
    /// Returns some control unit twice.
    pub(crate) fn any(units: &'a Shelf<ControlUnit>) -> Option<Self> {
        let some = units.any()?;
        Some(Self { older: some, newer: some, place: &some.hit_us })
    }
}

impl Neighbours<'_> {
    /// Returns the number between those of the two, with them as its range.
    pub(crate) fn number(&self, of: impl Fn(&ControlUnit) -> &Sourced<f64>) -> Sourced<f64> {
        self.mixed(of(self.older).value, of(self.newer).value)
    }

    fn mixed(&self, older: f64, newer: f64) -> Sourced<f64> {
        let value = older + (newer - older) * self.place.value;
        Sourced { value, range: Some([older.min(newer), older.max(newer)]), ..self.place.clone() }
    }

    /// Returns prices in command mode.
    pub(crate) fn command(&self) -> Prices {
        Prices {
            program_us: self.number(|unit| &unit.command.program_us),
            command_us: self.number(|unit| &unit.command.command_us),
            unit_us: self.number(|unit| &unit.command.unit_us),
            kib_us: self.number(|unit| &unit.command.kib_us),
        }
    }

    /// Returns transport mode, which the older need not have: prices of the newer, grown as a read of 4 KiB has in
    /// command mode.
    pub(crate) fn transport(&self) -> Option<ControlUnitTransport> {
        let newer = self.newer.transport.as_ref()?;
        let [older_us, newer_us] = [self.older, self.newer].map(|unit| unit.command.read_4k_us());
        let grown = |price: &Sourced<f64>| self.mixed(price.value * older_us / newer_us, price.value);
        Some(ControlUnitTransport {
            prices: Prices {
                program_us: grown(&newer.prices.program_us),
                command_us: grown(&newer.prices.command_us),
                unit_us: grown(&newer.prices.unit_us),
                kib_us: grown(&newer.prices.kib_us),
            },
            first_transfer_bytes: newer.first_transfer_bytes.clone(),
            transfer_ready_bytes: newer.transfer_ready_bytes.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use halftrack_input::SourceFile;
    use halftrack_input::messages::catalog as catalog_numbers;

    use crate::catalog::Catalog;
    use crate::hardware::control_unit::ControlUnit;

    fn built_in() -> Catalog {
        Catalog::load(&[]).0
    }

    /// Loads the DS8870 with this text in place of another.
    fn changed(from: &str, to: &str) -> (Catalog, Vec<u16>) {
        let (mut catalog, mut found) = Catalog::load(&[]);
        let text = catalog.source("control-unit", "ds8870").expect("built in").text.replace(from, to);
        catalog.put("control-unit", "ds8870", SourceFile::new("mine.toml", text), &mut found);
        (catalog, found.iter().map(|one| one.number).collect())
    }

    fn times(unit: &ControlUnit) -> [f64; 4] {
        [unit.command.read_4k_us(), unit.hit_us.value, unit.dispatch_us.value, unit.miss_us.value]
    }

    #[test]
    fn its_ends_are_the_two_others() {
        for (place, other) in [("0.0", "ess-f20"), ("1.0", "ds8950")] {
            let (catalog, found) = changed("value = 0.63", &format!("value = {place}"));
            assert_eq!(found, [0; 0]);
            let [mine, its] =
                ["ds8870", other].map(|id| times(catalog.control_units.get(id).expect("built in")));
            assert_eq!(mine, its, "{other}");
        }
        let newest = changed("value = 0.63", "value = 1.0").0;
        let prices =
            |id| newest.control_units.get(id).and_then(|one| one.transport.clone()).map(|one| one.prices);
        let [mine, its] = ["ds8870", "ds8950"].map(|id| prices(id).expect("zHPF").program_us.value);
        assert!((mine - its).abs() < 1e-9);
    }

    #[test]
    fn its_numbers_have_those_of_the_two_as_their_range() {
        let catalog = built_in();
        let unit = catalog.control_units.get("ds8870").expect("built in");
        assert_eq!(unit.hit_us.range, Some([40.4, 60.0]));
        assert!(unit.between.is_some());
        let place = catalog.parameters("control-unit", "ds8870");
        let place = place.iter().find(|one| one.key == "between.place").expect("in the ledger");
        assert_eq!((place.value, place.range), (0.63, Some([0.0, 1.0])));
    }

    #[test]
    fn it_follows_when_another_changes() {
        let catalog = built_in();
        let hit = |catalog: &Catalog| catalog.control_units.get("ds8870").map(|one| one.hit_us.value);
        let parameters = catalog.parameters("control-unit", "ess-f20");
        let older = parameters.iter().find(|one| one.key == "hit_us").expect("a time");
        let slower = catalog.with_value(older, 160.0).expect("in range");
        let expected = hit(&catalog).expect("built in") + 100.0 * (1.0 - 0.63);
        assert!((hit(&slower).expect("built in") - expected).abs() < 1e-9);
    }

    #[test]
    fn it_lies_between_two_that_have_times_of_their_own() {
        assert_eq!(changed("\"ess-f20\"", "\"ess-f30\"").1, [catalog_numbers::UNKNOWN_NEIGHBOUR]);
        assert_eq!(changed("\"ess-f20\"", "\"ds8700\"").1, [catalog_numbers::UNKNOWN_NEIGHBOUR]);
    }
}
