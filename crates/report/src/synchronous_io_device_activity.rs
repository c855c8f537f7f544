//! SYNCHRONOUS I/O DEVICE ACTIVITY (SMF type 74-1): requests over zHyperLink of the devices that one system used so.
//! Its figures are the table of `columns::synchronous`.

use halftrack_record::{DeviceInterval, SynchronousIo};
use serde::Serialize;

use crate::columns::synchronous::{HEADING, TABLE};
use crate::figures::Figures;
use crate::lcu_devices::{LcuDevices, device_line};
use crate::page::{Iodf, Listing, Title};
use crate::records::Records;
use crate::{MeasureError, Scope};

/// SYNCHRONOUS I/O DEVICE ACTIVITY of one system in one interval.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SynchronousIoDeviceActivity {
    /// Partition name.
    pub system: String,
    /// Interval, from 0.
    pub interval: u32,
    /// Devices that had synchronous requests, by LCU number.
    pub lcus: Vec<LcuDevices<SynchronousDeviceRow>>,
}

/// One device.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SynchronousDeviceRow {
    /// Storage group, may be empty.
    pub storage_group: String,
    /// Subchannel set.
    pub subchannel_set: u8,
    /// Device number.
    pub number: u16,
    /// Device type, such as `33909`.
    pub device_type: String,
    /// Volume serial.
    pub volser: String,
    /// Figures of the columns.
    pub figures: Figures,
}

impl SynchronousDeviceRow {
    fn of(device: &DeviceInterval, scope: &Scope) -> Self {
        Self {
            storage_group: device.storage_group.clone(),
            subchannel_set: device.subchannel_set,
            number: device.number,
            device_type: device.device_type.clone(),
            volser: device.volser.clone(),
            figures: Figures::of(TABLE.columns, &Records::of_interval(vec![device], scope)),
        }
    }
}

impl SynchronousIoDeviceActivity {
    /// Computes the rows; `None` for a system without synchronous requests in the interval.
    pub fn compute(scope: &Scope) -> Option<Self> {
        let row = |device: &DeviceInterval| SynchronousDeviceRow::of(device, scope);
        let lcus = LcuDevices::of_system(scope, TABLE.columns, has_requests, row);
        let (system, interval) = (scope.system.name.clone(), scope.interval.index);
        (!lcus.is_empty()).then_some(Self { system, interval, lcus })
    }

    /// Prints the report of a system and interval.
    ///
    /// # Errors
    /// `Start` and `PastCalendar` when the run's start gives no date for the heading.
    pub fn render(&self, scope: &Scope) -> Result<String, MeasureError> {
        let mut listing = Listing::new(TITLE, scope, Iodf::line(scope))?;
        listing.table(HEADING);
        for lcu in &self.lcus {
            lcu.rows((VOLSER_LEFT + 2, LCU_LEFT), line).for_each(|row| listing.row(row));
        }
        Ok(listing.finish())
    }
}

/// Returns true when the system requested synchronous I/O of the device, with success or without.
pub(crate) fn has_requests(device: &DeviceInterval) -> bool {
    device.synchronous.is_some_and(|SynchronousIo { read, write }| read.attempts() + write.attempts() > 0)
}

const TITLE: Title =
    Title { left: 22, text: "S Y N C H R O N O U S   I / O   D E V I C E   A C T I V I T Y" };

const VOLSER_LEFT: usize = 24;
const LCU_LEFT: usize = 31;

fn line(device: &SynchronousDeviceRow, lcu: u16) -> String {
    let number = (device.subchannel_set, device.number);
    let line = device_line(&device.storage_group, number, &device.device_type);
    let line = line.text(VOLSER_LEFT, 6, &device.volser).text(LCU_LEFT, 4, &format!("{lcu:04X}"));
    device.figures.print(line).finish()
}

#[cfg(test)]
mod tests {
    use halftrack_record::{Run, SynchronousRequests};

    use super::*;
    use crate::golden;

    fn report(run: &Run, system: &str) -> Option<(SynchronousIoDeviceActivity, String)> {
        let scope = Scope::new(run, system, 0).unwrap();
        let table = SynchronousIoDeviceActivity::compute(&scope)?;
        let text = table.render(&scope).unwrap();
        Some((table, text))
    }

    #[test]
    fn listing() {
        insta::assert_snapshot!(report(&golden::synchronous_run(), "SYN1").unwrap().1);
    }

    #[test]
    fn row_of_the_reference() {
        let text = report(&golden::synchronous_run(), "SYN1").unwrap().1;
        let row = "SGPROD   08000 33903    SYN001 0040 512.299   0.000 812.400   0.018 0.000 0.117    2.098  0.000    97.40   0.10   2.50   2.60   0.00";
        assert!(text.lines().any(|line| line == row), "{text}");
    }

    #[test]
    fn only_systems_with_requests_have_the_report() {
        assert!(report(&golden::run(), "SYN1").is_none());
        let mut run = golden::synchronous_run();
        assert!(report(&run, "SYN2PROD").is_none());
        for interval in &mut run.intervals {
            for device in interval.devices.iter_mut().filter(|device| device.synchronous.is_some()) {
                let mut read = SynchronousRequests::default();
                read.not_tried.switched_off = 7;
                device.synchronous = Some(SynchronousIo { read, ..SynchronousIo::default() });
            }
        }
        assert!(report(&run, "SYN1").is_none());
    }

    /// Each printed figure is that of the record within half a unit of its last place.
    #[test]
    fn printed_figures_are_those_of_the_record() {
        let run = golden::synchronous_run();
        let (_, text) = report(&run, "SYN1").unwrap();
        let seconds = run.intervals[0].length_ps as f64 / 1e12;
        let mut seen = 0;
        for device in run.intervals[0].devices.iter().filter(|device| has_requests(device)) {
            let number = format!("{:05X}", device.number);
            let line = text.lines().find(|line| line.get(9..14) == Some(&number)).expect("a row");
            let SynchronousIo { read, write } = device.synchronous.unwrap();
            let requests = (read.attempts() + write.attempts()) as f64;
            let share = |count: u64| 100.0 * count as f64 / requests;
            let mean_ms = |ps: u64, count: u64| if count == 0 { 0.0 } else { ps as f64 / 1e9 / count as f64 };
            let response_ps = device.iosq_ps + device.pend_ps + device.disc_ps + device.conn_ps;
            let wanted = [
                read.successes as f64 / seconds,
                write.successes as f64 / seconds,
                device.completed as f64 / seconds,
                mean_ms(read.response_ps, read.successes),
                mean_ms(write.response_ps, write.successes),
                mean_ms(response_ps, device.completed),
                read.bytes as f64 / 1e6 / seconds,
                write.bytes as f64 / 1e6 / seconds,
                share(read.successes + write.successes),
                share(read.link_busy + write.link_busy),
                share(read.cache_miss + write.cache_miss),
                share(read.rejects()),
                share(write.rejects()),
            ];
            let printed: Vec<&str> = line[VOLSER_LEFT..].split_whitespace().skip(2).collect();
            assert_eq!(printed.len(), wanted.len(), "{line}");
            for (text, wanted) in printed.into_iter().zip(wanted) {
                let decimals = text.split_once('.').map_or(0, |(_, fraction)| fraction.len());
                let off = (text.parse::<f64>().unwrap() - wanted).abs();
                assert!(off <= 0.500_001 * 10f64.powi(-(decimals as i32)), "{text} is not {wanted}: {line}");
            }
            seen += 1;
        }
        assert_eq!(seen, 2);
    }

    #[test]
    fn success_and_rejects_make_a_hundred() {
        let (table, _) = report(&golden::synchronous_run(), "SYN1").unwrap();
        for row in
            table.lcus.iter().flat_map(|lcu| lcu.devices.iter().map(|row| &row.figures).chain([&lcu.summary]))
        {
            let figure = |key| row.get(key).unwrap();
            let sum =
                figure("success_percent") + figure("reject_percent.read") + figure("reject_percent.write");
            assert!((sum - 100.0).abs() < 1e-9, "{sum}");
        }
    }
}
