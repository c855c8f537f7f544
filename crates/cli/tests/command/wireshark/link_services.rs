//! Link services, the name server and link control: one frame of each kind.

use halftrack_wire::ct::{FcTypes, NameReply, NameRequest};
use halftrack_wire::els::{
    Discovery, Els, ElsReply, ExchangeIds, ExchangeStatus, IncidentCode, IncidentPort, IncidentReceiver,
    IncidentRegistration, LinkErrors, LinkIncident, Logout, LsReject, NodeDescriptor, NodeIdentification,
    ProcessLogin, Registration, RejectExplanation, SbLogin, ServicePage, ServiceParameters, StateChange,
    TimeoutValues, code,
};
use halftrack_wire::link_control::{LinkFunction, PathFeatures, RejectReason, RemovedReason};
use halftrack_wire::{LinkControl, WorldWideName};

use crate::wireshark::captured::{Sequence, write_sequences};
use crate::wireshark::decoder::Decoded;
use crate::wireshark::tshark::Tshark;

const CHANNEL: u32 = 0x11_2000;
const CONTROL_UNIT: u32 = 0x11_0400;
const FABRIC_LOGIN: u32 = 0xFF_FFFE;
const NAME_SERVER: u32 = 0xFF_FFFC;
const PORT: WorldWideName = WorldWideName(0xC050_7600_0000_0001);
const NODE: WorldWideName = WorldWideName(0x5005_0763_0000_0030);

fn incident() -> LinkIncident {
    let code = IncidentCode::LossOfSignal;
    LinkIncident {
        incident: IncidentPort { port_name: NODE, node_name: NODE },
        port_type: LinkIncident::N_PORT,
        address: CONTROL_UNIT,
        connected: IncidentPort { port_name: PORT, node_name: NODE },
        fabric_name: NODE,
        physical_port: 4,
        transaction: 9,
        at: (11, 13),
        qualifier: code.severity(),
        code,
    }
}

fn els() -> Vec<Sequence> {
    let parameters = ServiceParameters::class_3(PORT, NODE, 2112, 90);
    let page = ServicePage::sb(SbLogin { first_transfer_4k: 16, initiation_delay_s: 4, flags: 0xC0 });
    let executed = ProcessLogin::new(page.with_response(ServicePage::EXECUTED));
    let descriptor =
        NodeDescriptor { node_type: [0xF0; 6], model: [0xF1; 3], tag: 0x50, ..NodeDescriptor::default() };
    let identification =
        NodeIdentification { port_name: PORT, node_name: NODE, descriptor, takes_process_login: true };
    let discovery = Discovery { hard_address: 0, port_name: PORT, node_name: NODE, address: CHANNEL };
    let registration = IncidentRegistration { receiver: IncidentReceiver::Unconditional, format: 0x1B };
    let ids = ExchangeIds { originator: CHANNEL, ox_id: 7, rx_id: 0xFFFF };
    let state = ExchangeStatus {
        ox_id: 7,
        rx_id: 0xFFFF,
        originator: CHANNEL,
        responder: CONTROL_UNIT,
        received_bytes: 4096,
        status: ExchangeStatus::RESPONDER | ExchangeStatus::INITIATIVE,
    };
    let pairs = [
        (Els::Flogi(parameters), ElsReply::Login(parameters)),
        (Els::Scr(Registration::Full), ElsReply::Accept),
        (Els::Plogi(parameters), ElsReply::Login(parameters)),
        (Els::Rnid(0xDF), ElsReply::NodeIdentification(identification)),
        (Els::Prli(ProcessLogin::new(page)), ElsReply::ProcessLogin(executed.clone())),
        (Els::Echo(vec![7; 64]), ElsReply::Echo(vec![7; 64])),
        (Els::Rscn(StateChange::port(CONTROL_UNIT)), ElsReply::Accept),
        (Els::Prlo(ProcessLogin::new(page)), ElsReply::ProcessLogin(executed)),
        (
            Els::Rls(CONTROL_UNIT),
            ElsReply::LinkErrors(LinkErrors { invalid_crcs: 3, ..LinkErrors::default() }),
        ),
        (Els::Rrq(ids), ElsReply::Accept),
        (Els::Rec(ids), ElsReply::ExchangeStatus(state)),
        (Els::Rtv, ElsReply::TimeoutValues(TimeoutValues::default())),
        (Els::Adisc(discovery), ElsReply::Discovery(discovery)),
        (Els::Lirr(registration), ElsReply::Registered(registration)),
        (Els::Rlir(incident()), ElsReply::Accept),
        (
            Els::Lirr(IncidentRegistration { receiver: IncidentReceiver::Withdrawn, ..registration }),
            ElsReply::Reject(LsReject::new(RejectExplanation::NotSupported)),
        ),
        (Els::Logo(Logout { address: CHANNEL, port_name: PORT }), ElsReply::Accept),
    ];
    let mut sequences = Vec::new();
    for (ox_id, (request, reply)) in (1..).zip(pairs) {
        let (us, them) = match request.code() {
            code::FLOGI => (0, FABRIC_LOGIN),
            _ => (CHANNEL, CONTROL_UNIT),
        };
        sequences.push((0x22, 1, [us, them], ox_id, request.emit()));
        sequences.push((0x23, 1, [them, CHANNEL], ox_id, reply.emit()));
    }
    sequences
}

fn name_server() -> Vec<Sequence> {
    let types = FcTypes::default().with(0x1B);
    let pairs = [
        (NameRequest::RegisterTypes { address: CHANNEL, types }, NameReply::Accept),
        (NameRequest::PortName { address: CONTROL_UNIT }, NameReply::Name(NODE)),
        (
            NameRequest::PortIdsByType { domain: 0, area: 0, fc_type: 0x1B },
            NameReply::PortIds(vec![CHANNEL, CONTROL_UNIT]),
        ),
    ];
    let mut sequences = Vec::new();
    for (ox_id, (request, reply)) in (0x20..).zip(pairs) {
        sequences.push((0x02, 0x20, [CHANNEL, NAME_SERVER], ox_id, request.emit()));
        sequences.push((0x03, 0x20, [NAME_SERVER, CHANNEL], ox_id, reply.emit()));
    }
    sequences
}

fn link_control() -> Vec<Sequence> {
    let mut bitmap = [0; 32];
    bitmap[0] = 0x40;
    let functions = [
        LinkFunction::EstablishPath(PathFeatures::ENHANCED_CRC),
        LinkFunction::PathEstablished(PathFeatures::ENHANCED_CRC),
        LinkFunction::TestInitialization,
        LinkFunction::TestInitializationResult(bitmap),
        LinkFunction::RemovePath,
        LinkFunction::PathRemoved(RemovedReason::NoSuchImage),
        LinkFunction::Reject(RejectReason::PathNotEstablished),
        LinkFunction::Busy,
        LinkFunction::Acknowledge,
    ];
    let sequence = |(ox_id, function): (u16, LinkFunction)| {
        let payload = LinkControl::new(1, 2, function).emit();
        match function.is_request() {
            true => (0x02, 0x1B, [CHANNEL, CONTROL_UNIT], ox_id, payload),
            false => (0x03, 0x1C, [CONTROL_UNIT, CHANNEL], ox_id, payload),
        }
    };
    (0x40..).zip(functions).map(sequence).collect()
}

#[test]
fn tshark_knows_them_by_name() {
    let root = tempfile::tempdir().expect("temporary directory");
    let path = root.path().join("services.pcapng");
    write_sequences(&path, &[els(), name_server(), link_control()].concat());
    let Some(tshark) = Tshark::on(&path) else { return };
    tshark.assert_sound();
    let names = tshark.fields("fc.r_ctl == 0x22", &["_ws.col.Info"]);
    let expected = "FLOGI SCR PLOGI RNID PRLI ECHO RSCN PRLO RLS RRQ REC RTV ADISC LIRR RLIR LIRR LOGO";
    assert_eq!(names.iter().map(|name| name.trim()).collect::<Vec<_>>().join(" "), expected);
    let answers = tshark.fields("fc.r_ctl == 0x23", &["_ws.col.Info"]);
    let withdrawn = expected.split(' ').collect::<Vec<_>>().iter().rposition(|name| *name == "LIRR");
    for (place, (name, answer)) in expected.split(' ').zip(&answers).enumerate() {
        let kind = if Some(place) == withdrawn { "LS_RJT" } else { "ACC" };
        assert_eq!(answer.trim(), format!("{kind} ({name})"));
    }
    let logins = tshark.fields(
        "fcels.opcode == 0x04",
        &["fcels.npname", "fcels.fnname", "fcels.logi.b2b", "fcels.logi.rcvsize"],
    );
    assert_eq!(logins.len(), 1);
    let words = ["c0:50:76:00:00:00:00:01", "50:05:07:63:00:00:00:30", "90", "2112"];
    assert!(words.iter().all(|word| logins[0].contains(word)), "{logins:?}");
    let asked = tshark.fields("fcdns", &["_ws.col.Info"]);
    let asked: Vec<&str> = asked.iter().map(|info| info.trim()).collect();
    assert_eq!(asked, ["RFT_ID", "ACC (RFT_ID)", "GPN_ID", "ACC (GPN_ID)", "GID_FT", "ACC (GID_FT)"]);
    let functions = tshark.fields("fcsb3.linkctlfn", &["_ws.col.Info", "fcsb3.chid", "fcsb3.cuid"]);
    let expected = ["ELP", "LPE", "TIN", "TIR", "RLP", "LPR", "LRJ", "LBY", "LACK"];
    for (line, name) in functions.iter().zip(expected) {
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(words, ["Link", "Control:", name, "1", "2"], "{line}");
    }
    assert_eq!(functions.len(), expected.len());
    assert_eq!(tshark.fields("fcsb3.lprcode", &["fcsb3.lprcode"]), ["4"]);
    assert_eq!(tshark.fields("fcsb3.lrjcode", &["fcsb3.lrjcode"]), ["0x06"]);
}

#[test]
fn the_decoder_accepts_them() {
    let root = tempfile::tempdir().expect("temporary directory");
    let path = root.path().join("services.pcapng");
    write_sequences(&path, &[els(), name_server(), link_control()].concat());
    let Some(decoded) = Decoded::of(&path) else { return };
    decoded.assert_sound();
    for name in ["FLOGI", "LS_ACC (FLOGI)", "LS_RJT (LIRR)", "common transport", "ELP", "LPE", "TIR", "LRJ"] {
        let expected = if name == "common transport" { 6 } else { 1 };
        assert_eq!(decoded.count(&format!("  {name}")), expected, "{name} in:\n{}", decoded.text);
    }
}
