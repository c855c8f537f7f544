//! I/O processor threads: the first part of I/O QUEUING ACTIVITY (SMF type 78-3, IOP section).
//!
//! % I/O REQUESTS RETRIED relates retries to starts and retries together, RETRIES / SSCH to starts alone. AVG Q LNGTH
//! excludes the request being enqueued. % CMPR and % SCM BUSY are the parts of % IOP BUSY that operations on EADM
//! subchannels make.

use halftrack_record::{IopInterval, Retries};

use crate::column;
use crate::field::Field;
use crate::formula::quotient;
use crate::quantity::Unit;
use crate::records::Records;
use crate::rows::{Rows, Source};
use crate::table::{Named, SubjectRule, Table, one_each_interval};

/// A figure of this table.
type Column = column::Column<IopInterval>;

/// Picoseconds in a microsecond.
const PS_PER_US: f64 = 1e6;

/// Heading of the listing.
pub(crate) const HEADING: &[&str] = &[
    "     -INITIATIVE QUEUE-  ---------- IOP UTILIZATION -----------------  --- % I/O REQUESTS RETRIED ---  --- RETRIES / SSCH ---",
    "IOP  ACTIVITY    AVG Q   % IOP  % CMPR  % SCM  I/O START   INTERRUPT    ALL    CP    DP    CU    DV     ALL    CP    DP    CU    DV",
    "     RATE        LNGTH   BUSY   BUSY    BUSY   RATE        RATE              BUSY  BUSY  BUSY  BUSY          BUSY  BUSY  BUSY  BUSY",
];

/// Records that make columns.
type Iops<'a> = Records<'a, IopInterval>;

/// Utilisation of the thread.
pub(crate) const BUSY: Column = Column::new(
    "iop_busy_percent",
    Unit::Percent,
    "Time that the I/O processor was busy; mean over the threads",
    |iops| iops.percent(|one| one.busy_ps),
)
.listed("% IOP BUSY", "busy_percent", Field::new(23, 29, 2));

/// The figures.
const COLUMNS: &[Column] = &[
    Column::new(
        "iop_activity_per_s",
        Unit::PerSecond,
        "Requests put on the initiative queue",
        |iops| iops.rate(|one| one.enqueued),
    )
    .listed("INITIATIVE QUEUE ACTIVITY RATE", "activity_per_s", Field::new(4, 12, 3)),
    Column::new(
        "iop_queue_length",
        Unit::Count,
        "Mean number found on the initiative queue by a request that was put there",
        |iops| iops.queue_length(|one| one.queue_sum, |one| one.enqueued),
    )
    .listed("INITIATIVE QUEUE AVG Q LNGTH", "queue_length", Field::new(14, 21, 2)),
    BUSY,
    Column::new(
        "iop_compression_percent",
        Unit::Percent,
        "Time that the I/O processor was busy with compression, part of its busy time; mean over the threads",
        |iops| iops.percent(|one| one.compression_busy_ps),
    )
    .listed("% CMPR BUSY", "compression_busy_percent", Field::new(31, 36, 2)),
    Column::new(
        "iop_scm_percent",
        Unit::Percent,
        "Time that the I/O processor was busy with storage-class memory, part of its busy time; mean over the threads",
        |iops| iops.percent(|one| one.scm_busy_ps),
    )
    .listed("% SCM BUSY", "scm_busy_percent", Field::new(38, 44, 2)),
    Column::new(
        "iop_start_per_s",
        Unit::PerSecond,
        "I/O functions started",
        |iops| iops.rate(|one| one.started),
    )
    .listed("I/O START RATE", "start_per_s", Field::new(46, 55, 3)),
    Column::new(
        "iop_interrupt_per_s",
        Unit::PerSecond,
        "I/O interrupts processed",
        |iops| iops.rate(|one| one.interrupts),
    )
    .listed("INTERRUPT RATE", "interrupt_per_s", Field::new(57, 67, 3)),
    Column::new(
        "iop_retried_percent",
        Unit::Percent,
        "Retries for all causes, in percent of starts and retries together",
        |iops| retried_percent(iops, all),
    )
    .listed("% I/O REQUESTS RETRIED ALL", "retried_percent.all", Field::new(69, 74, 1)),
    Column::new(
        "iop_retried_channel_path_busy_percent",
        Unit::Percent,
        "Retries because the channel path was busy, in percent of starts and retries together",
        |iops| retried_percent(iops, |retries| retries.channel_path_busy),
    )
    .listed("% I/O REQUESTS RETRIED CP BUSY", "retried_percent.channel_path_busy", Field::new(76, 80, 1)),
    Column::new(
        "iop_retried_director_port_busy_percent",
        Unit::Percent,
        "Retries because a port of a director was busy, in percent of starts and retries together",
        |iops| retried_percent(iops, |retries| retries.director_port_busy),
    )
    .listed("% I/O REQUESTS RETRIED DP BUSY", "retried_percent.director_port_busy", Field::new(82, 86, 1)),
    Column::new(
        "iop_retried_control_unit_busy_percent",
        Unit::Percent,
        "Retries because the control unit was busy, in percent of starts and retries together",
        |iops| retried_percent(iops, |retries| retries.control_unit_busy),
    )
    .listed("% I/O REQUESTS RETRIED CU BUSY", "retried_percent.control_unit_busy", Field::new(88, 92, 1)),
    Column::new(
        "iop_retried_device_busy_percent",
        Unit::Percent,
        "Retries because the device was busy, in percent of starts and retries together",
        |iops| retried_percent(iops, |retries| retries.device_busy),
    )
    .listed("% I/O REQUESTS RETRIED DV BUSY", "retried_percent.device_busy", Field::new(94, 98, 1)),
    Column::new(
        "iop_retries_per_start",
        Unit::Count,
        "Retries for all causes, for each start",
        |iops| per_start(iops, all),
    )
    .listed("RETRIES / SSCH ALL", "retries_per_start.all", Field::new(100, 106, 2)),
    Column::new(
        "iop_retries_channel_path_busy_per_start",
        Unit::Count,
        "Retries because the channel path was busy, for each start",
        |iops| per_start(iops, |retries| retries.channel_path_busy),
    )
    .listed("RETRIES / SSCH CP BUSY", "retries_per_start.channel_path_busy", Field::new(108, 112, 2)),
    Column::new(
        "iop_retries_director_port_busy_per_start",
        Unit::Count,
        "Retries because a port of a director was busy, for each start",
        |iops| per_start(iops, |retries| retries.director_port_busy),
    )
    .listed("RETRIES / SSCH DP BUSY", "retries_per_start.director_port_busy", Field::new(114, 118, 2)),
    Column::new(
        "iop_retries_control_unit_busy_per_start",
        Unit::Count,
        "Retries because the control unit was busy, for each start",
        |iops| per_start(iops, |retries| retries.control_unit_busy),
    )
    .listed("RETRIES / SSCH CU BUSY", "retries_per_start.control_unit_busy", Field::new(120, 124, 2)),
    Column::new(
        "iop_retries_device_busy_per_start",
        Unit::Count,
        "Retries because the device was busy, for each start",
        |iops| per_start(iops, |retries| retries.device_busy),
    )
    .listed("RETRIES / SSCH DV BUSY", "retries_per_start.device_busy", Field::new(126, 130, 2)),
    Column::new(
        "iop_retry_per_s",
        Unit::PerSecond,
        "Retries for all causes",
        |iops| iops.rate(|one| all(&one.retries)),
    ),
    Column::new(
        "iop_even_interrupt_percent",
        Unit::Percent,
        "Interrupts that threads of even number processed, in percent of all",
        |iops| {
            let even = |one: &IopInterval| if one.number.is_multiple_of(2) { one.interrupts } else { 0 };
            100.0 * iops.ratio(even, |one| one.interrupts)
        },
    ),
    Column::new(
        "iop_us_per_io",
        Unit::Us,
        "Thread time for each start, that of its interrupt and all else included",
        |iops| {
            let busy_us = iops.total(|one| one.busy_ps) as f64 / PS_PER_US;
            quotient(busy_us, iops.total(|one| one.started) as f64)
        },
    ),
    Column::new(
        "iop_us_per_start",
        Unit::Us,
        "Thread time of a start, from rows of the report by least squares; 0 where these cannot separate it from an interrupt",
        |iops| prices_us(&iops.each)[0],
    ),
    Column::new(
        "iop_us_per_interrupt",
        Unit::Us,
        "Thread time of an interrupt, from rows of the report by least squares; 0 where these cannot separate it from a start",
        |iops| prices_us(&iops.each)[1],
    ),
];

const THREADS: Named<IopInterval> = Named {
    records: |interval| &interval.iops,
    name: |header, thread| format!("{}{}", header.prefix(thread.cpc), thread.number),
};

/// The table of I/O processor threads.
pub(crate) static TABLE: Table<IopInterval> = Table {
    kind: "IOP thread",
    report: "I/O QUEUING ACTIVITY",
    subject_rule: SubjectRule::OneOrAll,
    columns: COLUMNS,
    choose: |run, subject| THREADS.choose(run, subject),
    subjects: |run| THREADS.subjects(run),
    by_subject: Some(|run| THREADS.by_subject(run)),
    things: one_each_interval,
    rows: Rows {
        frame: "iops",
        keys: &[("iop", "Number of the IOP thread")],
        source: Source::Interval(|run, interval| THREADS.rows(run, interval)),
    },
};

fn all(retries: &Retries) -> u64 {
    retries.channel_path_busy + retries.director_port_busy + retries.control_unit_busy + retries.device_busy
}

fn retried_percent(iops: &Iops<'_>, cause: fn(&Retries) -> u64) -> f64 {
    100.0 * iops.ratio(|one| cause(&one.retries), |one| one.started + all(&one.retries))
}

fn per_start(iops: &Iops<'_>, cause: fn(&Retries) -> u64) -> f64 {
    iops.ratio(|one| cause(&one.retries), |one| one.started)
}

/// Returns the thread time of a start and of an interrupt as the rows of the report give them, us: least squares over
/// its rows. Both are 0 where the rows cannot separate them.
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
    use crate::figures::Figures;
    use crate::quantity::tests::of;

    const SECOND_PS: u64 = 1_000_000_000_000;

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
        assert_eq!(prices_us(&[&rows[0]]), [0.0, 0.0], "one row cannot separate them");
    }

    fn figures(iops: &[IopInterval]) -> Figures {
        let each: Vec<_> = iops.iter().collect();
        let things = each.len() as u64;
        Figures::of(COLUMNS, &Records { each, things, length_ps: SECOND_PS, scope: None })
    }

    #[test]
    fn retries_relate_to_requests_and_to_starts() {
        let retries =
            Retries { channel_path_busy: 60, director_port_busy: 0, control_unit_busy: 30, device_busy: 10 };
        let row = figures(&[IopInterval { started: 400, retries, ..IopInterval::default() }]);
        for (key, expected) in [
            ("retried_percent.all", 20.0),
            ("retried_percent.channel_path_busy", 12.0),
            ("retries_per_start.all", 0.25),
            ("retries_per_start.device_busy", 0.025),
        ] {
            assert_eq!(row.get(key), Some(expected), "{key}");
        }
    }

    #[test]
    fn the_queue_length_excludes_the_request_itself() {
        let row = figures(&[IopInterval { enqueued: 100, queue_sum: 150, ..IopInterval::default() }]);
        assert_eq!(row.get("queue_length"), Some(0.5));
    }

    #[test]
    fn the_sys_line_adds_counts_and_averages_busy_time() {
        let iop = |busy_ps, started, scm_busy_ps| IopInterval {
            busy_ps,
            started,
            scm_busy_ps,
            compression_busy_ps: busy_ps / 2,
            ..IopInterval::default()
        };
        let row = figures(&[iop(SECOND_PS / 2, 10, 0), iop(SECOND_PS / 4, 30, SECOND_PS / 10)]);
        let keys = ["busy_percent", "start_per_s", "compression_busy_percent", "scm_busy_percent"];
        assert_eq!(keys.map(|key| row.get(key)), [37.5, 40.0, 18.75, 5.0].map(Some));
    }

    #[test]
    fn idle_and_absent_iops_read_zero() {
        assert_eq!(figures(&[IopInterval::default()]).values(), [Some(0.0); 17]);
        assert_eq!(figures(&[]).values(), [Some(0.0); 17]);
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
