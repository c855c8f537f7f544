//! The IOP part: initiative queue, utilisation and retries of the machine's IOP threads.
//!
//! % I/O REQUESTS RETRIED relates retries to starts and retries together, RETRIES / SSCH to starts alone.
//! AVG Q LNGTH excludes the request being enqueued. % CMPR and % SCM BUSY are the parts of % IOP BUSY that operations on
//! EADM subchannels make.

use halftrack_record::{IopInterval, Retries};
use serde::Serialize;

use crate::field::{Field, Line};
use crate::formula::{per_second, percent_busy, quotient, total};

/// One IOP thread, or all of them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct IopRow {
    /// IOP number; none for the SYS line.
    pub number: Option<u16>,
    /// Enqueues on the initiative queue per second.
    pub activity_per_s: f64,
    /// Mean length of the initiative queue found by a request.
    pub queue_length: f64,
    /// Busy, percent.
    pub busy_percent: f64,
    /// Busy with compression (adjunct memory), percent.
    pub compression_busy_percent: f64,
    /// Busy with storage-class memory, percent.
    pub scm_busy_percent: f64,
    /// I/O functions started per second.
    pub start_per_s: f64,
    /// I/O interrupts processed per second.
    pub interrupt_per_s: f64,
    /// % I/O REQUESTS RETRIED.
    pub retried_percent: RetryFigures,
    /// RETRIES / SSCH.
    pub retries_per_start: RetryFigures,
}

/// Retries by cause.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RetryFigures {
    /// All causes.
    pub all: f64,
    /// Channel path busy.
    pub channel_path_busy: f64,
    /// Director port busy.
    pub director_port_busy: f64,
    /// Control unit busy.
    pub control_unit_busy: f64,
    /// Device busy.
    pub device_busy: f64,
}

/// Retries of some IOPs, in sums that cannot overflow.
#[derive(Debug, Clone, Copy)]
struct RetrySums([u128; 4]);

impl RetrySums {
    fn of(iops: &[IopInterval]) -> Self {
        let causes: [fn(&Retries) -> u64; 4] = [
            |retries| retries.channel_path_busy,
            |retries| retries.director_port_busy,
            |retries| retries.control_unit_busy,
            |retries| retries.device_busy,
        ];
        Self(causes.map(|cause| total(iops.iter().map(|iop| cause(&iop.retries)))))
    }

    fn all(self) -> u128 {
        self.0.iter().sum()
    }

    fn relative_to(self, denominator: u128, scale: f64) -> RetryFigures {
        let share = |count: u128| scale * quotient(count as f64, denominator as f64);
        let [channel_path_busy, director_port_busy, control_unit_busy, device_busy] = self.0.map(share);
        RetryFigures {
            all: share(self.all()),
            channel_path_busy,
            director_port_busy,
            control_unit_busy,
            device_busy,
        }
    }
}

impl IopRow {
    pub(super) fn of(number: Option<u16>, iops: &[IopInterval], length_ps: u64) -> Self {
        let sum = |value: fn(&IopInterval) -> u64| total(iops.iter().map(value));
        let busy = |of| percent_busy(sum(of), iops.len() as u64, length_ps);
        let enqueued = sum(|iop| iop.enqueued);
        let started = sum(|iop| iop.started);
        let retries = RetrySums::of(iops);
        Self {
            number,
            activity_per_s: per_second(enqueued, length_ps),
            queue_length: quotient(sum(|iop| iop.queue_sum).saturating_sub(enqueued) as f64, enqueued as f64),
            busy_percent: busy(|iop| iop.busy_ps),
            compression_busy_percent: busy(|iop| iop.compression_busy_ps),
            scm_busy_percent: busy(|iop| iop.scm_busy_ps),
            start_per_s: per_second(started, length_ps),
            interrupt_per_s: per_second(sum(|iop| iop.interrupts), length_ps),
            retried_percent: retries.relative_to(started + retries.all(), 100.0),
            retries_per_start: retries.relative_to(started, 1.0),
        }
    }
}

pub(super) const IOP_HEADING: &[&str] = &[
    "     -INITIATIVE QUEUE-  ---------- IOP UTILIZATION -----------------  --- % I/O REQUESTS RETRIED ---  --- RETRIES / SSCH ---",
    "IOP  ACTIVITY    AVG Q   % IOP  % CMPR  % SCM  I/O START   INTERRUPT    ALL    CP    DP    CU    DV     ALL    CP    DP    CU    DV",
    "     RATE        LNGTH   BUSY   BUSY    BUSY   RATE        RATE              BUSY  BUSY  BUSY  BUSY          BUSY  BUSY  BUSY  BUSY",
];

/// Activity rate, queue length; IOP, CMPR, SCM busy; start and interrupt rate; retried ALL, CP, DP, CU, DV;
/// retries per start likewise.
const IOP_FIGURES: [Field; 17] = [
    Field::new(4, 12, 3),
    Field::new(14, 21, 2),
    Field::new(23, 29, 2),
    Field::new(31, 36, 2),
    Field::new(38, 44, 2),
    Field::new(46, 55, 3),
    Field::new(57, 67, 3),
    Field::new(69, 74, 1),
    Field::new(76, 80, 1),
    Field::new(82, 86, 1),
    Field::new(88, 92, 1),
    Field::new(94, 98, 1),
    Field::new(100, 106, 2),
    Field::new(108, 112, 2),
    Field::new(114, 118, 2),
    Field::new(120, 124, 2),
    Field::new(126, 130, 2),
];

pub(super) fn iop_line(row: &IopRow) -> String {
    let number = row.number.map_or_else(|| "SYS".to_owned(), |number| format!("{number:02}"));
    Line::new().text(0, 3, &number).numbers(&IOP_FIGURES, &iop_columns(row)).finish()
}

/// The figures in the order of [`IOP_FIGURES`].
fn iop_columns(row: &IopRow) -> [f64; 17] {
    let (percent, ratio) = (&row.retried_percent, &row.retries_per_start);
    [
        row.activity_per_s,
        row.queue_length,
        row.busy_percent,
        row.compression_busy_percent,
        row.scm_busy_percent,
        row.start_per_s,
        row.interrupt_per_s,
        percent.all,
        percent.channel_path_busy,
        percent.director_port_busy,
        percent.control_unit_busy,
        percent.device_busy,
        ratio.all,
        ratio.channel_path_busy,
        ratio.director_port_busy,
        ratio.control_unit_busy,
        ratio.device_busy,
    ]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SECOND_PS: u64 = 1_000_000_000_000;

    #[test]
    fn retries_relate_to_requests_and_to_starts() {
        let retries =
            Retries { channel_path_busy: 60, director_port_busy: 0, control_unit_busy: 30, device_busy: 10 };
        let iop = IopInterval { started: 400, retries, ..IopInterval::default() };
        let row = IopRow::of(Some(0), &[iop], SECOND_PS);
        assert_eq!((row.retried_percent.all, row.retried_percent.channel_path_busy), (20.0, 12.0));
        assert_eq!((row.retries_per_start.all, row.retries_per_start.device_busy), (0.25, 0.025));
    }

    #[test]
    fn the_queue_length_excludes_the_request_itself() {
        let iop = IopInterval { enqueued: 100, queue_sum: 150, ..IopInterval::default() };
        assert_eq!(IopRow::of(Some(0), &[iop], SECOND_PS).queue_length, 0.5);
    }

    #[test]
    fn the_sys_line_adds_counts_and_averages_busy_time() {
        let iop = |busy_ps, started| IopInterval { busy_ps, started, ..IopInterval::default() };
        let row = IopRow::of(None, &[iop(SECOND_PS / 2, 10), iop(SECOND_PS / 4, 30)], SECOND_PS);
        assert_eq!((row.busy_percent, row.start_per_s), (37.5, 40.0));
    }

    #[test]
    fn compression_and_storage_class_memory_have_their_columns() {
        let iop = |compression_busy_ps, scm_busy_ps| IopInterval {
            busy_ps: SECOND_PS / 2,
            compression_busy_ps,
            scm_busy_ps,
            ..IopInterval::default()
        };
        let row = IopRow::of(None, &[iop(SECOND_PS / 4, 0), iop(0, SECOND_PS / 10)], SECOND_PS);
        assert_eq!((row.busy_percent, row.compression_busy_percent, row.scm_busy_percent), (50.0, 12.5, 5.0));
        assert_eq!(iop_columns(&row)[2..5], [50.0, 12.5, 5.0]);
    }

    #[test]
    fn idle_and_absent_iops_read_zero() {
        let row = IopRow::of(Some(0), &[IopInterval::default()], SECOND_PS);
        assert_eq!(iop_columns(&row), [0.0; 17]);
        assert_eq!(iop_columns(&IopRow::of(None, &[], SECOND_PS)), [0.0; 17]);
    }

    /// Right edges of the values in the drawing.
    #[test]
    fn columns_stand_where_the_drawing_has_them() {
        let edges = IOP_FIGURES.map(|field| field.right);
        assert_eq!(edges, [12, 21, 29, 36, 44, 55, 67, 74, 80, 86, 92, 98, 106, 112, 118, 124, 130]);
        let ends_under = |line: usize, right: usize, word: &str| {
            assert_eq!(&IOP_HEADING[line][right + 1 - word.len()..=right], word);
        };
        for (line, right, word) in [
            (1, 12, "ACTIVITY"),
            (2, 21, "LNGTH"),
            (1, 29, "% IOP"),
            (1, 55, "I/O START"),
            (1, 67, "INTERRUPT"),
            (1, 74, "ALL"),
            (2, 80, "BUSY"),
            (2, 98, "BUSY"),
            (1, 106, "ALL"),
            (2, 130, "BUSY"),
        ] {
            ends_under(line, right, word);
        }
    }

    proptest! {
        #[test]
        fn columns_stay_apart_at_any_magnitude(values in prop::array::uniform17(prop_oneof![
            Just(0.0), 0.0..1e3f64, 0.0..1e14f64, Just(1e30)
        ])) {
            crate::golden::assert_columns(&Line::new().numbers(&IOP_FIGURES, &values).finish(), &IOP_FIGURES);
        }
    }
}
