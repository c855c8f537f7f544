//! Reports and quantities of a run of several machines: none shows what is another's.

use halftrack_record::{CpcHeader, Mode, Run};

use crate::channel_path_activity::ChannelPathActivity;
use crate::golden;
use crate::io_queuing_activity::IoQueuingActivity;
use crate::quantity::quantity;
use crate::scope::Scope;
use crate::summary::summary;

/// Returns the golden run with its second system on a machine of its own. That has the channels of CSS 1 and one IOP;
/// there the channels are those of CSS 0.
fn two_machines() -> Run {
    let mut run = golden::run();
    let machine = |name: &str, machine_type, mode| CpcHeader {
        name: name.to_owned(),
        machine_type,
        model: name.to_lowercase(),
        iocds: format!("IODF{machine_type}"),
        definition_file: None,
        mode,
        drawers: 0,
        sap_cores: Vec::new(),
    };
    run.header.cpcs = vec![machine("A", 3931, Mode::Lpar), machine("B", 2064, Mode::Basic)];
    (run.header.systems[1].cpc, run.header.systems[1].css) = (1, 0);
    for interval in &mut run.intervals {
        (interval.iops[1].cpc, interval.iops[1].number) = (1, 0);
        for channel in interval.channels.iter_mut().filter(|channel| channel.css == [1]) {
            (channel.cpc, channel.css) = (1, vec![0]);
        }
    }
    run
}

#[test]
fn a_report_has_the_rows_of_the_machine_of_its_system() {
    let run = two_machines();
    for (system, cpc, words) in [("SYN1", 0, "IODF = 39"), ("SYN2PROD", 1, "IODF = 20")] {
        let scope = Scope::new(&run, system, 0).expect("a system");
        let of_machine = run.intervals[0].channels.iter().filter(|channel| channel.cpc == cpc);
        let mut wanted: Vec<u8> =
            of_machine.filter(|channel| channel.css.contains(&0)).map(|channel| channel.chpid).collect();
        wanted.sort_unstable();
        let channels = ChannelPathActivity::compute(&scope);
        let shown: Vec<u8> = channels.rows.iter().map(|row| row.chpid).collect();
        assert!(!shown.is_empty() && shown == wanted, "{system}: {shown:02X?} of {wanted:02X?}");
        let text = channels.render(&scope).expect("a report");
        assert!(text.contains(words) && text.contains("MODE: BASIC") == (cpc == 1), "{text}");
        let queuing = IoQueuingActivity::compute(&scope);
        let own = run.intervals[0].iops.iter().find(|iop| iop.cpc == cpc).expect("an IOP");
        assert_eq!((queuing.iops.len(), queuing.iops[0].number), (1, Some(0)));
        let started_s = queuing.sys.figures.get("start_per_s").expect("a figure")
            * run.intervals[0].length_ps as f64
            / 1e12;
        assert!((started_s - own.started as f64).abs() < 1.0, "{system}: {started_s} of {}", own.started);
    }
}

#[test]
fn quantities_and_warnings_name_the_machine() {
    let run = two_machines();
    let value = |name: &str| quantity(&run, name).map(|found| found.value);
    let both = value("iop_start_per_s").expect("a value");
    let sum = value("iop_start_per_s:A.0").expect("A") + value("iop_start_per_s:B.0").expect("B");
    assert!((both / sum - 1.0).abs() < 1e-9);
    assert!(value("channel_bus_percent:A.0.40").is_ok() && value("channel_bus_percent:0.40").is_err());
    assert!(value("paths_taken_per_s:B.0040").is_ok() && value("paths_taken_per_s:B.0050").is_err());
    assert!(value("activity_per_s:LCU A.0040").is_ok());
    let text = summary(&run);
    assert!(text.starts_with("golden: A 3931 a and B 2064 b, burst fidelity"), "{text}");
    assert!(text.contains("warning: channel A.0.40") && text.contains("warning: A.SAPs"), "{text}");
}
