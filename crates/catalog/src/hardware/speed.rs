//! Link speeds that a port offers.

use std::ops::Range;

use halftrack_input::messages::{catalog as catalog_numbers, toml_file as numbers};
use halftrack_input::{Expect, Fields, Located, Sourced};

/// Upper limit of a data rate, MB/s (10^6 bytes a second).
const RATE_MAX_MB_PER_S: f64 = 1e6;
/// Lowest nominal speed that is never without FEC, Gbit/s (FC-PI-6).
const FEC_ALWAYS_GBPS: u32 = 32;
/// Upper limit of receive buffers of a port.
const CREDITS_MAX: u32 = 65_535;

/// One speed of a director port or host-adapter port.
#[derive(Debug, Clone, PartialEq)]
pub struct Speed {
    /// Nominal Gbit/s; 0 where it is not Fibre Channel.
    pub gbps: u32,
    /// With forward error correction.
    pub fec: bool,
    /// Data rate each way, MB/s (10^6 bytes a second), where it is not Fibre Channel; `None` where it is, whose rate
    /// follows from the link generation.
    pub mb_per_s: Option<Sourced<f64>>,
    /// Where it stands.
    pub(crate) span: Range<usize>,
}

impl Speed {
    /// Reads the `[[speed]]` tables, lowest first, without FEC before with; none at all is an error.
    pub(crate) fn read_all(fields: &mut Fields<'_>) -> Option<Vec<Self>> {
        let mut speeds = fields.tables("speed", |speed| {
            let gbps = speed.required("gbps", gbps());
            let fec = fec(speed, gbps.as_ref());
            let gbps = gbps?;
            let mb_per_s = own_rate(speed, gbps.value)?;
            Some(Self { gbps: gbps.value, fec, mb_per_s, span: gbps.span })
        });
        let spans = speeds.iter().map(|speed| (speed.gbps, speed.fec, speed.span.clone())).collect();
        check_speeds(fields, spans);
        speeds.sort_by_key(|speed| (speed.gbps, speed.fec));
        (!speeds.is_empty()).then_some(speeds)
    }
}

/// Reports a missing `[[speed]]` and speeds (Gbit/s, FEC) that stand twice.
pub(crate) fn check_speeds(fields: &Fields<'_>, speeds: Vec<(u32, bool, Range<usize>)>) {
    if speeds.is_empty() && !fields.has("speed") {
        let message = "no `[[speed]]`: expected one table for each link speed of the port";
        let fix = "add `[[speed]]` with `gbps`";
        fields.error(numbers::MISSING_KEY, fields.span(), message, fix);
    }
    for (at, (gbps, fec, span)) in speeds.iter().enumerate() {
        if let Some(first) = speeds[..at].iter().find(|first| (first.0, first.1) == (*gbps, *fec)) {
            let with = if *fec { " with FEC" } else { "" };
            fields.named_twice(&format!("speed {gbps}{with}"), span.clone(), first.2.clone());
        }
    }
}

/// Reads `mb_per_s` of a speed that is not Fibre Channel, which must give it. The rate of Fibre Channel is none of
/// the port's. `None` when it is missing, wrong, or there in vain.
pub(crate) fn own_rate(speed: &mut Fields<'_>, gbps: u32) -> Option<Option<Sourced<f64>>> {
    if gbps == 0 {
        return speed.sourced("mb_per_s", rate_mb_per_s()).map(Some);
    }
    if let Some(given) = speed.sourced_if_given("mb_per_s", rate_mb_per_s())? {
        let message = format!("a link of {gbps} Gbit/s has the rate of its generation: baud, code and FEC");
        let fix = "remove `mb_per_s`; another rate is another generation, `link/ID.toml` of a catalog";
        speed.error(catalog_numbers::RATE_OF_GENERATION, given.span, message, fix);
        return None;
    }
    Some(None)
}

/// Reads `fec` of a speed. Left out, it is as in the standards: FEC is part of 32GFC and of all that is faster
/// (FC-PI-6, FC-PI-7), and a choice or unknown below.
pub(crate) fn fec(speed: &mut Fields<'_>, gbps: Option<&Located<u32>>) -> bool {
    speed.or("fec", Expect::flag(), gbps.is_some_and(|gbps| gbps.value >= FEC_ALWAYS_GBPS))
}

/// Expects a nominal speed, Gbit/s.
pub(crate) fn gbps() -> Expect<'static, u32> {
    Expect::integer(0..=1024)
}

/// Reads of 4 KiB that a channel does in a second at most.
pub(crate) fn read_4k_per_s() -> Expect<'static, f64> {
    Expect::positive(1e9)
}

/// Expects a data rate, MB/s.
pub(crate) fn rate_mb_per_s() -> Expect<'static, f64> {
    Expect::positive(RATE_MAX_MB_PER_S)
}

/// Expects a number of receive buffers.
pub(crate) fn credits() -> Expect<'static, u32> {
    Expect::integer(1..=CREDITS_MAX)
}
