//! The load of `halftrack zedc size`: as arguments give it, or as the cards of this host counted it.

use std::io::Read;
use std::path::{Path, PathBuf};

use clap::Args;
use halftrack_zedc::sizing::Load;
use halftrack_zedc_rings::CardStatus;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::precision::share;

/// Length of a request where none is given, bytes.
const REQUEST_BYTES: u32 = 64 << 10;
/// Longest request, bytes.
const REQUEST_BYTES_MAX: u32 = 1 << 20;

/// Load as it is given.
#[derive(Debug, Args)]
pub struct LoadArguments {
    /// Rate of data before compression and behind decompression, MB/s (10^6 bytes a second)
    #[arg(long, value_name = "MB/S", value_parser = positive, required_unless_present = "measured")]
    mb_per_s: Option<f64>,
    /// Ratio of compression, for the rate of compressed data [default: that of --measured, else none]
    #[arg(long, value_name = "N", value_parser = positive)]
    ratio: Option<f64>,
    /// Length of a request before compression, such as 4K or 1M, which is the most [default: that of --measured, else 64K]
    #[arg(long, value_name = "BYTES", value_parser = request_bytes)]
    request_bytes: Option<u32>,
    /// Partitions that compress [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    partitions: Option<u32>,
    /// Growth of the rate that is to be carried, such as 20%
    #[arg(long, value_name = "SHARE", default_value = "0%", value_parser = growth)]
    growth: f64,
    /// Take the load that cards counted since they were started: the output of `halftrack zedc show --json`, - for
    /// standard input
    #[arg(long, value_name = "FILE", conflicts_with = "mb_per_s")]
    measured: Option<PathBuf>,
}

/// Load with its growth, and its ratio of compression where that is known.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct GivenLoad {
    /// Rate of data that are not compressed, MB/s.
    pub mb_per_s: f64,
    /// Length of a request, bytes.
    pub request_bytes: f64,
    /// Partitions that compress.
    pub partitions: u32,
    /// Ratio of compression.
    pub ratio: Option<f64>,
}

impl GivenLoad {
    /// Returns the load of cards.
    pub const fn load(&self) -> Load {
        let Self { mb_per_s, request_bytes, partitions, .. } = *self;
        Load { mb_per_s, request_bytes, partitions: partitions as usize }
    }
}

impl LoadArguments {
    /// Returns the load.
    ///
    /// # Errors
    /// A file that is no measurement, or has no request.
    pub fn given(&self) -> Result<GivenLoad, Failure> {
        let measured = self.measured.as_deref().map(measured).transpose()?;
        let mb_per_s = self.mb_per_s.or(measured.map(|load| load.mb_per_s)).unwrap_or_default();
        let length = self.request_bytes.map(f64::from).or(measured.map(|load| load.request_bytes));
        Ok(GivenLoad {
            mb_per_s: mb_per_s * (1.0 + self.growth),
            request_bytes: length.unwrap_or(REQUEST_BYTES.into()),
            partitions: self.partitions.unwrap_or(1),
            ratio: self.ratio.or(measured.and_then(|load| load.ratio)),
        })
    }
}

/// Cards of `halftrack zedc show --json`.
#[derive(Debug, Deserialize)]
struct Shown {
    cards: Vec<CardStatus>,
}

/// Reads what cards counted.
fn measured(path: &Path) -> Result<GivenLoad, Failure> {
    let mut text = String::new();
    let read = match path.as_os_str() == "-" {
        true => std::io::stdin().read_to_string(&mut text).map(drop),
        false => std::fs::read_to_string(path).map(|read| text = read),
    };
    let refused = |reason: String| Failure::Argument(format!("{}: {reason}", path.display()));
    read.map_err(|error| refused(error.to_string()))?;
    let shown: Shown = serde_json::from_str(&text)
        .map_err(|error| refused(format!("{error}; write it with `halftrack zedc show CPC --json`")))?;
    counted(&shown.cards).ok_or_else(|| refused("no card has done a request".to_owned()))
}

/// Returns the mean load of cards since each was started; `None` without a request.
fn counted(cards: &[CardStatus]) -> Option<GivenLoad> {
    let (mut requests, mut plain_bytes, mut compressed_bytes, mut mb_per_s) = (0, 0, 0, 0.0);
    for card in cards {
        let plain = card.functions.iter().map(|one| one.deflate_bytes.0 + one.inflate_bytes.1).sum::<u64>();
        compressed_bytes +=
            card.functions.iter().map(|one| one.deflate_bytes.1 + one.inflate_bytes.0).sum::<u64>();
        requests += card.functions.iter().map(|one| one.requests).sum::<u64>();
        plain_bytes += plain;
        mb_per_s += plain as f64 / card.up_s.max(1e-6) / 1e6;
    }
    (requests != 0 && plain_bytes != 0).then(|| GivenLoad {
        mb_per_s,
        request_bytes: plain_bytes as f64 / requests as f64,
        partitions: 1,
        ratio: (compressed_bytes != 0).then(|| plain_bytes as f64 / compressed_bytes as f64),
    })
}

/// Parses a number above 0.
pub fn positive(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| (1e-6..=1e9).contains(number));
    number.ok_or_else(|| "a number above 0 is expected".to_owned())
}

fn growth(text: &str) -> Result<f64, String> {
    share(text, (0.0, 100.0), "0% or more, such as 20% or 0.2")
}

fn request_bytes(text: &str) -> Result<u32, String> {
    let digits = text.trim_end_matches(['K', 'k', 'M', 'm']);
    let unit: u32 = match &text[digits.len()..] {
        "" => 1,
        "K" | "k" => 1 << 10,
        "M" | "m" => 1 << 20,
        _ => 0,
    };
    let bytes = digits.parse::<u32>().ok().and_then(|number| number.checked_mul(unit));
    bytes
        .filter(|bytes| (1..=REQUEST_BYTES_MAX).contains(bytes))
        .ok_or_else(|| "1 to 1M bytes are expected, such as 4K or 1M".to_owned())
}

#[cfg(test)]
mod tests {
    use halftrack_zedc_rings::FunctionStatus;

    use super::*;

    #[test]
    fn lengths_end_at_one_mebibyte() {
        assert_eq!(["1", "4K", "64k", "1M"].map(request_bytes), [1, 4096, 65536, 1 << 20].map(Ok));
        for wrong in ["", "0", "K", "-1", "2M", "1025K", "1KK", "1MK", "1G", "99999999999"] {
            assert!(request_bytes(wrong).is_err(), "{wrong}");
        }
    }

    fn card(up_s: f64, requests: u64, deflate_bytes: (u64, u64), inflate_bytes: (u64, u64)) -> CardStatus {
        let function = FunctionStatus {
            vf: 1,
            state: "allocated".to_owned(),
            processes: Vec::new(),
            requests,
            deflate_bytes,
            inflate_bytes,
            ratio: 0.0,
            queue_us: 0.0,
            execution_us: 0.0,
            busy_percent: 0.0,
        };
        CardStatus {
            card: 0,
            feature: String::new(),
            group: String::new(),
            engine: String::new(),
            firmware: String::new(),
            process: 1,
            up_s,
            functions: vec![function],
        }
    }

    /// Cards that were started at different times are each divided by their own time.
    #[test]
    fn counts_become_rates() {
        let cards =
            [card(2.0, 10, (8_000_000, 4_000_000), (0, 0)), card(1.0, 10, (0, 0), (1_000_000, 2_000_000))];
        let load = counted(&cards).expect("a load");
        assert_eq!((load.mb_per_s, load.request_bytes, load.ratio), (6.0, 500_000.0, Some(2.0)));
        assert_eq!(counted(&[card(5.0, 0, (0, 0), (0, 0))]), None);
        assert_eq!(counted(&[]), None);
    }
}
