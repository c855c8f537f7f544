//! Fibre Channel speeds of ports compared with the generations of links that the catalog has.

use std::ops::Range;

use halftrack_input::Diagnostic;
use halftrack_input::messages::{catalog as catalog_numbers, toml_file as numbers};

use crate::catalog::Catalog;
use crate::hardware::channel::Channel;
use crate::hardware::control_unit::ControlUnit;
use crate::hardware::director::Director;
use crate::hardware::link_generation::LinkGeneration;
use crate::hardware::multiplexer::Multiplexer;
use crate::hardware::speed::Speed;
use crate::shelf::{Hardware, Shelf};

/// A speed of an entry, and where it stands: kind, id, Gbit/s, FEC, place.
type Offered<'a> = (&'static str, &'a str, u32, bool, &'a Range<usize>);

impl Catalog {
    /// Reports every Fibre Channel speed that is of no generation in `link/`.
    pub(crate) fn check_link_speeds(&self, diagnostics: &mut Vec<Diagnostic>) {
        for (kind, id, gbps, fec, span) in self.offered() {
            if gbps == 0 || self.links.octets_per_s(gbps, fec).is_some() {
                continue;
            }
            let Some(source) = self.source(kind, id) else { continue };
            let with = if fec { "with" } else { "without" };
            let message = format!("no generation of links has {gbps} Gbit/s {with} FEC");
            let fix = format!(
                "there are {} Gbit/s; add `link/ID.toml` to a catalog for another",
                self.link_speeds()
            );
            let number = catalog_numbers::UNKNOWN_GENERATION;
            diagnostics.push(Diagnostic::error(number, source, span.clone(), message).fix(fix));
        }
    }

    /// Reports generations of one speed and kind of code, of which a port could mean either.
    pub(crate) fn check_link_generations(&self, diagnostics: &mut Vec<Diagnostic>) {
        let mut seen: Vec<(u32, bool, &str)> = Vec::new();
        for (id, one) in self.links.ids().filter_map(|id| Some((id, self.links.get(id)?))) {
            for fec in one.codings.iter().map(|coding| coding.fec.is_some()) {
                if let Some((.., first)) = seen.iter().find(|known| (known.0, known.1) == (one.gbps, fec))
                    && let Some(source) = self.source(LinkGeneration::DIRECTORY, id)
                {
                    let with = if fec { "with" } else { "without" };
                    let message = format!(
                        "link/{first}.toml is the generation of {} Gbit/s {with} FEC already",
                        one.gbps
                    );
                    let error = Diagnostic::error(numbers::NAMED_TWICE, source, one.span.clone(), message);
                    diagnostics
                        .push(error.fix(format!("name the file link/{first}.toml to put it in its place")));
                }
                seen.push((one.gbps, fec, id));
            }
        }
    }

    fn offered(&self) -> Vec<Offered<'_>> {
        let mut all = Vec::new();
        for (id, card) in self.channels.ids().filter_map(|id| Some((id, self.channels.get(id)?))) {
            all.extend(card.speeds.iter().map(|one| (Channel::DIRECTORY, id, one.gbps, one.fec, &one.span)));
        }
        all.extend(of_ports(&self.directors, |director: &Director| {
            let bridge = director.bridge.as_ref().map_or(&[][..], |bridge| &bridge.speeds[..]);
            director.speeds.iter().chain(bridge).collect()
        }));
        all.extend(of_ports(&self.control_units, |unit: &ControlUnit| unit.speeds.iter().collect()));
        all.extend(of_ports(&self.multiplexers, |gear: &Multiplexer| gear.speeds.iter().collect()));
        all
    }
}

/// Returns the speeds that `speeds` takes from each entry of `shelf`.
fn of_ports<'a, T: Hardware>(
    shelf: &'a Shelf<T>,
    speeds: impl Fn(&'a T) -> Vec<&'a Speed> + 'a,
) -> impl Iterator<Item = Offered<'a>> {
    let entries = shelf.ids().filter_map(|id| Some((id, shelf.get(id)?)));
    entries.flat_map(move |(id, one)| {
        speeds(one).into_iter().map(move |one| (T::DIRECTORY, id, one.gbps, one.fec, &one.span))
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use halftrack_input::messages::{catalog as catalog_numbers, toml_file as numbers};

    use crate::catalog::Catalog;

    /// Returns the numbers of the messages about a director with this `[[speed]]`.
    fn reported(speed: &str) -> Vec<u16> {
        let dir = tempfile::tempdir().expect("temporary directory");
        fs::create_dir(dir.path().join("director")).expect("directory");
        let text = format!(
            "title = 't'\nforward_us = {{ value = 2, source = 'assumed', reason = 't' }}\n\
             credits = {{ value = 60, source = 'assumed', reason = 't' }}\n[[speed]]\n{speed}"
        );
        fs::write(dir.path().join("director/mine.toml"), text).expect("file");
        let (_, found) = Catalog::load(&[dir.path()]);
        found.iter().map(|one| one.number).collect()
    }

    #[test]
    fn two_generations_of_one_speed_are_refused() {
        let generation = include_str!("../../../catalog/link/8gfc.toml");
        let found = |name: &str, text: &str| {
            let dir = tempfile::tempdir().expect("temporary directory");
            fs::create_dir(dir.path().join("link")).expect("directory");
            fs::write(dir.path().join("link").join(name), text).expect("file");
            Catalog::load(&[dir.path()]).1
        };
        assert!(found("8gfc.toml", generation).is_empty(), "one of the same name is in its place");
        assert!(found("9gfc.toml", &generation.replace("gbps = 8", "gbps = 9")).is_empty());
        let twice = found("mine.toml", generation);
        assert_eq!((twice.len(), twice[0].number), (1, numbers::NAMED_TWICE));
        assert!(twice[0].message.contains("link/8gfc.toml is the generation of 8 Gbit/s without FEC"));
    }

    #[test]
    fn a_speed_is_of_a_generation_and_has_its_rate() {
        assert_eq!(reported("gbps = 8\n"), [0; 0]);
        assert_eq!(reported("gbps = 5\n"), [catalog_numbers::UNKNOWN_GENERATION]);
        assert_eq!(reported("gbps = 8\nfec = true\n"), [catalog_numbers::UNKNOWN_GENERATION]);
        let rate = "mb_per_s = { value = 800, source = 'assumed', reason = 't' }\n";
        assert_eq!(reported(&format!("gbps = 8\n{rate}")), [catalog_numbers::RATE_OF_GENERATION]);
        assert_eq!(reported(&format!("gbps = 0\n{rate}")), [0; 0]);
        assert_eq!(reported("gbps = 0\n"), [numbers::MISSING_KEY], "bytes of a bus have no generation");
    }
}
