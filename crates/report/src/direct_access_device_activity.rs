//! DIRECT ACCESS DEVICE ACTIVITY (SMF type 74-1): response of each device that one system used.
//! Its figures are the table of `columns::devices`.

use halftrack_record::DeviceInterval;
use serde::Serialize;

use crate::columns::devices::{EXPOSURES, HEADING, TABLE};
use crate::field::Field;
use crate::figures::Figures;
use crate::lcu_devices::{LcuDevices, device_line};
use crate::page::{Iodf, Listing, Title};
use crate::records::Records;
use crate::synchronous_io_device_activity::has_requests;
use crate::{MeasureError, Scope};

/// DIRECT ACCESS DEVICE ACTIVITY of one system in one interval.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DirectAccessDeviceActivity {
    /// Partition name.
    pub system: String,
    /// Interval, from 0.
    pub interval: u32,
    /// By LCU number.
    pub lcus: Vec<LcuDevices<DeviceRow>>,
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
    /// The system requested synchronous I/O of it: the activity rate, which does not count that, has an `S`.
    #[serde(skip_serializing_if = "is_false")]
    pub synchronous: bool,
    /// Figures of the columns.
    pub figures: Figures,
}

impl DeviceRow {
    fn of(device: &DeviceInterval, scope: &Scope) -> Self {
        let records = Records::of_interval(vec![device], scope);
        Self {
            storage_group: device.storage_group.clone(),
            subchannel_set: device.subchannel_set,
            number: device.number,
            device_type: device.device_type.clone(),
            cylinders: device.cylinders,
            volser: device.volser.clone(),
            exposures: EXPOSURES.number(&records),
            hyperpav: device.hyperpav,
            synchronous: has_requests(device),
            figures: Figures::of(TABLE.columns, &records),
        }
    }
}

impl DirectAccessDeviceActivity {
    /// Computes the rows.
    pub fn compute(scope: &Scope) -> Self {
        let lcus =
            LcuDevices::of_system(scope, TABLE.columns, |_| true, |device| DeviceRow::of(device, scope));
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
            lcu.rows((39, LCU_LEFT), line).for_each(|row| listing.row(row));
        }
        Ok(listing.finish())
    }
}

const TITLE: Title = Title { left: 32, text: "D I R E C T   A C C E S S   D E V I C E   A C T I V I T Y" };

const CYLINDERS: Field = Field::new(23, 29, 0);
/// The number of exposures; `H` follows it at the next position, as far from the LCU as the heading allows.
const PAV: Field = Field::new(40, 42, 1);
const HYPERPAV: Field = Field::new(39, 41, 1);
const LCU_LEFT: usize = 44;
/// Key of the figure behind which the mark stands.
const ACTIVITY_RATE: &str = "activity_per_s";
/// Mark of a device with synchronous I/O.
const SYNCHRONOUS: &str = "S";

fn line(device: &DeviceRow, lcu: u16) -> String {
    let number = (device.subchannel_set, device.number);
    let line = device_line(&device.storage_group, number, &device.device_type)
        .right(&CYLINDERS, &CYLINDERS.format(device.cylinders.into()))
        .text(32, 6, &device.volser);
    let line = if device.hyperpav {
        line.number(&HYPERPAV, device.exposures).text(HYPERPAV.right + 1, 1, "H")
    } else {
        line.number(&PAV, device.exposures)
    };
    let line = line.text(LCU_LEFT, 4, &format!("{lcu:04X}"));
    let line = if device.synchronous {
        device.figures.print_marked(line, ACTIVITY_RATE, SYNCHRONOUS)
    } else {
        device.figures.print(line)
    };
    line.finish()
}

/// Returns true for what JSON leaves out.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(is: &bool) -> bool {
    !is
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

    fn figure(figures: &Figures, key: &str) -> f64 {
        figures.get(key).unwrap_or_else(|| panic!("no {key}"))
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
        assert!((figure(&base.figures, "dev_conn_percent") - 40.0).abs() < 1e-9);
        assert!((figure(&base.figures, "dev_util_percent") - 60.0).abs() < 1e-9);
        assert!(text.contains("SYN002 2.5H 0050 1000.000 1.90"), "{text}");
    }

    #[test]
    fn the_rate_of_a_device_with_synchronous_io_has_an_s() {
        let run = golden::synchronous_run();
        let scope = Scope::new(&run, "SYN1", 0).unwrap();
        let table = DirectAccessDeviceActivity::compute(&scope);
        let text = table.render(&scope).unwrap();
        assert!(text.contains("SYN001  1.0 0040 812.400S .117 .000"), "{text}");
        assert!(text.contains("SYN002 2.5H 0050 1000.00S 1.90 .250"), "{text}");
        let marked: Vec<bool> =
            table.lcus.iter().flat_map(|lcu| &lcu.devices).map(|row| row.synchronous).collect();
        assert_eq!(marked, [true, true, false]);
        // What has none reads as it did.
        let (without, _) = report("SYN1");
        assert!(!serde_json::to_string(&without).unwrap().contains("synchronous"));
    }

    #[test]
    fn an_idle_device_reads_zero() {
        let (table, text) = report("SYN1");
        let idle = &table.lcus[1].devices[1];
        assert_eq!(
            (figure(&idle.figures, "activity_per_s"), figure(&idle.figures, "response.response_ms")),
            (0.0, 0.0)
        );
        assert!(text.contains("0.000 .000 .000 .000 .000 .000   .000 .000 .000   0.00   0.00"), "{text}");
    }

    #[test]
    fn the_lcu_line_adds_rates_and_averages_the_rest() {
        let (table, _) = report("SYN1");
        let lcu = &table.lcus[1];
        let [busy, idle] = &lcu.devices[..] else { panic!("two devices") };
        for key in ["activity_per_s", "response.response_ms", "response.cmr_ms", "response.conn_ms"] {
            assert_eq!(figure(&lcu.summary, key), figure(&busy.figures, key), "{key}");
        }
        let connected = |figures| figure(figures, "dev_conn_percent");
        assert_eq!(connected(&lcu.summary), connected(&busy.figures) / 2.0);
        assert_eq!(connected(&idle.figures), 0.0);
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

    fn device(completed: u64, [iosq_ps, pend_ps, disc_ps, conn_ps]: [u64; 4]) -> DeviceInterval {
        DeviceInterval { completed, iosq_ps, pend_ps, disc_ps, conn_ps, ..DeviceInterval::default() }
    }

    proptest! {
        /// Each of the five printed values is off by at most half a unit, so the sum by at most 2.5.
        #[test]
        fn printed_parts_add_up_to_the_printed_response(
            completed in 1u64..1000,
            parts in prop::array::uniform4(0u64..240_000_000),
        ) {
            let run = golden::run();
            let scope = Scope::new(&run, "SYN1", 0).unwrap();
            let figures = DeviceRow::of(&device(completed, parts.map(|ps| ps * completed)), &scope).figures;
            let printed = |ms: f64| {
                (Field::narrow(58, 61, 3).format(ms).parse::<f64>().unwrap() * 1000.0).round() as i64
            };
            let response = figure(&figures, "response.response_ms");
            let parts = ["iosq_ms", "pend_ms", "disc_ms", "conn_ms"]
                .map(|part| figure(&figures, &format!("response.{part}")));
            let sum = parts.map(printed).iter().sum::<i64>();
            prop_assert!((printed(response) - sum).abs() <= 2);
            prop_assert!((response - parts.iter().sum::<f64>()).abs() < 1e-12);
        }
    }
}
