//! The listing of one system and interval: its reports one after the other.

use halftrack_record::Run;

use crate::synchronous_io_device_activity::SynchronousIoDeviceActivity;
use crate::{
    ChannelPathActivity, DirectAccessDeviceActivity, EadmActivity, IoQueuingActivity, IsLinkActivity,
    MeasureError, PcieActivity, Scope, SocketActivity,
};

/// Returns the reports of a system (partition name) in an interval (from 0), in RMF's text form. They are CHANNEL PATH
/// ACTIVITY, I/O QUEUING ACTIVITY, DIRECT ACCESS DEVICE ACTIVITY and, where there was any of it, SYNCHRONOUS I/O DEVICE
/// ACTIVITY; each report counts its own pages. Of a system on IFLs there is the first alone. PCIE ACTIVITY,
/// EADM ACTIVITY, SOCKET ACTIVITY and the devices of its logical links follow, where it has any.
///
/// # Errors
/// `UnknownSystem`, `NoSuchInterval`; `Start` and `PastCalendar` when the run's start gives no date.
pub fn postprocessor(run: &Run, system: &str, interval: usize) -> Result<String, MeasureError> {
    let scope = Scope::new(run, system, interval)?;
    let mut reports = vec![ChannelPathActivity::compute(&scope).render(&scope)?];
    if !scope.system.has_ifls {
        reports.push(IoQueuingActivity::compute(&scope).render(&scope)?);
        reports.push(DirectAccessDeviceActivity::compute(&scope).render(&scope)?);
        if let Some(report) = SynchronousIoDeviceActivity::compute(&scope) {
            reports.push(report.render(&scope)?);
        }
    }
    if let Some(report) = PcieActivity::compute(&scope) {
        reports.push(report.render(&scope)?);
    }
    if let Some(report) = EadmActivity::compute(&scope) {
        reports.push(report.render(&scope)?);
    }
    if let Some(report) = SocketActivity::compute(&scope) {
        reports.push(report.render(&scope)?);
    }
    if let Some(report) = IsLinkActivity::compute(&scope) {
        reports.push(report.render(&scope)?);
    }
    Ok(reports.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden;

    /// The widest line of the drawings, the device report's, takes 133 print positions.
    const WIDEST: usize = 133;

    #[test]
    fn the_three_reports_follow_each_other() {
        let text = postprocessor(&golden::run(), "SYN1", 0).unwrap();
        let titles: Vec<_> = text.lines().filter(|line| line.ends_with("PAGE    1")).collect();
        assert_eq!(titles.len(), 3);
        assert!(titles[0].contains("C H A N N E L   P A T H"));
        assert!(titles[1].contains("Q U E U I N G"));
        assert!(titles[2].contains("D I R E C T"));
    }

    #[test]
    fn synchronous_io_follows_the_devices() {
        let text = postprocessor(&golden::synchronous_run(), "SYN1", 0).unwrap();
        let titles: Vec<_> = text.lines().filter(|line| line.ends_with("PAGE    1")).collect();
        assert_eq!(titles.len(), 4);
        assert!(titles[3].contains("S Y N C H R O N O U S   I / O"));
    }

    #[test]
    fn no_line_is_wider_than_the_page_even_with_extreme_counts() {
        let mut run = golden::synchronous_run();
        for interval in &mut run.intervals {
            interval.length_ps = 1;
            interval.channels.iter_mut().for_each(|channel| channel.bus_busy_ps = u64::MAX);
            for device in &mut interval.devices {
                (device.completed, device.conn_ps) = (u64::MAX, u64::MAX);
                device.cylinders = u32::MAX;
                if let Some(synchronous) = &mut device.synchronous {
                    (synchronous.read.bytes, synchronous.read.response_ps) = (u64::MAX, u64::MAX);
                }
                device.volser = "MUCHTOOLONG".to_owned();
                device.storage_group = "MUCH\nTOO LONG".to_owned();
            }
        }
        for system in ["SYN1", "SYN2PROD"] {
            for line in postprocessor(&run, system, 1).unwrap().lines() {
                assert!(line.chars().count() <= WIDEST, "{line}");
            }
        }
    }

    #[test]
    fn the_second_interval_begins_when_the_first_ends() {
        let text = postprocessor(&golden::run(), "SYN2PROD", 1).unwrap();
        assert!(text.contains("SYSTEM ID S2PR "), "{text}");
        assert!(text.contains("TIME 08.14.59"), "{text}");
        assert!(text.contains("CSSID: 1"), "{text}");
    }

    #[test]
    fn a_start_that_is_no_date_is_an_error() {
        let mut run = golden::run();
        run.header.start = "yesterday".to_owned();
        assert!(matches!(postprocessor(&run, "SYN1", 0), Err(MeasureError::Start { .. })));
        run.header.start = "9999-12-31T23:59:59".to_owned();
        assert!(matches!(postprocessor(&run, "SYN1", 1), Err(MeasureError::PastCalendar { index: 1 })));
    }
}
