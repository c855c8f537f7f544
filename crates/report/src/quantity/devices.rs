//! What the devices did: the columns of DIRECT ACCESS DEVICE ACTIVITY.

use halftrack_record::{DeviceInterval, Run};

use super::{Of, QuantityError, Unit, Word, chosen, length_ps, unknown, word};
use crate::formula::{mean_ms, per_second, quotient, total};

/// What a subject that is a logical control unit begins with.
const LCU: &str = "LCU ";

pub(super) type Formula = fn(&Devices<'_>) -> f64;

/// The devices that a quantity is about, over the measured time.
pub(super) struct Devices<'a> {
    records: Vec<&'a DeviceInterval>,
    length_ps: u64,
}

pub(super) const WORDS: &[Word] = &[
    word("activity_per_s", Unit::PerSecond, Of::Devices(|devices| devices.rate())),
    word("rmf_response_ms", Unit::Ms, Of::Devices(rmf_response_ms)),
    word("iosq_ms", Unit::Ms, Of::Devices(|devices| devices.mean(|one| one.iosq_ps))),
    word("pend_ms", Unit::Ms, Of::Devices(|devices| devices.mean(|one| one.pend_ps))),
    word("cmr_ms", Unit::Ms, Of::Devices(|devices| devices.mean(|one| one.cmr_ps))),
    word("device_busy_ms", Unit::Ms, Of::Devices(|devices| devices.mean(|one| one.device_busy_ps))),
    word("interrupt_ms", Unit::Ms, Of::Devices(|devices| devices.mean(|one| one.interrupt_ps))),
    word("disc_ms", Unit::Ms, Of::Devices(|devices| devices.mean(|one| one.disc_ps))),
    word("conn_ms", Unit::Ms, Of::Devices(|devices| devices.mean(|one| one.conn_ps))),
    word("dev_conn_percent", Unit::Percent, Of::Devices(dev_conn_percent)),
    word("cylinders", Unit::Count, Of::Devices(|devices| devices.last(|one| one.cylinders.into()))),
];

pub(super) fn value(
    run: &Run,
    word: &'static str,
    subject: Option<&str>,
    formula: Formula,
) -> Result<f64, QuantityError> {
    let kind = "device, system or logical control unit";
    let unknown = |subject: &str| unknown(word, kind, subject, subjects(run));
    let is = |one: &DeviceInterval, subject: &str| is(run, one, subject);
    let records = chosen(run, |interval| &interval.devices, subject, is, unknown)?;
    Ok(formula(&Devices { records, length_ps: length_ps(run) }))
}

pub(super) fn subjects(run: &Run) -> Vec<String> {
    let devices = || run.intervals.first().into_iter().flat_map(|interval| &interval.devices);
    let mut lcus: Vec<_> = devices().map(|device| lcu(run, device)).collect();
    lcus.sort();
    lcus.dedup();
    let mut numbers: Vec<_> = devices().map(|device| number(run, device)).collect();
    numbers.sort();
    numbers.dedup();
    let systems = run.header.systems.iter().map(|system| system.name.clone());
    let used = |name: &String| devices().any(|device| device.lpar == *name);
    systems.filter(used).chain(lcus).chain(numbers).collect()
}

/// A subject is a system if there is one of that name, else a device.
fn is(run: &Run, device: &DeviceInterval, subject: &str) -> bool {
    if run.header.systems.iter().any(|system| system.name == subject) {
        return device.lpar == subject;
    }
    if subject.starts_with(LCU) { lcu(run, device) == subject } else { number(run, device) == subject }
}

/// `LCU 1000`, and `LCU B.1000` on a machine with a name.
fn lcu(run: &Run, device: &DeviceInterval) -> String {
    format!("{LCU}{}{:04X}", run.header.prefix_of(&device.lpar), device.lcu)
}

/// `1000`, and `1.1000` in subchannel set 1; `B.1000` on a machine with a name.
fn number(run: &Run, device: &DeviceInterval) -> String {
    let prefix = run.header.prefix_of(&device.lpar);
    match device.subchannel_set {
        0 => format!("{prefix}{:04X}", device.number),
        set => format!("{prefix}{set}.{:04X}", device.number),
    }
}

impl Devices<'_> {
    fn total(&self, of: impl Fn(&DeviceInterval) -> u64) -> u128 {
        total(self.records.iter().map(|one| of(one)))
    }

    fn rate(&self) -> f64 {
        per_second(self.total(|one| one.completed), self.length_ps)
    }

    /// Mean over all I/Os, ms.
    fn mean(&self, of: fn(&DeviceInterval) -> u64) -> f64 {
        mean_ms(self.total(of), self.total(|one| one.completed))
    }

    /// What does not change during a run; 0 for no device.
    fn last(&self, of: fn(&DeviceInterval) -> u64) -> f64 {
        self.records.last().map_or(0.0, |one| of(one) as f64)
    }
}

/// RMF's response: IOSQ + PEND + DISC + CONN.
fn rmf_response_ms(devices: &Devices<'_>) -> f64 {
    devices.mean(|one| one.iosq_ps + one.pend_ps + one.disc_ps + one.conn_ps)
}

/// Time in connect, per exposure in use, as the DEV CONN column has it; mean over the devices.
fn dev_conn_percent(devices: &Devices<'_>) -> f64 {
    let share = |one: &&DeviceInterval| {
        let exposures = quotient(one.exposures_ps as f64, one.in_use_ps as f64).max(1.0);
        one.conn_ps as f64 / exposures
    };
    let connected: f64 = devices.records.iter().map(share).sum();
    100.0 * quotient(connected, devices.length_ps as f64 * devices.count() as f64)
}

impl Devices<'_> {
    /// Different devices and systems among the records.
    fn count(&self) -> usize {
        let mut keys: Vec<_> =
            self.records.iter().map(|one| (&one.lpar, one.subchannel_set, one.number)).collect();
        keys.sort();
        keys.dedup();
        keys.len()
    }
}

#[cfg(test)]
mod tests {
    use crate::quantity::tests::of;

    #[test]
    fn response_is_the_sum_of_its_parts() {
        let parts: f64 = ["iosq_ms", "pend_ms", "disc_ms", "conn_ms"].map(of).iter().sum();
        assert!((of("rmf_response_ms") - parts).abs() < 1e-9);
        assert!(parts > 0.0 && of("cmr_ms") <= of("pend_ms"));
    }

    #[test]
    fn systems_add_up_to_all() {
        let systems = of("activity_per_s:SYN1") + of("activity_per_s:SYN2PROD");
        assert!((systems / of("activity_per_s") - 1.0).abs() < 1e-9);
    }
}
