//! Twenty partitions in two channel subsystems, with channels that are spanned and channels that one of them has alone.

use serde_json::Value;

use crate::support::{Study, code, number, reports, stderr, stdout};

/// Partitions of each channel subsystem.
const PARTITIONS: [usize; 2] = [12, 8];

fn names(css: usize, count: usize) -> Vec<String> {
    (1..=count).map(|mif| format!("L{css}{mif:02}")).collect()
}

/// Makes a deck with CHPIDs 40 and 41 in both channel subsystems; each has a 50 of its own.
fn deck(partitions: [usize; 2]) -> String {
    let of = |css: usize| {
        let lpars = names(css, partitions[css]);
        let named = lpars
            .iter()
            .enumerate()
            .map(|(index, name)| if index < 15 { format!("({name},{:X})", index + 1) } else { name.clone() });
        let cards: Vec<_> = named.collect::<Vec<_>>().chunks(3).map(|some| some.join(",")).collect();
        format!("(CSS({css}),{})", cards.join(&format!(",\n{:15}", "")))
    };
    let resource = format!("PARTITION=({},\n{:15}{}),\n", of(0), "", of(1));
    let maximum = format!("{:15}MAXDEV=((CSS(0),65280,65535),(CSS(1),65280,65535))", "");
    let text = format!(
        "         ID MSG1='TWENTY',SYSTEM=(3931,1)
         RESOURCE {resource}{maximum}
         CHPID PATH=(CSS(0,1),40),SHARED,SWITCH=11,PCHID=100,TYPE=FC
         CHPID PATH=(CSS(0,1),41),SHARED,SWITCH=11,PCHID=101,TYPE=FC
         CHPID PATH=(CSS(0),50),SHARED,SWITCH=11,PCHID=118,TYPE=FC
         CHPID PATH=(CSS(1),50),SHARED,SWITCH=11,PCHID=119,TYPE=FC
         CNTLUNIT CUNUMBR=1000,
               PATH=((CSS(0),40,41,50),(CSS(1),40,41,50)),
               UNITADD=((00,256)),CUADD=0,UNIT=2107,
               LINK=((CSS(0),1130,1131,1132),(CSS(1),1130,1131,1133))
         IODEVICE ADDRESS=(1000,128),CUNUMBR=(1000),UNIT=3390B
"
    );
    // A card that goes on has a mark in column 72.
    let card = |line: &str| if line.ends_with(',') { format!("{line:71}*\n") } else { format!("{line}\n") };
    text.lines().map(card).collect()
}

fn study(partitions: [usize; 2]) -> Study {
    let study = Study::short("fex32s-zhpf-4k");
    study.edit("deck.iocp", |_| deck(partitions));
    let all = || (0..2).flat_map(|css| names(css, partitions[css]));
    let lpars: String =
        all().map(|name| format!("[[lpar]]\nname = \"{name}\"\ncps = 1\nzhpf = \"YES\"\n")).collect();
    let fibres: String = ["100", "101", "118", "119"]
        .iter()
        .enumerate()
        .map(|(index, pchid)| format!("[[cable]]\npchid = \"{pchid}\"\nto = \"11.2{index}\"\nkm = 1\n"))
        .collect();
    let ports: String = (0..4)
        .map(|port| format!("[[control_unit.port]]\nid = \"003{port}\"\nto = \"11.3{port}\"\nkm = 1\n"))
        .collect();
    study.edit("plant.toml", |_| {
        format!(
            "[cpc]\nmodel = \"z16-max39\"\n{lpars}\
             [[card]]\ntype = \"fex32s\"\npchids = [\"100\", \"101\"]\n\
             [[card]]\ntype = \"fex32s\"\npchids = [\"118\", \"119\"]\n{fibres}\
             [[director]]\nid = \"11\"\ntype = \"director-32g\"\n\
             [[control_unit]]\nname = \"BOXA\"\ntype = \"ds8950\"\n{ports}\
             [[control_unit.volumes]]\ndevices = \"1000-107F\"\nmodel = \"3390-9\"\n"
        )
    });
    let streams: String = all()
        .enumerate()
        .map(|(index, name)| {
            let rate = 500 * (index + 1);
            format!(
                "[[stream]]\nname = \"{name}\"\nlpar = \"{name}\"\ndevices = [\"1000-107F\"]\n\
                 program = {{ block = \"4K\" }}\nread_share = 0.7\nopen = {{ rate_per_s = {rate} }}\n"
            )
        })
        .collect();
    study.edit("workload.toml", |_| format!("[run]\nwarmup_s = 0.002\ninterval_s = 0.05\n{streams}"));
    study
}

/// Returns the channel rows of a partition.
fn rows<'o>(object: &'o Value, name: &str) -> &'o [Value] {
    let found = object.pointer(&format!("/systems/{name}/channel_path_activity/rows"));
    found.and_then(Value::as_array).expect("channel rows")
}

#[test]
fn parts_of_all_partitions_that_have_a_channel_sum_to_its_total() {
    let object = reports(&study(PARTITIONS), &[]);
    let pchids =
        |name: &str| -> Vec<_> { rows(&object, name).iter().map(|row| number(row, "/pchid")).collect() };
    let channel = |pchid: u16| f64::from(pchid);
    for name in names(0, PARTITIONS[0]) {
        assert_eq!(pchids(&name), [0x100, 0x101, 0x118].map(channel), "{name} has nothing of the other");
    }
    for name in names(1, PARTITIONS[1]) {
        assert_eq!(pchids(&name), [0x100, 0x101, 0x119].map(channel), "{name} has nothing of the other");
    }
    let all: Vec<_> = (0..2).flat_map(|css| names(css, PARTITIONS[css])).collect();
    for (pchid, having) in [(0x100, 20), (0x101, 20), (0x118, 12), (0x119, 8)] {
        let seen = all.iter().flat_map(|name| rows(&object, name));
        let seen: Vec<_> = seen.filter(|row| number(row, "/pchid") == channel(pchid)).collect();
        assert_eq!(seen.len(), having);
        for (part, total) in [
            ("/measured/part_percent", "/measured/total_percent"),
            ("/measured/read_part_mb_per_s", "/measured/read_total_mb_per_s"),
            ("/measured/write_part_mb_per_s", "/measured/write_total_mb_per_s"),
        ] {
            let parts: f64 = seen.iter().map(|row| number(row, part)).sum();
            let totals: Vec<_> = seen.iter().map(|row| number(row, total)).collect();
            assert!(totals[0] > 0.0 && totals.iter().all(|one| *one == totals[0]), "{totals:?}");
            assert!((parts / totals[0] - 1.0).abs() < 1e-6, "{parts} of {} on {pchid:X}", totals[0]);
        }
    }
    let iops = |name: &str| object.pointer(&format!("/systems/{name}/io_queuing_activity/sys")).cloned();
    assert!(all.iter().all(|name| iops(name).is_some() && iops(name) == iops("L001")), "one machine's SAPs");
}

#[test]
fn a_sixteenth_partition_of_a_channel_subsystem_is_refused() {
    let refused = study([16, 4]).halftrack("run", &[]);
    assert_eq!((code(&refused), stdout(&refused)), (2, ""));
    let said = stderr(&refused);
    assert!(said.contains("HTK157E") && said.contains("15"), "{said}");
}
