//! The rate of cards that compress: a run of them in virtual time under a load that they cannot carry.

use std::fmt::Write as _;
use std::sync::Arc;

use halftrack_catalog::{Catalog, ZEDC};
use halftrack_deck::model::Deck;
use halftrack_deck::read;
use halftrack_input::{Diagnostic, SourceFile};
use halftrack_plugging::read_hardware;
use halftrack_zedc::INPUT_BYTES_MAX;
use halftrack_zedc::sizing::CardSpeed;
use halftrack_zedc_twin::{Installation, read_load, run};

/// Time before anything is counted, s.
const WARMUP_S: f64 = 0.01;
/// Time that is counted, s.
const MEASURED_S: f64 = 0.25;
/// Rate of data of each partition, MB/s: beyond that of all cards.
const OFFERED_MB_PER_S: f64 = 10_000.0;

/// Cards of a hardware file, and the functions of a deck on them.
#[derive(Debug, Clone, PartialEq)]
pub struct Compressed {
    /// The deck.
    pub deck: Arc<SourceFile>,
    /// The hardware file.
    pub hardware: Arc<SourceFile>,
    /// The resource group whose firmware is updated all the time.
    pub update: Option<String>,
}

impl Compressed {
    /// Returns what the cards compress of requests of the largest length, MB/s before compression.
    pub(crate) fn value(&self, catalog: &Catalog) -> Result<f64, String> {
        let first = |found: &[Diagnostic]| found.first().map_or_else(String::new, Diagnostic::line);
        let (hardware, found) = read_hardware(&self.hardware, catalog);
        let hardware = hardware.ok_or_else(|| first(&found))?;
        let reading = read(Arc::clone(&self.deck));
        let deck = reading.deck.as_ref().ok_or_else(|| first(&reading.diagnostics))?;
        let (load, found) = read_load(&SourceFile::new("load", self.load_text(deck)), deck);
        let load = load.ok_or_else(|| first(&found))?;
        let card = catalog.features.get(ZEDC).and_then(|feature| feature.compression.as_ref());
        let card = card.ok_or("the catalog has no card that compresses")?;
        let speed = CardSpeed { mb_per_s: card.mb_per_s.value, setup_us: card.setup_us.value };
        let installation = Installation::new(deck, &hardware).map_err(|error| error.to_string())?;
        let activity = run(installation, &load, speed);
        let requests: u64 = activity.streams.iter().map(|stream| stream.requests).sum();
        Ok(requests as f64 * INPUT_BYTES_MAX as f64 / (MEASURED_S * 1e6))
    }

    /// Writes a load file: a stream of every partition that has a function of `deck`.
    fn load_text(&self, deck: &Deck) -> String {
        let mut text = format!("[run]\nwarmup_s = {WARMUP_S}\nmeasured_s = {MEASURED_S}\n");
        let mut partitions: Vec<&str> = deck
            .functions
            .iter()
            .filter_map(|one| one.access.as_ref())
            .map(|(_, name)| name.as_str())
            .collect();
        partitions.sort_unstable();
        partitions.dedup();
        for name in partitions {
            // A String takes all that is written.
            let _ = writeln!(
                text,
                "[[compression]]\nname = \"{name}\"\npartition = \"{name}\"\nexploiter = \"bsam\"\n\
                 mb_per_s = {OFFERED_MB_PER_S:?}\nrequest_bytes = {INPUT_BYTES_MAX}\nratio = 2.0"
            );
        }
        if let Some(group) = &self.update {
            let end_s = WARMUP_S + MEASURED_S;
            let _ = writeln!(text, "[[update]]\ngroup = \"{group}\"\nat_s = 0.0\nfor_s = {end_s:?}");
        }
        text
    }
}
