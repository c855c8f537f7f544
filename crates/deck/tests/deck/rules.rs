//! Every rule of the reference (IOCP, section 4) in this reader's scope, each broken once.

use crate::support::{codes, deck, reading};

/// Asserts the message codes of a deck of two channel subsystems with `statements`.
#[track_caller]
fn gives(statements: &str, expected: &[&str]) {
    let reading = reading(&deck(statements));
    let shown: Vec<String> = reading.diagnostics.iter().map(ToString::to_string).collect();
    assert_eq!(codes(&reading), expected, "\n{}", shown.join("\n"));
    assert_eq!(reading.deck.is_some(), !expected.iter().any(|code| code.ends_with('E')));
}

/// Checks as [`gives`] does, for a deck without the RESOURCE of the others.
#[track_caller]
fn gives_alone(statements: &str, expected: &[&str]) {
    let text: String =
        statements.lines().filter(|line| !line.trim().is_empty()).map(crate::support::cards).collect();
    let reading = reading(&text);
    let shown: Vec<String> = reading.diagnostics.iter().map(ToString::to_string).collect();
    assert_eq!(codes(&reading), expected, "\n{}", shown.join("\n"));
}

const FC: &str = "CHPID PATH=(CSS(0,1),40),SWITCH=11,PCHID=100,TYPE=FC
    CHPID PATH=(CSS(0,1),41),SWITCH=11,PCHID=104,TYPE=FC";
const UNSWITCHED: &str = "CHPID PATH=(CSS(0,1),40),PCHID=100,TYPE=FC
    CHPID PATH=(CSS(0,1),41),PCHID=104,TYPE=FC";

#[track_caller]
fn with_channels(channels: &str, statements: &str, expected: &[&str]) {
    gives(&format!("{channels}\n{statements}"), expected);
}

#[test]
fn id_comes_first_and_once() {
    let resource = "RESOURCE PART=A,MAXDEV=9";
    gives_alone(&format!("ID MSG1='A'\nID MSG1='B'\n{resource}"), &["104W"]);
    gives_alone(&format!("{resource}\nID MSG1='A'"), &["103W"]);
    gives_alone(&format!("ID MSG1=A\n{resource}"), &["140E"]);
    gives_alone(&format!("ID SYSTEM=(9999,1)\n{resource}"), &["140E"]);
    gives_alone(&format!("ID LSYSTEM=TOOLONGNAME\n{resource}"), &["140E"]);
    gives_alone(&format!("ID\n{resource}"), &["122E"]);
}

#[test]
fn a_missing_late_or_second_resource_is_reported() {
    gives_alone("ID MSG1='A'", &["862E"]);
    gives_alone("CHPID PATH=40,TYPE=FC\nRESOURCE PART=A", &["862E"]);
    gives("RESOURCE PART=A", &["863E"]);
    gives_alone("RESORCE PART=A,MAXDEV=9\nCHPID PATH=40,PCHID=100,TYPE=FC", &["179E"]);
}

#[test]
fn a_bad_resource_ends_the_reading() {
    let bad = "RESOURCE PART=((CSS(0),(A,1),(B,1))),MAXDEV=9";
    gives_alone(&format!("{bad}\nCHPID PATH=4,TYPE=FC\nCHPID PATH=(4"), &["155E"]);
    gives_alone("RESOURCE PART=((CSS(0),A),MAXDEV=9\nCHPID PATH=4,TYPE=FC", &["112E"]);
}

#[test]
fn partitions_are_checked() {
    gives_alone("RESOURCE PART=((CSS(0),(A,1),(A,2))),MAXDEV=9", &["156E"]);
    gives_alone("RESOURCE PART=((CSS(0),A),(CSS(1),A)),MAXDEV=((CSS(0),9),(CSS(1),9))", &["156E"]);
    gives_alone("RESOURCE PART=((CSS(6),A)),MAXDEV=9", &["167E"]);
    gives_alone("RESOURCE PART=((CSS(0),A),(B,2)),MAXDEV=9", &["165E"]);
    gives_alone("RESOURCE PART=((CSS(0),(A,G))),MAXDEV=9", &["140E"]);
    gives_alone("RESOURCE PART=((CSS(0),PHYSICAL,*,A$)),MAXDEV=9", &["140E", "140E", "140E"]);
    let many: Vec<String> = (0..16).map(|number| format!("P{number}")).collect();
    gives_alone(&format!("RESOURCE PART=({}),MAXDEV=9", many.join(",")), &["157E"]);
    gives_alone(&format!("RESOURCE PART=((CSS(5),{})),MAXDEV=((CSS(5),9))", many[..11].join(",")), &["157E"]);
}

#[test]
fn device_slots_are_checked() {
    gives_alone("RESOURCE PART=A", &["162W"]);
    gives_alone("RESOURCE PART=((CSS(0),A),(CSS(1),B)),MAXDEV=((CSS(0),63K))", &["164I"]);
    gives_alone("RESOURCE PART=A,MAXDEV=65281", &["140E"]);
    gives_alone("RESOURCE PART=A,MAXDEV=(9,9,9,9,9)", &["140E"]);
}

#[test]
fn keywords_are_checked() {
    gives("CHPID PATH=(CSS(0),40),SHARED", &["122E"]);
    gives("CHPID PATH=(CSS(0),40),SHARED,PCHID=100,PCHID=101,TYPE=FC", &["123E"]);
    gives("CHPID PATH=(CSS(0),40),SHARED,PCHID=100,TYPE=FC,PART=(CSS(0),A),PARTITION=(CSS(0),A)", &["123E"]);
    gives("CHPID PATH=(CSS(0),40),SHARED,PCHID=100,TYPE=FC,SPEED=16", &["179E"]);
    gives("CHPID PATH=(CSS(0),40),SHARE,PCHID=100,TYPE=FC", &["179E"]);
    gives("CHPID PATH=(CSS(0),40),SHARED,PCHID=100,TYPE=FC,DESC='x'", &["867W"]);
    gives("SWITCH NUMBER=1", &["179E"]);
}

#[test]
fn unknown_statements_of_a_machine_are_reported() {
    let z10 = "ID SYSTEM=(2097,1)\nRESOURCE PART=A,MAXDEV=9\nFUNCTION FID=1,PCHID=100,PART=A,TYPE=ZEDC";
    gives_alone(z10, &["179E"]);
    gives("FUNCTION FID=1,PCHID=100,PART=A,TYPE=ZEDC", &["206E"]);
    gives("FUNCTION FID=1,PCHID=100,PART=A,TYPE=XYZ", &["140E"]);
    gives("UUID PART=((CSS(0),A))\nFUNCTION FID=1,PCHID=100,PORT=1,VF=1,PART=A,TYPE=HYL", &[]);
}

#[test]
fn numbers_are_checked() {
    gives("CHPID PATH=(CSS(0),4),SHARED,PCHID=100,TYPE=FC", &["126E"]);
    gives("CHPID PATH=(CSS(0),40),SHARED,PCHID=1000,TYPE=FC", &["126E"]);
    gives("CHPID PATH=(CSS(0),40),SHARED,PCHID=100,TYPE=FC,SWITCH=1", &["126E"]);
    gives("CHPID PATH=(CSS(7),40),SHARED,PCHID=100,TYPE=FC", &["167E"]);
    gives("CHPID PATH=(CSS(2),40),SHARED,PCHID=100,TYPE=FC", &["167E"]);
    gives("CHPID PATH=40,SHARED,PCHID=100,TYPE=FC", &["165E"]);
    gives("CHPID PATH=(CSS(0),40,41),SHARED,PCHID=100,TYPE=FC", &["140E"]);
}

#[test]
fn access_lists_are_checked() {
    let channel = |lists: &str| format!("CHPID PATH=(CSS(0),40),PCHID=100,TYPE=FC,{lists}");
    gives(&channel("PART=(A,B)"), &[]);
    gives(&channel("PART=(A,REC)"), &[]);
    gives(&channel("PART=((A),(=))"), &[]);
    gives(&channel("PART=0,SHARED"), &[]);
    gives(&channel("PART=((A),(A,B))"), &["137E"]);
    gives(&channel("PART=((A),(A,B),REC)"), &[]);
    gives(&channel("PART=((A),(A,B)),SHARED"), &[]);
    gives(&channel("PART=((A),(A),JUNK)"), &["148E"]);
    gives(&channel("PART=X"), &["149E"]);
    gives(&channel("PART=C"), &["149E"]);
    gives(&channel("PART=(A,A)"), &["156E"]);
    gives(&channel("PART=A,NOTPART=B"), &["153E"]);
    gives(&channel("PART=((CSS(1),C))"), &["167E"]);
    gives(&channel("IOCLUSTER=X"), &["865C"]);
    gives("CHPID PATH=(CSS(0,1),40),PART=A,PCHID=100,TYPE=FC", &["165E"]);
}

#[test]
fn channel_paths_are_unique() {
    let two = |first: &str, second: &str| format!("CHPID PATH={first}\nCHPID PATH={second}");
    gives(&two("(CSS(0,1),40),PCHID=100,TYPE=FC", "(CSS(1),40),SHARED,PCHID=101,TYPE=FC"), &["200E"]);
    gives(&two("(CSS(0),40),SHARED,PCHID=100,TYPE=FC", "(CSS(1),40),SHARED,PCHID=100,TYPE=FC"), &["207E"]);
    gives(&two("(CSS(0),40),SHARED,PCHID=100,TYPE=FC", "(CSS(0),41),SHARED,PCHID=0100,TYPE=FC"), &["207E"]);
    gives(&two("(CSS(0),F0),SHARED,VCHID=7E0,TYPE=IQD", "(CSS(0),F1),SHARED,VCHID=7E0,TYPE=IQD"), &["207E"]);
    gives(
        &two("(CSS(0),40),SHARED,PCHID=100,PORT=1,TYPE=CL5", "(CSS(0),41),SHARED,PCHID=100,PORT=2,TYPE=CL5"),
        &[],
    );
}

#[test]
fn keywords_fit_the_channel_type() {
    gives("CHPID PATH=(CSS(0),70),SHARED,PCHID=100,TYPE=OSD,SWITCH=11", &["201E"]);
    gives("CHPID PATH=(CSS(0),70),SHARED,PCHID=100,TYPE=FCP,CHPARM=01", &["202E"]);
    gives("CHPID PATH=(CSS(0),70),SHARED,PCHID=100,TYPE=FC,CPATH=(CSS(0),71)", &["208E"]);
    gives("CHPID PATH=(CSS(0),70),SHARED,PCHID=100,TYPE=IQD", &["202E"]);
    gives("CHPID PATH=(CSS(0),70),SHARED,PCHID=100,TYPE=FC,MIXTYPE", &["867W"]);
    gives("CHPID PATH=(CSS(0),70),SHARED,TYPE=FC", &["139W"]);
    gives("CHPID PATH=(CSS(0),70),SHARED,PCHID=100,TYPE=XX", &["140E"]);
    gives("CHPID PATH=(CSS(0),70),SHARED,PCHID=100,TYPE=CNC", &["206E"]);
}

#[test]
fn types_that_cannot_be_shared_or_spanned_are_reported() {
    let z10 = "ID SYSTEM=(2097,1)\nRESOURCE PART=((CSS(0),A),(CSS(1),B)),MAXDEV=((CSS(0),9),(CSS(1),9))";
    gives_alone(&format!("{z10}\nCHPID PATH=(CSS(0,1),20),PCHID=100,TYPE=FCV"), &["209E"]);
    gives_alone(&format!("{z10}\nCHPID PATH=(CSS(0),20),SHARED,PCHID=100,TYPE=CVC"), &["205E"]);
    gives_alone(&format!("{z10}\nCHPID PATH=(CSS(0),20),PART=A,PCHID=100,TYPE=CVC"), &[]);
}

#[test]
fn control_units_are_checked() {
    let unit = |rest: &str| {
        format!("CNTLUNIT CUNUMBR=1000,UNIT=2107,PATH=((CSS(0),40)),LINK=((CSS(0),1104)),{rest}")
    };
    with_channels(FC, &unit("CUADD=0,UNITADD=((00,256))"), &[]);
    with_channels(FC, &unit("UNITADD=0A"), &[]);
    with_channels(FC, &unit("UNITADD=((10))"), &[]);
    with_channels(FC, &unit("UNITADD=(00,16)"), &["111E"]);
    with_channels(FC, &unit("UNITADD=((F0,17))"), &["233E"]);
    with_channels(FC, &unit("UNITADD=((00,16),(0F,1))"), &["233E", "236E"]);
    with_channels(FC, &unit("UNITADD=((00,16),(20,16))"), &["236E"]);
    with_channels(FC, &unit("CUADD=0"), &["122E"]);
    with_channels(FC, &unit("CUADD=100,UNITADD=00"), &["126E"]);
    with_channels(FC, &unit("UNITADD=00").replace("=1000", "=FFFF"), &["117E"]);
    with_channels(FC, &format!("{}\n{}", unit("UNITADD=00"), unit("UNITADD=00")), &["230E"]);
    with_channels(
        FC,
        "CNTLUNIT CUNUMBR=1000,UNIT=2107,PATH=((CSS(0),40,40)),LINK=((CSS(0),1104,1105)),UNITADD=00",
        &["232E"],
    );
    with_channels(FC, "CNTLUNIT CUNUMBR=1000,UNIT=2107,PATH=40,LINK=1104,UNITADD=00", &["165E"]);
    with_channels(FC, "CNTLUNIT CUNUMBR=1000,UNIT=2107,PATH=((CSS(0,1),40)),LINK=1104,UNITADD=00", &["140E"]);
}

#[test]
fn an_undefined_channel_is_reported_once_and_never_after_channel_errors() {
    let units = "CNTLUNIT CUNUMBR=1000,UNIT=2107,PATH=((CSS(0),42)),LINK=((CSS(0),1104)),UNITADD=00
        CNTLUNIT CUNUMBR=1001,UNIT=2107,PATH=((CSS(0),42)),LINK=((CSS(0),1105)),UNITADD=00";
    with_channels(FC, units, &["864E"]);
    with_channels("CHPID PATH=(CSS(0),42),SHARED,PCHID=100,TIPE=FC", units, &["179E"]);
    with_channels("CHPID PATH=(CSS(0),42,TYPE=FC", units, &["112E"]);
}

#[test]
fn links_fit_their_channels() {
    let unit = |links: &str| {
        format!(
            "CNTLUNIT CUNUMBR=1000,UNIT=2107,UNITADD=00,CUADD=0,PATH=((CSS(0),40,41),(CSS(1),40,41)){links}"
        )
    };
    with_channels(FC, &unit(""), &["226E"]);
    with_channels(FC, &unit(",LINK=((CSS(0),1104,**),(CSS(1),1104,1105))"), &["226E"]);
    with_channels(FC, &unit(",LINK=((CSS(0),1104,1105))"), &["245E"]);
    with_channels(FC, &unit(",LINK=((CSS(0),1104,1105),(CSS(1),1104))"), &["245E"]);
    with_channels(FC, &unit(",LINK=((CSS(0),00,05),(CSS(1),04,05))"), &["252E"]);
    with_channels(FC, &unit(",LINK=((CSS(0),104,05),(CSS(1),04,05))"), &["126E"]);
    with_channels(FC, &unit(",LINK=((CSS(0),1104,05),(CSS(1),04,05))"), &["255E"]);
    with_channels(UNSWITCHED, &unit(""), &[]);
    with_channels(UNSWITCHED, &unit(",LINK=((CSS(0),**,**),(CSS(1),**,****))"), &[]);
    with_channels(UNSWITCHED, &unit(",LINK=((CSS(0),04,05),(CSS(1),04,05))"), &["253E", "253E"]);
    let osa = "CHPID PATH=(CSS(0),70),SHARED,PCHID=100,TYPE=OSD";
    with_channels(osa, "CNTLUNIT CUNUMBR=7000,UNIT=OSA,PATH=((CSS(0),70)),LINK=((CSS(0),04))", &["229E"]);
}

#[test]
fn control_units_that_meet_are_told_apart() {
    let unit = |number: &str, path: &str, rest: &str| {
        format!("CNTLUNIT CUNUMBR={number},UNIT=2107,UNITADD=00,PATH=((CSS(0),{path})){rest}\n")
    };
    let at = |port: &str, cuadd: &str| format!(",LINK=((CSS(0),{port})){cuadd}");
    let two = |first: &str, second: &str| unit("1000", "40", first) + &unit("1001", "40", second);
    with_channels(FC, &two(&at("04", ",CUADD=0"), &at("04", ",CUADD=1")), &[]);
    with_channels(FC, &two(&at("04", ",CUADD=1"), &at("04", ",CUADD=01")), &["244E"]);
    with_channels(FC, &two(&at("04", ""), &at("04", "")), &["246E"]);
    with_channels(FC, &two(&at("04", ""), &at("04", ",CUADD=0")), &["243E"]);
    with_channels(FC, &two(&at("04", ",CUADD=0"), &at("04", "")), &["243E"]);
    with_channels(UNSWITCHED, &two("", ""), &["225E"]);
    with_channels(UNSWITCHED, &two(",CUADD=0", ""), &["243E"]);
    with_channels(UNSWITCHED, &two(",CUADD=0", ",CUADD=0"), &["248E"]);
    with_channels(UNSWITCHED, &two(",CUADD=0", ",CUADD=1"), &[]);
    let other = unit("1000", "40", &at("04", ",CUADD=0")) + &unit("1001", "41", &at("04", ",CUADD=0"));
    with_channels(FC, &other, &["244E"]);
}

#[test]
fn one_box_may_be_split_over_partitions() {
    let channels = "CHPID PATH=(CSS(0),40),SWITCH=11,PCHID=100,TYPE=FC,PART=A
        CHPID PATH=(CSS(0),41),SWITCH=11,PCHID=104,TYPE=FC,PART=B";
    let unit = |number: &str, path: &str, unit: &str| {
        format!(
            "CNTLUNIT CUNUMBR={number},UNIT={unit},UNITADD=00,CUADD=0,PATH=((CSS(0),{path})),LINK=((CSS(0),04))\n"
        )
    };
    with_channels(channels, &(unit("1000", "40", "2107") + &unit("1001", "41", "2107")), &[]);
    with_channels(FC, &(unit("1000", "40", "FCTC") + &unit("1001", "41", "FCTC")), &[]);
}

#[test]
fn channels_of_one_control_unit_fit_together() {
    let paths = "CNTLUNIT CUNUMBR=1000,UNIT=X,UNITADD=00,PATH=((CSS(0),40,60))";
    let fcp =
        "CHPID PATH=(CSS(0),40),SHARED,PCHID=100,TYPE=FC\nCHPID PATH=(CSS(0),60),SHARED,PCHID=101,TYPE=FCP";
    with_channels(fcp, paths, &["234E"]);
    let mixed =
        "CHPID PATH=(CSS(0),40),SHARED,PCHID=100,TYPE=FC\nCHPID PATH=(CSS(0),60),PART=A,PCHID=101,TYPE=FC";
    with_channels(mixed, paths, &["237E"]);
    let z10 = "ID SYSTEM=(2097,1)\nRESOURCE PART=A,MAXDEV=9
        CHPID PATH=20,SHARED,PCHID=100,TYPE=CNC,SWITCH=01
        CHPID PATH=21,SHARED,PCHID=101,TYPE=FC,SWITCH=02";
    let unit = "CNTLUNIT CUNUMBR=1000,UNIT=X,UNITADD=00,PATH=(20,21),LINK=(04,05)";
    gives_alone(&format!("{z10}\n{unit},CUADD=F"), &[]);
    gives_alone(&format!("{z10}\n{unit},CUADD=10"), &["251E"]);
    gives_alone(&format!("{z10}\n{unit}").replace("LINK=(04,", "LINK=(1104,"), &["252E"]);
}

#[test]
fn a_channel_reaches_so_many_control_units_and_unit_addresses() {
    let fcp = "CHPID PATH=(CSS(0),60),SHARED,PCHID=101,TYPE=FCP
        CNTLUNIT CUNUMBR=6000,UNIT=FCP,PATH=((CSS(0),60))
        CNTLUNIT CUNUMBR=6001,UNIT=FCP,PATH=((CSS(0),60))
        CNTLUNIT CUNUMBR=6002,UNIT=FCP,PATH=((CSS(0),60))";
    gives(fcp, &["235E"]);
    let mut many = FC.to_owned();
    for number in 0..129 {
        let port = 0x10 + number / 16;
        many += &format!(
            "\nCNTLUNIT CUNUMBR={number:04X},UNIT=2107,UNITADD=((00,256)),CUADD={:X},PATH=((CSS(0),40)),LINK=((CSS(0),{port:02X}))",
            number % 16
        );
    }
    gives(&many, &["238E"]);
}

const DISKS: &str = "CNTLUNIT CUNUMBR=1000,UNIT=2107,UNITADD=((00,64)),CUADD=0,PATH=((CSS(0),40),(CSS(1),40)),LINK=((CSS(0),04),(CSS(1),04))
    CNTLUNIT CUNUMBR=1001,UNIT=2107,UNITADD=((00,64)),CUADD=1,PATH=((CSS(0),40),(CSS(1),40)),LINK=((CSS(0),04),(CSS(1),04))";

#[track_caller]
fn with_disks(statements: &str, expected: &[&str]) {
    gives(&format!("{FC}\n{DISKS}\n{statements}"), expected);
}

#[test]
fn devices_are_checked() {
    let device = |rest: &str| format!("IODEVICE UNIT=3390,{rest}");
    with_disks(&device("ADDRESS=(1000,64),CUNUMBR=1000"), &[]);
    with_disks(&device("ADDRESS=(1000,008),CUNUMBR=(1000)"), &[]);
    with_disks(&device("ADDRESS=(FFFF,2),UNITADD=00,CUNUMBR=1000"), &["145E"]);
    with_disks(&device("ADDRESS=(1000,257),CUNUMBR=1000"), &["140E"]);
    with_disks(&device("ADDRESS=(1000,0),CUNUMBR=1000"), &["140E"]);
    with_disks(&device("ADDRESS=(10FF,2),CUNUMBR=1000"), &["300E"]);
    with_disks(&device("ADDRESS=1000,CUNUMBR=(1000,1000)"), &["302E"]);
    with_disks(&device("ADDRESS=(1000,65),CUNUMBR=1000"), &["303E"]);
    with_disks(&device("ADDRESS=1000,CUNUMBR=1002"), &["308E"]);
    with_disks(&device("ADDRESS=1000,CUNUMBR=1000,FEATURE=X"), &["867W"]);
    with_disks(&device("ADDRESS=1000,CUNUMBR=1000,SCHSET=4"), &["140E"]);
    with_disks(&device("ADDRESS=1000,CUNUMBR=1000,SCHSET=((CSS(0),1),(CSS(1),2))"), &[]);
    with_disks(&device("ADDRESS=1000,CUNUMBR=1000,PATH=((CSS(0),40),(CSS(1),40))"), &[]);
    with_disks(&device("ADDRESS=1000,CUNUMBR=1000,PATH=((CSS(0),41))"), &["866E"]);
    with_disks(&device("ADDRESS=1000,CUNUMBR=1000,PART=((CSS(0),A)),NOTPART=((CSS(1),C))"), &["153E"]);
    with_disks(&device("ADDRESS=1000,CUNUMBR=1000,PART=((CSS(0),X))"), &["149E"]);
    with_disks(&device("ADDRESS=1000,CUNUMBR=1000,PART=(A)"), &["165E"]);
}

#[test]
fn an_undefined_control_unit_is_reported_once_and_never_after_control_unit_errors() {
    let devices =
        "IODEVICE UNIT=3390,ADDRESS=3000,CUNUMBR=3000\nIODEVICE UNIT=3390,ADDRESS=3001,CUNUMBR=3000";
    with_disks(devices, &["308E"]);
    with_disks(&format!("CNTLUNIT CUNUMBR=3000\n{devices}"), &["122E", "122E"]);
}

#[test]
fn device_numbers_are_legal_twice_when_nobody_sees_both() {
    let two = |first: &str, second: &str| {
        format!(
            "IODEVICE UNIT=3390,ADDRESS=1000,CUNUMBR=1000,{first}\nIODEVICE UNIT=3390,ADDRESS=1000,CUNUMBR=1001,{second}"
        )
    };
    with_disks(&two("STADET=Y", "STADET=Y"), &["361E"]);
    with_disks(&two("SCHSET=1", "STADET=Y"), &[]);
    with_disks(&two("SCHSET=((CSS(0),1))", "STADET=Y"), &["361E"]);
    with_disks(&two("PART=((CSS(0),A),(CSS(1),0))", "PART=((CSS(0),B),(CSS(1),C))"), &[]);
    with_disks(&two("PART=((CSS(0),A),(CSS(1),0))", "NOTPART=((CSS(0),A))"), &[]);
    with_disks(&two("PART=((CSS(0),A))", "PART=((CSS(0),B))"), &["361E"]);
}

#[test]
fn unit_addresses_are_used_once() {
    let two = "IODEVICE UNIT=3390,ADDRESS=(1000,8),CUNUMBR=1000
        IODEVICE UNIT=3390,ADDRESS=(2000,8),UNITADD=07,CUNUMBR=1000";
    with_disks(two, &["352E"]);
}

#[test]
fn control_units_of_one_device_fit_together() {
    let z10 = "ID SYSTEM=(2097,1)\nRESOURCE PART=(A,B),MAXDEV=9
        CHPID PATH=40,SHARED,PCHID=100,TYPE=FC
        CHPID PATH=41,PART=A,PCHID=101,TYPE=FC
        CHPID PATH=42,SHARED,PCHID=104,TYPE=CTC
        CHPID PATH=20,PART=A,PCHID=105,TYPE=CVC
        CNTLUNIT CUNUMBR=1000,UNIT=X,UNITADD=00,PATH=40
        CNTLUNIT CUNUMBR=1001,UNIT=X,UNITADD=00,PATH=41
        CNTLUNIT CUNUMBR=1002,UNIT=X,UNITADD=00,PATH=42
        CNTLUNIT CUNUMBR=1003,UNIT=X,UNITADD=00,PATH=20";
    let device = |rest: &str| format!("{z10}\nIODEVICE UNIT=X,ADDRESS=1000,{rest}");
    gives_alone(&device("CUNUMBR=(1000,1002)"), &["311E"]);
    gives_alone(&device("CUNUMBR=(1000,1001)"), &["313E"]);
    gives_alone(&device("CUNUMBR=1001,PART=A"), &["315E"]);
    gives_alone(&device("CUNUMBR=1003,SCHSET=1"), &["325E"]);
    gives_alone(&device("CUNUMBR=1001,SCHSET=1"), &[]);
}

#[test]
fn a_device_has_eight_paths_in_a_css() {
    let mut statements = String::new();
    for channel in 0..9 {
        statements += &format!("CHPID PATH=(CSS(0),4{channel}),SHARED,PCHID=10{channel},TYPE=FC\n");
    }
    statements += "CNTLUNIT CUNUMBR=1000,UNIT=X,UNITADD=00,PATH=((CSS(0),40,41,42,43,44))\n";
    statements += "CNTLUNIT CUNUMBR=1001,UNIT=X,UNITADD=00,PATH=((CSS(0),45,46,47,48))\n";
    gives(&format!("{statements}IODEVICE UNIT=X,ADDRESS=1000,CUNUMBR=(1000,1001)"), &["304E"]);
    gives(
        &format!(
            "{statements}CNTLUNIT CUNUMBR=1002,UNIT=X,UNITADD=00,CUADD=1,PATH=((CSS(0),40,41,42,43,44,45,46,47,48))"
        ),
        &["140E"],
    );
}
