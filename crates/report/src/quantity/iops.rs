//! What the IOP threads did: the columns of I/O QUEUING ACTIVITY.

use halftrack_record::{IopInterval, Run};

use super::named::Named;
use super::{Of, QuantityError, Unit, Word, length_ps, word};
use crate::formula::{per_second, percent_busy, quotient, total};

/// Picoseconds in a microsecond.
const PS_PER_US: f64 = 1e6;

pub(super) type Formula = fn(&Iops<'_>) -> f64;

/// The IOP threads that a quantity is about, over the measured time.
pub(super) struct Iops<'a> {
    records: Vec<&'a IopInterval>,
    threads: u64,
    length_ps: u64,
}

pub(super) const THREADS: Named<IopInterval> = Named {
    kind: "IOP thread",
    records: |interval| &interval.iops,
    name: |header, thread| format!("{}{}", header.prefix(thread.cpc), thread.number),
};

pub(super) const WORDS: &[Word] = &[
    word("iop_busy_percent", Unit::Percent, Of::Iops(|iops| iops.busy(|one| one.busy_ps))),
    word("iop_start_per_s", Unit::PerSecond, Of::Iops(|iops| iops.rate(|one| one.started))),
    word("iop_interrupt_per_s", Unit::PerSecond, Of::Iops(|iops| iops.rate(|one| one.interrupts))),
    word("iop_compression_percent", Unit::Percent, Of::Iops(|iops| iops.busy(|one| one.compression_busy_ps))),
    word("iop_scm_percent", Unit::Percent, Of::Iops(|iops| iops.busy(|one| one.scm_busy_ps))),
    word("iop_even_interrupt_percent", Unit::Percent, Of::Iops(even_interrupt_percent)),
    word("iop_queue_length", Unit::Count, Of::Iops(queue_length)),
    word("iop_activity_per_s", Unit::PerSecond, Of::Iops(|iops| iops.rate(|one| one.enqueued))),
    word("iop_retry_per_s", Unit::PerSecond, Of::Iops(|iops| iops.rate(retries))),
    word("iop_retried_percent", Unit::Percent, Of::Iops(retried_percent)),
    word("iop_us_per_io", Unit::Us, Of::Iops(us_per_io)),
    word("iop_us_per_start", Unit::Us, Of::Iops(|iops| prices_us(&iops.records)[0])),
    word("iop_us_per_interrupt", Unit::Us, Of::Iops(|iops| prices_us(&iops.records)[1])),
];

pub(super) fn value(
    run: &Run,
    word: &'static str,
    subject: Option<&str>,
    formula: Formula,
) -> Result<f64, QuantityError> {
    let records = THREADS.chosen(run, word, subject)?;
    let threads = records.len() as u64 / run.intervals.len().max(1) as u64;
    Ok(formula(&Iops { records, threads, length_ps: length_ps(run) }))
}

impl Iops<'_> {
    fn total(&self, of: fn(&IopInterval) -> u64) -> u128 {
        total(self.records.iter().map(|one| of(one)))
    }

    fn rate(&self, of: fn(&IopInterval) -> u64) -> f64 {
        per_second(self.total(of), self.length_ps)
    }

    fn busy(&self, of: fn(&IopInterval) -> u64) -> f64 {
        percent_busy(self.total(of), self.threads, self.length_ps)
    }
}

/// Of the interrupts, those that threads of even number took.
fn even_interrupt_percent(iops: &Iops<'_>) -> f64 {
    let even = |one: &IopInterval| if one.number.is_multiple_of(2) { one.interrupts } else { 0 };
    100.0 * quotient(iops.total(even) as f64, iops.total(|one| one.interrupts) as f64)
}

/// Mean length of the initiative queue found, the new request included, less that request.
fn queue_length(iops: &Iops<'_>) -> f64 {
    let enqueued = iops.total(|one| one.enqueued);
    quotient(iops.total(|one| one.queue_sum).saturating_sub(enqueued) as f64, enqueued as f64)
}

fn retries(iop: &IopInterval) -> u64 {
    let of = &iop.retries;
    of.channel_path_busy + of.director_port_busy + of.control_unit_busy + of.device_busy
}

/// Retries in percent of starts and retries together, as % I/O REQUESTS RETRIED has it.
fn retried_percent(iops: &Iops<'_>) -> f64 {
    let retried = iops.total(retries);
    100.0 * quotient(retried as f64, (retried + iops.total(|one| one.started)) as f64)
}

/// Thread time for each start, of its interrupt and all else too, us.
fn us_per_io(iops: &Iops<'_>) -> f64 {
    quotient(iops.total(|one| one.busy_ps) as f64 / PS_PER_US, iops.total(|one| one.started) as f64)
}

/// Thread time of a start and of an interrupt as a reader of the report finds them, us: least squares over its rows.
/// Both 0 where the rows cannot tell them apart.
fn prices_us(rows: &[&IopInterval]) -> [f64; 2] {
    let sum = |of: &dyn Fn(f64, f64, f64) -> f64| -> f64 {
        let of_row = |row: &&IopInterval| {
            of(row.started as f64, row.interrupts as f64, row.busy_ps as f64 / PS_PER_US)
        };
        rows.iter().map(of_row).sum()
    };
    let (starts, interrupts) =
        (sum(&|start, _, _| start * start), sum(&|_, interrupt, _| interrupt * interrupt));
    let both = sum(&|start, interrupt, _| start * interrupt);
    let (by_start, by_interrupt) =
        (sum(&|start, _, busy| start * busy), sum(&|_, interrupt, busy| interrupt * busy));
    let determinant = starts * interrupts - both * both;
    [
        quotient(by_start * interrupts - by_interrupt * both, determinant),
        quotient(by_interrupt * starts - by_start * both, determinant),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantity::tests::of;

    #[test]
    fn the_rows_of_a_report_say_what_a_start_and_an_interrupt_cost() {
        let row = |started, interrupts| IopInterval {
            started,
            interrupts,
            busy_ps: 2_500_000 * started + 1_750_000 * interrupts,
            ..IopInterval::default()
        };
        let rows = [row(100, 200), row(100, 3), row(101, 190)];
        let [start, interrupt] = prices_us(&rows.each_ref());
        assert!((start - 2.5).abs() < 1e-9 && (interrupt - 1.75).abs() < 1e-9, "{start} {interrupt}");
        assert_eq!(prices_us(&[&rows[0]]), [0.0, 0.0], "one row cannot tell them apart");
    }

    #[test]
    fn threads_average_and_rates_add() {
        let threads = ["0", "1"];
        let mean: f64 = threads.map(|one| of(&format!("iop_busy_percent:{one}"))).iter().sum::<f64>() / 2.0;
        assert!((of("iop_busy_percent") - mean).abs() < 1e-9);
        let rate: f64 = threads.map(|one| of(&format!("iop_start_per_s:{one}"))).iter().sum();
        assert!((of("iop_start_per_s") / rate - 1.0).abs() < 1e-9);
        let even = 100.0 * of("iop_interrupt_per_s:0") / of("iop_interrupt_per_s");
        assert!((of("iop_even_interrupt_percent") - even).abs() < 1e-9);
    }
}
