//! A generation of Fibre Channel links, from which the rate of a fibre follows: `catalog/link/ID.toml`.

use std::ops::Range;

use halftrack_input::messages::toml_file as numbers;
use halftrack_input::{Expect, Fields, Sourced};

use crate::catalog::Catalog;
use crate::shelf::{Hardware, Shelf};

/// Upper limit of a symbol rate, GBd.
const GBAUD_MAX: f64 = 10_000.0;
/// Most bits that one symbol can carry.
const BITS_PER_SYMBOL_MAX: u32 = 16;
/// Most bits of a symbol of a block code.
const SYMBOL_BITS_MAX: u32 = 16;
/// Most symbols that a codeword can correct.
const CORRECTS_MAX: u32 = 4096;
/// Bits of an octet.
const BITS_PER_OCTET: f64 = 8.0;
/// Symbols a second of 1 GBd.
const BAUD_PER_GBAUD: f64 = 1e9;

/// One generation of links.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkGeneration {
    /// Name in words.
    pub title: String,
    /// Nominal Gbit/s, by which ports name it.
    pub gbps: u32,
    /// Where they stand in its file.
    pub span: Range<usize>,
    /// Symbols on the line, 10^9 a second.
    pub gbaud: Sourced<f64>,
    /// Bits of one symbol.
    pub bits_per_symbol: Sourced<u32>,
    /// Codes on the line, without and with forward error correction.
    pub codings: Vec<Coding>,
}

/// How octets become bits on the line.
#[derive(Debug, Clone, PartialEq)]
pub struct Coding {
    /// Line code, such as 64b/66b.
    pub code: Sourced<CodeRate>,
    /// Forward error correction; `None` without.
    pub fec: Option<ErrorCorrection>,
}

/// Forward error correction behind a line code.
#[derive(Debug, Clone, PartialEq)]
pub struct ErrorCorrection {
    /// Symbols of a codeword.
    pub code: Sourced<CodeRate>,
    /// Bits of one of its symbols.
    pub symbol_bits: Sourced<u32>,
    /// Symbols in error that a codeword is read in spite of, wherever they are.
    pub corrects: Sourced<u32>,
}

/// Bits of data in the bits that a code makes of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeRate {
    /// Bits or symbols of data.
    pub data: u32,
    /// Bits or symbols sent for them, no fewer.
    pub sent: u32,
}

impl CodeRate {
    fn new(data: &str, sent: &str) -> Option<Self> {
        let (data, sent) = (data.parse().ok()?, sent.parse().ok()?);
        (0 < data && data <= sent).then_some(Self { data, sent })
    }

    /// Returns a line code as the standards write it, `64b/66b`.
    fn of_code(text: &str) -> Option<Self> {
        let (data, sent) = text.split_once('/')?;
        Self::new(data.strip_suffix('b')?, sent.strip_suffix('b')?)
    }

    /// Returns a block code as the standards write it, `RS(528,514)`: sent before data.
    fn of_fec(text: &str) -> Option<Self> {
        let (sent, data) = text.split_once('(')?.1.strip_suffix(')')?.split_once(',')?;
        Self::new(data, sent)
    }

    fn share(self) -> f64 {
        f64::from(self.data) / f64::from(self.sent)
    }
}

impl Hardware for LinkGeneration {
    const DIRECTORY: &'static str = "link";

    fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let title = fields.required("title", Expect::text());
        let gbps = fields.required("gbps", Expect::integer(1..=1024));
        let gbaud = fields.sourced("gbaud", Expect::positive(GBAUD_MAX));
        let bits_per_symbol = fields.sourced("bits_per_symbol", Expect::integer(1..=BITS_PER_SYMBOL_MAX));
        let codings = Coding::read_all(fields);
        let gbps = gbps?;
        Some(Self {
            title: title?.value,
            gbps: gbps.value,
            span: gbps.span,
            gbaud: gbaud?,
            bits_per_symbol: bits_per_symbol?,
            codings: codings?,
        })
    }
}

impl Coding {
    fn read_all(fields: &mut Fields<'_>) -> Option<Vec<Self>> {
        let codings = fields.tables("coding", |one| {
            let code = Expect::parsed("a code such as \"64b/66b\"", CodeRate::of_code);
            let fec = Expect::parsed("a block code such as \"RS(528,514)\"", CodeRate::of_fec);
            let code = one.sourced("code", code);
            let fec = if one.has("fec") {
                let (code, symbol_bits) = (one.sourced("fec", fec), Expect::integer(1..=SYMBOL_BITS_MAX));
                let symbol_bits = one.sourced("symbol_bits", symbol_bits);
                let corrects = one.sourced("corrects", Expect::integer(0..=CORRECTS_MAX));
                Some(ErrorCorrection { code: code?, symbol_bits: symbol_bits?, corrects: corrects? })
            } else {
                None
            };
            Some((Self { code: code?, fec }, one.span()))
        });
        if codings.is_empty() && !fields.has("coding") {
            let message =
                "no `[[coding]]`: expected one table for the code with FEC, one for that without, or both";
            fields.error(numbers::MISSING_KEY, fields.span(), message, "add `[[coding]]` with `code`");
        }
        for (at, (coding, span)) in codings.iter().enumerate() {
            let alike = |other: &&(Self, _)| other.0.fec.is_some() == coding.fec.is_some();
            if let Some((_, first)) = codings[..at].iter().find(alike) {
                let name = if coding.fec.is_some() { "coding with FEC" } else { "coding without FEC" };
                fields.named_twice(name, span.clone(), first.clone());
            }
        }
        let codings: Vec<_> = codings.into_iter().map(|(coding, _)| coding).collect();
        (!codings.is_empty()).then_some(codings)
    }
}

impl LinkGeneration {
    /// Returns its code on the line with or without FEC. `None` when it has no such code.
    fn coding(&self, fec: bool) -> Option<&Coding> {
        self.codings.iter().find(|coding| coding.fec.is_some() == fec)
    }

    /// Returns octets a second each way, those of delimiters and between frames included. `None` when the generation
    /// has no such code.
    #[must_use]
    pub fn octets_per_s(&self, fec: bool) -> Option<f64> {
        let coding = self.coding(fec)?;
        let correction = coding.fec.as_ref().map_or(1.0, |fec| fec.code.value.share());
        let line_bits = self.gbaud.value * BAUD_PER_GBAUD * f64::from(self.bits_per_symbol.value);
        Some(line_bits * coding.code.value.share() * correction / BITS_PER_OCTET)
    }
}

impl Shelf<LinkGeneration> {
    /// Returns octets a second of a link of `gbps` nominal Gbit/s. `None` when no generation has that speed and code.
    #[must_use]
    pub fn octets_per_s(&self, gbps: u32, fec: bool) -> Option<f64> {
        let generations = self.ids().filter_map(|id| self.get(id));
        generations.filter(|one| one.gbps == gbps).find_map(|one| one.octets_per_s(fec))
    }

    /// Returns the code on the line of a link of `gbps` nominal Gbit/s. `None` when no generation has that speed and code.
    #[must_use]
    pub fn coding(&self, gbps: u32, fec: bool) -> Option<&Coding> {
        let generations = self.ids().filter_map(|id| self.get(id));
        generations.filter(|one| one.gbps == gbps).find_map(|one| one.coding(fec))
    }
}

impl Catalog {
    /// Returns nominal speeds of the link generations, Gbit/s, without FEC before with, for a message.
    pub(crate) fn link_speeds(&self) -> String {
        let generations = self.links.ids().filter_map(|id| self.links.get(id));
        let mut speeds: Vec<_> = generations
            .flat_map(|one| one.codings.iter().map(|coding| (one.gbps, coding.fec.is_some())))
            .collect();
        speeds.sort_unstable();
        let named = |(gbps, fec): &(u32, bool)| format!("{gbps}{}", if *fec { " with FEC" } else { "" });
        speeds.iter().map(named).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use halftrack_input::{SourceFile, read_document};

    use super::*;

    fn rate_mb_per_s(gbps: u32, fec: bool) -> f64 {
        Catalog::load(&[]).0.links.octets_per_s(gbps, fec).expect("a generation") / 1e6
    }

    /// FC-PI-2 to FC-PI-8: 100 MB/s a Gbit/s is the name of a generation, and a sixteenth more its rate.
    #[test]
    fn the_rate_follows_from_baud_and_code() {
        for (gbps, fec, mb_per_s) in [
            (1, false, 106.25),
            (2, false, 212.5),
            (4, false, 425.0),
            (8, false, 850.0),
            (10, false, 1275.0),
            (16, false, 1700.0),
            (16, true, 1700.0),
            (32, true, 3400.0),
            (64, true, 6800.0),
            (128, true, 13_200.0),
        ] {
            assert!((rate_mb_per_s(gbps, fec) - mb_per_s).abs() < 1e-6, "{gbps} Gbit/s");
        }
        assert_eq!(Catalog::load(&[]).0.links.octets_per_s(8, true), None);
        assert_eq!(Catalog::load(&[]).0.links.octets_per_s(32, false), None);
    }

    #[test]
    fn a_code_that_makes_bits_fewer_is_refused() {
        let text = |code: &str| {
            format!(
                "title = 't'\ngbps = 3\ngbaud = {{ value = 3, source = 'assumed', reason = 't' }}\n\
                 bits_per_symbol = {{ value = 1, source = 'assumed', reason = 't' }}\n\
                 [[coding]]\ncode = {{ value = '{code}', source = 'assumed', reason = 't' }}\n"
            )
        };
        let read = |code: &str| {
            let (read, found) = read_document(&SourceFile::new("t.toml", text(code)), LinkGeneration::read);
            (read.and_then(|one| one.octets_per_s(false)), found.len())
        };
        assert_eq!(read("8b/10b"), (Some(3e8), 0));
        for wrong in ["10b/8b", "0b/8b", "8/10", "b/b"] {
            assert_eq!(read(wrong), (None, 1), "{wrong}");
        }
    }
}
