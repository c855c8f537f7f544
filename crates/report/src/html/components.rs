//! The parts of a response time, added up over devices and intervals, and drawn as one stacked bar.

use halftrack_drawing::number;
use halftrack_record::DeviceInterval;
use maud::{Markup, html};

use crate::formula::mean_ms;

/// Sums of the parts of response times.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Components {
    /// I/Os.
    pub completed: u128,
    iosq_ps: u128,
    pend_ps: u128,
    cmr_ps: u128,
    disc_ps: u128,
    conn_ps: u128,
}

/// The words of the legend: class, short name, meaning.
const PARTS: [(&str, &str, &str); 5] = [
    ("iosq", "IOSQ", "waiting for a base or alias"),
    ("pend", "PEND", "started, not yet at work in the control unit"),
    ("cmr", "CMR", "part of PEND: waiting for the command response"),
    ("disc", "DISC", "disconnected: staging from disk"),
    ("conn", "CONN", "connected: the transfer and its protocol"),
];

impl Components {
    /// Adds a device's interval.
    pub fn add(&mut self, device: &DeviceInterval) {
        self.completed += u128::from(device.completed);
        self.iosq_ps += u128::from(device.iosq_ps);
        self.pend_ps += u128::from(device.pend_ps);
        self.cmr_ps += u128::from(device.cmr_ps);
        self.disc_ps += u128::from(device.disc_ps);
        self.conn_ps += u128::from(device.conn_ps);
    }

    /// Adds other sums.
    pub fn merge(&mut self, other: &Self) {
        self.completed += other.completed;
        self.iosq_ps += other.iosq_ps;
        self.pend_ps += other.pend_ps;
        self.cmr_ps += other.cmr_ps;
        self.disc_ps += other.disc_ps;
        self.conn_ps += other.conn_ps;
    }

    fn response_ps(&self) -> u128 {
        self.iosq_ps + self.pend_ps + self.disc_ps + self.conn_ps
    }

    /// Mean response time (IOSQ + PEND + DISC + CONN), ms; 0 without an I/O.
    pub fn response_ms(&self) -> f64 {
        mean_ms(self.response_ps(), self.completed)
    }

    /// A cell with the stacked bar, drawn so that `full_ms` takes the whole width.
    pub fn cell(&self, full_ms: f64) -> Markup {
        let mean = |ps| mean_ms(ps, self.completed);
        let of = |part: f64, whole: f64| if whole > 0.0 { (100.0 * part / whole).min(100.0) } else { 0.0 };
        let width = |part: f64, whole: f64| format!("width:{:.2}%", of(part, whole));
        let pend = mean(self.pend_ps);
        html! {
            td .bar {
                div .track .stack aria-hidden="true" {
                    @for (class, ps) in [("iosq", self.iosq_ps), ("pend", self.pend_ps),
                                         ("disc", self.disc_ps), ("conn", self.conn_ps)] {
                        @if ps > 0 {
                            i class=(class) style=(width(mean(ps), full_ms)) {
                                @if class == "pend" && self.cmr_ps > 0 {
                                    i .cmr style=(width(mean(self.cmr_ps), pend)) {}
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// Cells with response, IOSQ, PEND, CMR, DISC and CONN in ms.
    pub fn numbers(&self) -> Markup {
        let sums = [self.response_ps(), self.iosq_ps, self.pend_ps, self.cmr_ps, self.disc_ps, self.conn_ps];
        html! { @for ps in sums { td { (number::ms(mean_ms(ps, self.completed))) } } }
    }
}

/// Headings of [`Components::numbers`].
pub(super) fn number_headings() -> Markup {
    html! {
        @for words in ["Response ms", "IOSQ", "PEND", "of it CMR", "DISC", "CONN"] {
            th scope="col" .number { (words) }
        }
    }
}

/// The parts with their colours.
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
        let mut sums = Components::default();
        sums.add(&device());
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
        let text = Components::default().cell(0.0).into_string();
        assert!(!text.contains("<i"), "{text}");
    }

    #[test]
    fn sums_of_sums_are_sums() {
        let (mut once, mut merged) = (Components::default(), Components::default());
        once.add(&device());
        merged.merge(&once);
        merged.merge(&once);
        once.add(&device());
        assert_eq!(once, merged);
    }
}
