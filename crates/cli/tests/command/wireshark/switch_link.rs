//! Services between two switches: one frame of each kind.

use halftrack_wire::WorldWideName;
use halftrack_wire::switch_link::{
    DeviceEntry, FabricParameters, LinkParameters, SWITCH_LINK_SERVICE, SwitchAnswer, SwitchLinkService,
    SwitchReject,
};

use crate::wireshark::captured::{Sequence, write_sequences};
use crate::wireshark::tshark::Tshark;

const FABRIC_CONTROLLER: u32 = 0xFF_FFFD;
const SWITCH: WorldWideName = WorldWideName(0x1000_0000_0000_0061);
const PORT: WorldWideName = WorldWideName(0x5005_0763_0000_0030);

fn sequences() -> Vec<Sequence> {
    let link = LinkParameters {
        resource_allocation_timeout_ms: 10_000,
        error_detect_timeout_ms: 2_000,
        port_name: SWITCH,
        switch_name: SWITCH,
        frame_payload_bytes: 2112,
        credit: 90,
    };
    let fabric = FabricParameters { switch_name: SWITCH, domain: 0x61 };
    let entry = DeviceEntry { online: true, address: 0x61_0400, port_name: PORT, node_name: PORT };
    let pairs = [
        (SwitchLinkService::LinkParameters(link), SwitchAnswer::LinkParameters(link)),
        (SwitchLinkService::FabricParameters(fabric), SwitchAnswer::FabricParameters(fabric)),
        (SwitchLinkService::StateChange(vec![entry]), SwitchAnswer::Noted),
        (SwitchLinkService::FabricParameters(fabric), SwitchAnswer::Reject(SwitchReject::DOMAIN_TAKEN)),
    ];
    let mut sequences = Vec::new();
    for (ox_id, (request, answer)) in (0xF000..).zip(pairs) {
        let (mut asked, mut answered) = (Vec::new(), Vec::new());
        request.emit(&mut asked);
        answer.emit(&mut answered);
        let both = [FABRIC_CONTROLLER; 2];
        sequences.push((0x02, SWITCH_LINK_SERVICE, both, ox_id, asked));
        sequences.push((0x03, SWITCH_LINK_SERVICE, both, ox_id, answered));
    }
    sequences
}

#[test]
fn tshark_knows_what_switches_say() {
    let root = tempfile::tempdir().expect("temporary directory");
    let path = root.path().join("switches.pcapng");
    write_sequences(&path, &sequences());
    let Some(tshark) = Tshark::on(&path) else { return };
    tshark.assert_sound();
    let names = tshark.fields("fc.r_ctl == 0x02", &["_ws.col.Info"]);
    assert_eq!(names.iter().map(|name| name.trim()).collect::<Vec<_>>(), ["ELP", "EFP", "SW_RSCN", "EFP"]);
    let answers = tshark.fields("fc.r_ctl == 0x03", &["_ws.col.Info"]);
    let answers: Vec<_> = answers.iter().map(|name| name.trim()).collect();
    assert_eq!(answers[..3], ["SW_ACC (ELP)", "SW_ACC (EFP)", "SW_ACC (SW_RSCN)"]);
    assert!(answers[3].starts_with("SW_RJT"), "{answers:?}");
    let link = tshark.fields(
        "swils.elp.rev",
        &["swils.elp.ratov", "swils.elp.edtov", "swils.elp.cls3rsz", "swils.elp.b2b"],
    );
    assert_eq!(link, ["10000\t2000\t2112\t90"; 2]);
    assert_eq!(tshark.fields("swils.efp.domid", &["swils.efp.domid"]).len(), 3);
    assert_eq!(tshark.fields("swils.rscn.portid", &["swils.rscn.portid"]), ["61.04.00"]);
}
