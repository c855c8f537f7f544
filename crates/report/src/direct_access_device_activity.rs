//! DIRECT ACCESS DEVICE ACTIVITY (SMF type 74-1): response of each device that one system used.
//!
//! RESP = IOSQ + PEND + DISC + CONN; CMR and DB are parts of PEND, INT is in none of them. Percentages of a
//! HyperPAV base are averages per exposure, that is divided by the PAV column (RMF User's Guide). A system
//! has each device that it uses allocated once and for the whole interval, so NMBR ALLOC is 1 and ANY ALLOC
//! 100 %; nothing reserves devices, so RESV is 0.

use halftrack_record::DeviceInterval;
use serde::Serialize;

use crate::field::{Field, Line};
use crate::formula::{mean_ms, per_second, percent_busy, quotient, total};
use crate::page::{Iodf, Listing, Title};
use crate::{MeasureError, Scope};

/// Allocations of a device by a system that uses it.
const ALLOCATIONS: f64 = 1.0;
/// Share of the interval during which a used device is allocated, percent.
const ANY_ALLOCATED_PERCENT: f64 = 100.0;

/// DIRECT ACCESS DEVICE ACTIVITY of one system in one interval.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DirectAccessDeviceActivity {
    /// Partition name.
    pub system: String,
    /// Interval, from 0.
    pub interval: u32,
    /// By LCU number.
    pub lcus: Vec<LcuDevices>,
}

/// The devices of one logical control unit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LcuDevices {
    /// LCU number.
    pub lcu: u16,
    /// By subchannel set and device number.
    pub devices: Vec<DeviceRow>,
    /// The LCU line: rates are sums, times means over all I/Os, percentages and allocations means over devices.
    pub summary: DeviceFigures,
}

/// One device.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DeviceRow {
    /// Storage group, may be empty.
    pub storage_group: String,
    /// Subchannel set.
    pub subchannel_set: u8,
    /// Device number.
    pub number: u16,
    /// Device type, such as `33909`.
    pub device_type: String,
    /// Cylinders.
    pub cylinders: u32,
    /// Volume serial.
    pub volser: String,
    /// PAV column: mean number of exposures (base and bound aliases) while any was in use; 1 without aliases.
    pub exposures: f64,
    /// HyperPAV aliases serve the base: the PAV column has an `H`.
    pub hyperpav: bool,
    /// What was measured.
    pub figures: DeviceFigures,
}

/// Measured values of a device or a logical control unit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct DeviceFigures {
    /// I/Os per second.
    pub activity_per_s: f64,
    /// Response and its parts.
    pub response: Response,
    /// Time in connect, per exposure, percent.
    pub dev_conn_percent: f64,
    /// Time in connect or disconnect, per exposure, percent.
    pub dev_util_percent: f64,
    /// Time reserved by another system, percent.
    pub dev_resv_percent: f64,
    /// Mean number of allocations.
    pub allocations: f64,
    /// Time allocated at all, percent.
    pub any_allocated_percent: f64,
}

/// Mean response time and its parts, ms.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Response {
    /// IOSQ + PEND + DISC + CONN, ms.
    pub response_ms: f64,
    /// Wait for a base or alias, ms.
    pub iosq_ms: f64,
    /// Initial command response, part of pending, ms.
    pub cmr_ms: f64,
    /// Device busy delay, part of pending, ms.
    pub device_busy_ms: f64,
    /// Interrupt delay, part of nothing, ms.
    pub interrupt_ms: f64,
    /// Pending, ms.
    pub pend_ms: f64,
    /// Disconnect, ms.
    pub disc_ms: f64,
    /// Connect, ms.
    pub conn_ms: f64,
}

impl Response {
    fn of(devices: &[&DeviceInterval]) -> Self {
        let completed = total(devices.iter().map(|device| device.completed));
        let mean = |time: fn(&DeviceInterval) -> u64| {
            mean_ms(total(devices.iter().map(|device| time(device))), completed)
        };
        let iosq_ms = mean(|device| device.iosq_ps);
        let pend_ms = mean(|device| device.pend_ps);
        let disc_ms = mean(|device| device.disc_ps);
        let conn_ms = mean(|device| device.conn_ps);
        Self {
            response_ms: iosq_ms + pend_ms + disc_ms + conn_ms,
            iosq_ms,
            cmr_ms: mean(|device| device.cmr_ps),
            device_busy_ms: mean(|device| device.device_busy_ps),
            interrupt_ms: mean(|device| device.interrupt_ps),
            pend_ms,
            disc_ms,
            conn_ms,
        }
    }
}

impl DeviceRow {
    fn of(device: &DeviceInterval, length_ps: u64) -> Self {
        let exposures = exposures(device);
        let per_exposure = |busy_ps: u128| percent_busy(busy_ps, 1, length_ps) / exposures;
        let connect = u128::from(device.conn_ps);
        Self {
            storage_group: device.storage_group.clone(),
            subchannel_set: device.subchannel_set,
            number: device.number,
            device_type: device.device_type.clone(),
            cylinders: device.cylinders,
            volser: device.volser.clone(),
            exposures,
            hyperpav: device.hyperpav,
            figures: DeviceFigures {
                activity_per_s: per_second(device.completed.into(), length_ps),
                response: Response::of(&[device]),
                dev_conn_percent: per_exposure(connect),
                dev_util_percent: per_exposure(connect + u128::from(device.disc_ps)),
                dev_resv_percent: 0.0,
                allocations: ALLOCATIONS,
                any_allocated_percent: ANY_ALLOCATED_PERCENT,
            },
        }
    }
}

/// Mean number of exposures while any was in use: 1 without HyperPAV or without activity, never below 1.
fn exposures(device: &DeviceInterval) -> f64 {
    if device.hyperpav { quotient(device.exposures_ps as f64, device.in_use_ps as f64).max(1.0) } else { 1.0 }
}

impl LcuDevices {
    fn of(lcu: u16, devices: &[&DeviceInterval], length_ps: u64) -> Self {
        let rows: Vec<_> = devices.iter().map(|device| DeviceRow::of(device, length_ps)).collect();
        let mean = |value: fn(&DeviceFigures) -> f64| {
            quotient(rows.iter().map(|row| value(&row.figures)).sum(), rows.len() as f64)
        };
        let summary = DeviceFigures {
            activity_per_s: per_second(total(devices.iter().map(|device| device.completed)), length_ps),
            response: Response::of(devices),
            dev_conn_percent: mean(|figures| figures.dev_conn_percent),
            dev_util_percent: mean(|figures| figures.dev_util_percent),
            dev_resv_percent: mean(|figures| figures.dev_resv_percent),
            allocations: mean(|figures| figures.allocations),
            any_allocated_percent: mean(|figures| figures.any_allocated_percent),
        };
        Self { lcu, devices: rows, summary }
    }
}

impl DirectAccessDeviceActivity {
    /// Computes the rows.
    pub fn compute(scope: &Scope) -> Self {
        let mut devices: Vec<_> =
            scope.interval.devices.iter().filter(|device| device.lpar == scope.system.name).collect();
        devices.sort_by_key(|device| (device.lcu, device.subchannel_set, device.number));
        let lcus = devices
            .chunk_by(|left, right| left.lcu == right.lcu)
            .map(|devices| LcuDevices::of(devices[0].lcu, devices, scope.length_ps()))
            .collect();
        Self { system: scope.system.name.clone(), interval: scope.interval.index, lcus }
    }

    /// Prints the report of a system and interval.
    ///
    /// # Errors
    /// `Start` and `PastCalendar` when the run's start gives no date for the heading.
    pub fn render(&self, scope: &Scope) -> Result<String, MeasureError> {
        let mut listing = Listing::new(TITLE, scope, Iodf::line(scope))?;
        listing.table(HEADING);
        for lcu in &self.lcus {
            lcu.devices.iter().for_each(|device| listing.row(device_line(device, lcu.lcu)));
            listing.row(lcu_line(lcu));
        }
        Ok(listing.finish())
    }
}

const TITLE: Title = Title { left: 32, text: "D I R E C T   A C C E S S   D E V I C E   A C T I V I T Y" };

const HEADING: &[&str] = &[
    "                                                 DEVICE   AVG  AVG   AVG  AVG  AVG   AVG  AVG  AVG    %      %     %     AVG    %",
    "STORAGE   DEV  DEVICE   NUMBER  VOLUME PAV  LCU  ACTIVITY RESP IOSQ  CMR  DB   INT   PEND DISC CONN   DEV    DEV   DEV   NMBR   ANY",
    " GROUP    NUM  TYPE     OF CYL  SERIAL           RATE     TIME TIME  DLY  DLY  DLY   TIME TIME TIME   CONN   UTIL  RESV  ALLOC  ALLOC",
];

const CYLINDERS: Field = Field::new(23, 29, 0);
/// The number of exposures; `H` follows it at the next position, as far from the LCU as the heading allows.
const PAV: Field = Field::new(40, 42, 1);
const HYPERPAV: Field = Field::new(39, 41, 1);
const LCU_LEFT: usize = 44;

/// Rate; RESP, IOSQ, CMR, DB, INT, PEND, DISC, CONN; CONN, UTIL, RESV; NMBR and ANY ALLOC.
const FIGURES: [Field; 14] = [
    Field::new(49, 56, 3),
    Field::narrow(58, 61, 3),
    Field::narrow(63, 66, 3),
    Field::narrow(68, 71, 3),
    Field::narrow(73, 76, 3),
    Field::narrow(78, 81, 3),
    Field::narrow(85, 88, 3),
    Field::narrow(90, 93, 3),
    Field::narrow(95, 98, 3),
    Field::new(100, 105, 2),
    Field::new(107, 112, 2),
    Field::new(114, 118, 1),
    Field::new(120, 125, 1),
    Field::new(127, 132, 1),
];

fn device_line(device: &DeviceRow, lcu: u16) -> String {
    let line = Line::new()
        .text(0, 8, &device.storage_group)
        .text(9, 5, &format!("{:X}{:04X}", device.subchannel_set & 0xF, device.number))
        .text(15, 8, &device.device_type)
        .right(&CYLINDERS, &CYLINDERS.format(device.cylinders.into()))
        .text(32, 6, &device.volser);
    let line = if device.hyperpav {
        line.number(&HYPERPAV, device.exposures).text(HYPERPAV.right + 1, 1, "H")
    } else {
        line.number(&PAV, device.exposures)
    };
    line.text(LCU_LEFT, 4, &format!("{lcu:04X}")).numbers(&FIGURES, &columns(&device.figures)).finish()
}

fn lcu_line(lcu: &LcuDevices) -> String {
    Line::new()
        .text(39, 3, "LCU")
        .text(LCU_LEFT, 4, &format!("{:04X}", lcu.lcu))
        .numbers(&FIGURES, &columns(&lcu.summary))
        .finish()
}

/// The figures in the order of [`FIGURES`].
fn columns(figures: &DeviceFigures) -> [f64; 14] {
    let response = &figures.response;
    [
        figures.activity_per_s,
        response.response_ms,
        response.iosq_ms,
        response.cmr_ms,
        response.device_busy_ms,
        response.interrupt_ms,
        response.pend_ms,
        response.disc_ms,
        response.conn_ms,
        figures.dev_conn_percent,
        figures.dev_util_percent,
        figures.dev_resv_percent,
        figures.allocations,
        figures.any_allocated_percent,
    ]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::golden;

    fn report(system: &str) -> (DirectAccessDeviceActivity, String) {
        let run = golden::run();
        let scope = Scope::new(&run, system, 0).unwrap();
        let table = DirectAccessDeviceActivity::compute(&scope);
        let text = table.render(&scope).unwrap();
        (table, text)
    }

    #[test]
    fn listing() {
        insta::assert_snapshot!(report("SYN1").1);
    }

    #[test]
    fn row_of_the_reference() {
        let text = report("SYN1").1;
        let row = "SGPROD   08000 33903      3339  SYN001  1.0 0040  812.400 .117 .000 .004 .000 .005   .012 .021 .084   6.82   8.53   0.0    1.0  100.0";
        assert!(text.lines().any(|line| line == row), "{text}");
    }

    #[test]
    fn a_hyperpav_base_shows_its_exposures_and_percentages_per_exposure() {
        let (table, text) = report("SYN1");
        let base = &table.lcus[1].devices[0];
        assert_eq!((base.exposures, base.hyperpav), (2.5, true));
        assert!((base.figures.dev_conn_percent - 40.0).abs() < 1e-9);
        assert!((base.figures.dev_util_percent - 60.0).abs() < 1e-9);
        assert!(text.contains("SYN002 2.5H 0050 1000.000 1.90"), "{text}");
    }

    #[test]
    fn an_idle_device_reads_zero() {
        let (table, text) = report("SYN1");
        let idle = &table.lcus[1].devices[1];
        assert_eq!((idle.figures.activity_per_s, idle.figures.response.response_ms), (0.0, 0.0));
        assert!(text.contains("0.000 .000 .000 .000 .000 .000   .000 .000 .000   0.00   0.00"), "{text}");
    }

    #[test]
    fn the_lcu_line_adds_rates_and_averages_the_rest() {
        let (table, _) = report("SYN1");
        let lcu = &table.lcus[1];
        let [busy, idle] = &lcu.devices[..] else { panic!("two devices") };
        assert_eq!(lcu.summary.activity_per_s, busy.figures.activity_per_s);
        assert_eq!(lcu.summary.response, busy.figures.response);
        assert_eq!(lcu.summary.dev_conn_percent, busy.figures.dev_conn_percent / 2.0);
        assert_eq!(idle.figures.dev_conn_percent, 0.0);
    }

    #[test]
    fn a_system_sees_its_own_devices_only() {
        let (table, _) = report("SYN2PROD");
        let numbers: Vec<_> = table
            .lcus
            .iter()
            .flat_map(|lcu| &lcu.devices)
            .map(|row| (row.subchannel_set, row.number))
            .collect();
        assert_eq!(numbers, [(1, 0x8000)]);
    }

    /// Right edges of the headings, from the drawing: the second line, or the third where it is wider.
    #[test]
    fn values_end_under_their_headings() {
        let words = [
            (1, 56, "ACTIVITY"),
            (1, 61, "RESP"),
            (1, 66, "IOSQ"),
            (1, 71, "CMR"),
            (2, 76, "DLY"),
            (1, 81, "INT"),
            (1, 88, "PEND"),
            (1, 93, "DISC"),
            (1, 98, "CONN"),
            (2, 105, "CONN"),
            (2, 112, "UTIL"),
            (2, 118, "RESV"),
            (2, 125, "ALLOC"),
            (2, 132, "ALLOC"),
        ];
        for (field, (line, right, word)) in FIGURES.iter().zip(words) {
            assert_eq!(field.right, right);
            assert_eq!(&HEADING[line][right + 1 - word.len()..=right], word);
        }
    }

    fn device(completed: u64, [iosq_ps, pend_ps, disc_ps, conn_ps]: [u64; 4]) -> DeviceInterval {
        DeviceInterval { completed, iosq_ps, pend_ps, disc_ps, conn_ps, ..DeviceInterval::default() }
    }

    proptest! {
        #[test]
        fn columns_stay_apart_at_any_magnitude(values in prop::collection::vec(prop_oneof![
            Just(0.0), 0.0..1.0f64, 0.0..1e3f64, 0.0..1e14f64, Just(1e30)
        ], 14)) {
            let line = Line::new().numbers(&FIGURES, &values).finish();
            crate::golden::assert_columns(&line, &FIGURES);
        }

        /// Each of the five printed values is off by at most half a unit, so the sum by at most 2.5.
        #[test]
        fn printed_parts_add_up_to_the_printed_response(
            completed in 1u64..1000,
            parts in prop::array::uniform4(0u64..240_000_000),
        ) {
            let row = DeviceRow::of(&device(completed, parts.map(|ps| ps * completed)), 1_000_000_000_000);
            let printed = |ms: f64| (FIGURES[1].format(ms).parse::<f64>().unwrap() * 1000.0).round() as i64;
            let response = row.figures.response;
            let sum = [response.iosq_ms, response.pend_ms, response.disc_ms, response.conn_ms].map(printed).iter().sum::<i64>();
            prop_assert!((printed(response.response_ms) - sum).abs() <= 2);
            let exact = response.iosq_ms + response.pend_ms + response.disc_ms + response.conn_ms;
            prop_assert!((response.response_ms - exact).abs() < 1e-12);
        }
    }
}
