//! The parts of a response time, added up over devices and intervals, and drawn as one stacked bar.

use halftrack_record::DeviceInterval;
use maud::{Markup, html};

use super::cells;
use crate::column::of_page;
use crate::columns::devices::{CMR, CONN, DISC, IOSQ, PEND, RESPONSE, TABLE};
use crate::formula::per_second;
use crate::records::Records;

/// Records of the I/Os whose response is shown.
#[derive(Debug, Clone)]
pub(super) struct Components<'a>(Records<'a, DeviceInterval>);

/// The words of the legend: class, short name, meaning.
const PARTS: [(&str, &str, &str); 5] = [
    ("iosq", "IOSQ", "waiting for a base or alias"),
    ("pend", "PEND", "started, not yet at work in the control unit"),
    ("cmr", "CMR", "part of PEND: waiting for the command response"),
    ("disc", "DISC", "disconnected: staging from disk"),
    ("conn", "CONN", "connected: the transfer and its protocol"),
];

impl<'a> Components<'a> {
    /// Creates the components of `length_ps` without records.
    pub fn new(length_ps: u64) -> Self {
        Self(Records::of_thing(Vec::new(), length_ps))
    }

    /// Adds a device's interval.
    pub fn add(&mut self, device: &'a DeviceInterval) {
        self.0.each.push(device);
    }

    /// Adds other records.
    pub fn merge(&mut self, other: &Self) {
        self.0.each.extend(&other.0.each);
    }

    /// Returns the number of I/Os.
    pub fn completed(&self) -> u128 {
        self.0.total(|device| device.completed)
    }

    /// Returns I/Os per second.
    pub fn rate_per_s(&self) -> f64 {
        per_second(self.completed(), self.0.length_ps)
    }

    /// Returns the mean response time (IOSQ + PEND + DISC + CONN), ms; 0 without an I/O.
    pub fn response_ms(&self) -> f64 {
        RESPONSE.number(&self.0)
    }

    /// Returns a cell with the stacked bar, drawn so that `full_ms` takes the whole width.
    pub fn cell(&self, full_ms: f64) -> Markup {
        let of = |part: f64, whole: f64| if whole > 0.0 { (100.0 * part / whole).min(100.0) } else { 0.0 };
        let width = |part: f64, whole: f64| format!("width:{:.2}%", of(part, whole));
        let [iosq, pend, cmr, disc, conn] =
            [IOSQ, PEND, CMR, DISC, CONN].map(|column| column.number(&self.0));
        html! {
            td .bar {
                div .track .stack aria-hidden="true" {
                    @for (class, ms) in [("iosq", iosq), ("pend", pend), ("disc", disc), ("conn", conn)] {
                        @if ms > 0.0 {
                            i class=(class) style=(width(ms, full_ms)) {
                                @if class == "pend" && cmr > 0.0 {
                                    i .cmr style=(width(cmr, pend)) {}
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// Returns cells with response, IOSQ, PEND, CMR, DISC and CONN in ms.
    pub fn numbers(&self) -> Markup {
        cells::cells(&of_page(TABLE.columns), &self.0, None)
    }
}

/// Returns headings of [`Components::numbers`].
pub(super) fn number_headings() -> Markup {
    cells::headings(&of_page(TABLE.columns))
}

/// Returns the parts with their colours.
pub(super) fn legend() -> Markup {
    html! {
        ul .legend aria-label="Parts of the response time" {
            @for (class, short, meaning) in PARTS {
                li { i class={ "swatch " (class) } {} b { (short) } " " (meaning) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device() -> DeviceInterval {
        let ms = 1_000_000_000;
        DeviceInterval {
            completed: 2,
            iosq_ps: 2 * ms,
            pend_ps: 4 * ms,
            cmr_ps: ms,
            disc_ps: 6 * ms,
            conn_ps: 8 * ms,
            ..DeviceInterval::default()
        }
    }

    #[test]
    fn the_response_is_the_sum_of_four_parts_and_cmr_is_inside_pend() {
        let mut sums = Components::new(1);
        let device = device();
        sums.add(&device);
        assert_eq!(sums.response_ms(), 10.0);
        let text = sums.cell(20.0).into_string();
        for part in [
            "iosq\" style=\"width:5.00%",
            "pend\" style=\"width:10.00%",
            "cmr\" style=\"width:25.00%",
            "conn\" style=\"width:20.00%",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }

    #[test]
    fn no_io_has_no_bar() {
        let text = Components::new(1).cell(0.0).into_string();
        assert!(!text.contains("<i"), "{text}");
    }

    #[test]
    fn records_that_are_merged_count_all() {
        let device = device();
        let (mut once, mut merged) = (Components::new(1), Components::new(1));
        once.add(&device);
        merged.merge(&once);
        merged.merge(&once);
        assert_eq!((merged.completed(), merged.response_ms()), (4, once.response_ms()));
    }
}
