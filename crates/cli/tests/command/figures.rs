//! Reports of the repository's studies: published figures, and columns that must agree.

use serde_json::Value;

use crate::support::{Study, number, reports};

const CHANNELS: &str = "/systems/PROD1/channel_path_activity/rows";

/// Runs the study of one channel with `jobs` readers, all its work in `protocol`.
fn one_channel(protocol: &str, jobs: u32) -> Value {
    let study = Study::short("fex32s-zhpf-4k");
    study.edit("workload.toml", |text| {
        text.replace("jobs = 96", &format!("jobs = {jobs}")) + &format!("protocol = \"{protocol}\"\n")
    });
    reports(&study, &[])
}

fn list<'a>(object: &'a Value, pointer: &str) -> &'a [Value] {
    object.pointer(pointer).and_then(Value::as_array).unwrap_or_else(|| panic!("no list at {pointer}"))
}

#[test]
fn a_saturated_channel_reads_4k_at_the_published_rates() {
    let rate = |protocol, column: &str| {
        number(&one_channel(protocol, 90), &format!("{CHANNELS}/0/measured/{column}/rate_per_s"))
    };
    // Printed: 302,000 a second in transport mode, a knee at 20,000 to 24,000 in command mode, about 12 times
    // between the two. The channel's prices are fitted to the first.
    let (zhpf, ficon) = (rate("transport", "zhpf"), rate("command", "ficon"));
    assert!((zhpf / 302_000.0 - 1.0).abs() < 0.01, "{zhpf}");
    assert!((20_000.0..27_000.0).contains(&ficon), "{ficon}");
    assert!((11.0..13.5).contains(&(zhpf / ficon)), "{}", zhpf / ficon);
}

#[test]
fn transport_mode_opens_more_exchanges_than_command_mode_may() {
    // The card of the catalog has 64 open exchanges in command mode and 750 in all.
    let command = one_channel("command", 90);
    let column = |object: &Value, name: &str| number(object, &format!("{CHANNELS}/0/measured/{name}"));
    assert!(column(&command, "ficon/active") <= 64.0);
    assert!(column(&command, "ficon/defer_per_s") > 0.0, "the 65th waits");
    let transport = one_channel("transport", 90);
    assert!(column(&transport, "zhpf/active") > 64.0);
    assert_eq!(column(&transport, "zhpf/defer_per_s"), 0.0);
    assert_eq!(column(&one_channel("command", 60), "ficon/defer_per_s"), 0.0);
}

#[test]
fn bytes_of_the_channel_are_4096_for_each_start() {
    let object = one_channel("transport", 32);
    let mb_per_s = number(&object, &format!("{CHANNELS}/0/measured/read_total_mb_per_s"));
    let taken: f64 = list(&object, "/systems/PROD1/io_queuing_activity/lcus")
        .iter()
        .map(|lcu| number(lcu, "/paths/0/taken_per_s"))
        .sum();
    let bytes = mb_per_s * 1e6 / taken;
    // I/Os in progress at the two ends of an interval make the difference.
    assert!((bytes / 4096.0 - 1.0).abs() < 0.01, "{bytes} bytes a start");
}

#[test]
fn chpids_taken_add_up_to_the_operations_of_each_channel() {
    let object = reports(&Study::short("z16-oltp"), &[]);
    for channel in list(&object, CHANNELS) {
        let mut taken = 0.0;
        for system in ["PROD1", "PROD2"] {
            for lcu in list(&object, &format!("/systems/{system}/io_queuing_activity/lcus")) {
                let paths = list(lcu, "/paths").iter().filter(|path| path["chpid"] == channel["chpid"]);
                taken += paths.map(|path| number(path, "/taken_per_s")).sum::<f64>();
            }
        }
        let operations =
            number(channel, "/measured/ficon/rate_per_s") + number(channel, "/measured/zhpf/rate_per_s");
        assert!((taken - operations).abs() < 1e-6, "{taken} taken, {operations} operations");
    }
}

#[test]
fn both_protocols_share_every_channel_and_each_system_sees_its_part() {
    let object = reports(&Study::short("z16-oltp"), &[]);
    let other = list(&object, "/systems/PROD2/channel_path_activity/rows");
    for (one, two) in list(&object, CHANNELS).iter().zip(other) {
        assert!(number(one, "/measured/ficon/rate_per_s") > 0.0);
        assert!(number(one, "/measured/zhpf/rate_per_s") > 0.0);
        let total = number(one, "/measured/total_percent");
        let parts = number(one, "/measured/part_percent") + number(two, "/measured/part_percent");
        assert!((parts - total).abs() < 1e-6, "{parts} % of {total} %");
    }
}

#[test]
fn a_max39_has_ten_iop_rows_and_they_start_what_the_streams_start() {
    let object = reports(&Study::short("z16-oltp"), &[]);
    let queuing = &object["systems"]["PROD1"]["io_queuing_activity"];
    let iops = list(queuing, "/iops");
    assert_eq!(iops.len(), 10, "5 SAPs of two threads");
    let starts: f64 = iops.iter().map(|iop| number(iop, "/start_per_s")).sum();
    assert!((starts - number(queuing, "/sys/start_per_s")).abs() < 1e-6);
    let channels = list(&object, CHANNELS).iter();
    let operations: f64 = channels
        .map(|one| number(one, "/measured/ficon/rate_per_s") + number(one, "/measured/zhpf/rate_per_s"))
        .sum();
    assert!((starts / operations - 1.0).abs() < 0.01, "{starts} starts, {operations} operations a second");
}

#[test]
fn one_host_adapter_port_limits_a_channel_that_four_can_fill() {
    let four = number(&one_channel("command", 60), "/summary/streams/0/rate_per_s/mean");
    let study = Study::short("fex32s-zhpf-4k");
    study.edit("workload.toml", |text| {
        text.replace("\"1000-103F\", \"1100-113F\", \"1200-123F\", \"1300-133F\"", "\"1000-103F\"")
            .replace("jobs = 96", "jobs = 60")
            + "protocol = \"command\"\n"
    });
    let one = reports(&study, &[]);
    let bottleneck = one.pointer("/summary/bottleneck/name").and_then(Value::as_str);
    assert_eq!(bottleneck, Some("port BOXA 0030 processor"));
    let one = number(&one, "/summary/streams/0/rate_per_s/mean");
    assert!(one < 0.85 * four, "{one} with one port, {four} with four");
}
