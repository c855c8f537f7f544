//! Events on a working link beside the plan that the twin follows: equal information units in equal order.

use std::collections::BTreeMap;
use std::path::Path;

use halftrack_exchange::plan::frame_payload_bytes;
use halftrack_exchange::{Carrier, Login, Plan, PlanKey, Plans, Side};
use halftrack_program::{Grouping, Operation, Positioning, ProgramShape, Protocol};
use halftrack_wire::choices::TRANSPORT_FRAME_PAYLOAD_BYTES;
use halftrack_wire::els::{ElsReply, code};
use halftrack_wire::fc_header::{fc_type, routing};
use halftrack_wire::transport_response::ResponseTimes;
use halftrack_wire::{
    Address, Body, Dib, FcFrame, FcHeader, FrameControl, FrameProtection, Iu, IuKind, TransportPart,
};

use crate::wireshark::captured::Captured;
use crate::wireshark::link::{IOS, Link};

/// Prefix, the first command of every chain of the streams.
const PREFIX: u8 = 0xE7;

/// A sequence: the header of its first frame, its payload, and in how many frames it came.
struct Sequence {
    header: FcHeader,
    octets: Vec<u8>,
    frames: u16,
}

/// Returns the sequences of a capture, in the order of their last frames.
fn sequences(capture: &Path) -> Vec<Sequence> {
    let (mut partial, mut whole) = (BTreeMap::new(), Vec::new());
    for captured in Captured::read(capture).frames {
        let frame = FcFrame::parse(&captured.frame).expect("a sound frame");
        let header = frame.header;
        let key = (captured.interface, header.s_id, header.ox_id, header.seq_id);
        let sequence = partial.entry(key).or_insert(Sequence { header, octets: Vec::new(), frames: 0 });
        sequence.octets.extend_from_slice(frame.payload);
        sequence.frames += 1;
        if header.f_ctl.has(FrameControl::END_SEQUENCE) {
            whole.extend(partial.remove(&key));
        }
    }
    whole
}

/// Returns the results of the ports' logins, and the pacing that the control unit granted.
fn login(sequences: &[Sequence]) -> Login {
    let mut login = Login {
        frame_payload_bytes: 0,
        initial_pacing: 16,
        granted_pacing: 0,
        first_transfer_bytes: 0,
        transfer_ready_bytes: 0,
        carrier: Carrier::Ficon,
        window_bytes: 0,
        protection: FrameProtection::NONE,
    };
    for Sequence { header, octets, .. } in sequences {
        if (header.fc_type, header.r_ctl) == (fc_type::EXTENDED_LINK_SERVICE, routing::ELS_REPLY) {
            if let Ok(ElsReply::Login(parameters)) = ElsReply::parse(code::PLOGI, octets) {
                login.frame_payload_bytes = parameters.class_3_receive_bytes().map_or(0, u32::from);
            }
            if let Ok(ElsReply::ProcessLogin(prli)) = ElsReply::parse(code::PRLI, octets) {
                login.first_transfer_bytes = prli.sb_login().map_or(0, |page| page.first_transfer_bytes());
            }
        }
        if let Some(Dib::Control(control)) = command_mode(header, octets).and_then(|iu| dib(&iu))
            && iu_kind(header, octets) == Some(IuKind::CommandResponse)
        {
            login.granted_pacing = control.parameter[2];
        }
    }
    login
}

fn command_mode(header: &FcHeader, octets: &[u8]) -> Option<Iu> {
    let is_sb = matches!(header.fc_type, fc_type::SB_CHANNEL | fc_type::SB_CONTROL_UNIT);
    is_sb.then(|| Iu::parse_command_mode(octets).ok()).flatten()
}

fn iu_kind(header: &FcHeader, octets: &[u8]) -> Option<IuKind> {
    command_mode(header, octets).map(|iu| iu.kind())
}

fn dib(iu: &Iu) -> Option<Dib> {
    iu.command_mode().map(|fields| fields.dib)
}

/// Returns the exchanges of a capture, each with its sequences: by token in command mode, by exchange id in transport
/// mode.
fn exchanges(sequences: Vec<Sequence>) -> Vec<Vec<Sequence>> {
    let mut open: BTreeMap<(bool, u32), Vec<Sequence>> = BTreeMap::new();
    let mut over = Vec::new();
    for sequence in sequences {
        let (key, ends) = match (sequence.header.fc_type, command_mode(&sequence.header, &sequence.octets)) {
            (fc_type::FCP, _) => {
                ((true, u32::from(sequence.header.ox_id)), sequence.header.r_ctl == routing::STATUS)
            }
            (_, Some(iu)) => ((false, iu.address.token), iu.kind() == IuKind::StatusAccepted),
            _ => continue,
        };
        open.entry(key).or_default().push(sequence);
        if ends {
            over.extend(open.remove(&key));
        }
    }
    assert!(open.is_empty(), "{} exchanges are open at the end", open.len());
    over
}

/// Asserts that the sequences of an exchange are the IUs of `plan`, in each direction in order.
fn assert_same(plan: &Plan, exchange: &[Sequence]) {
    let mut sent: BTreeMap<Side, usize> = BTreeMap::new();
    for sequence in exchange {
        let out = match sequence.header.fc_type {
            fc_type::FCP => !sequence.header.f_ctl.has(FrameControl::RESPONDER),
            other => other == fc_type::SB_CHANNEL,
        };
        let side = if out { Side::Channel } else { Side::ControlUnit };
        let at = sent.entry(side).or_default();
        let planned = plan.ius(side).get(*at).unwrap_or_else(|| panic!("{side:?} sends more than planned"));
        let found = read(sequence, planned);
        assert_eq!(comparable(&found), comparable(planned), "IU {at} of {side:?}");
        assert_eq!(found.data.len(), planned.data.len(), "data of IU {at} of {side:?}");
        assert_eq!(sequence.frames, plan.steps(side)[*at].frames, "frames of IU {at} of {side:?}");
        *at += 1;
    }
    for side in [Side::Channel, Side::ControlUnit] {
        assert_eq!(sent.get(&side).copied().unwrap_or_default(), plan.ius(side).len(), "{side:?}");
    }
}

/// Reads a sequence as what the plan has in its place.
fn read(Sequence { header, octets, .. }: &Sequence, planned: &Iu) -> Iu {
    let part = match (&planned.body, header.r_ctl) {
        (Body::CommandMode(_), _) => return Iu::parse_command_mode(octets).expect("an information unit"),
        (_, routing::COMMAND) => TransportPart::Command,
        (&Body::TransportData { inserted_bytes, ends_transfer, .. }, routing::DATA) => {
            TransportPart::Data { relative_offset: header.parameter, inserted_bytes, ends_transfer }
        }
        (_, routing::DATA_DESCRIPTOR) => TransportPart::TransferReady,
        (_, routing::STATUS) => TransportPart::Response,
        (_, other) => panic!("R_CTL {other:02x} where the plan has {:?}", planned.kind()),
    };
    Iu::parse_transport_mode(part, Address::default(), octets).expect("an information unit")
}

/// Returns the contents of an IU, without the times that a control unit measures.
fn comparable(iu: &Iu) -> Body {
    match iu.body {
        Body::TransportResponse(mut response) => {
            response.times = ResponseTimes::default();
            Body::TransportResponse(response)
        }
        body => body,
    }
}

/// Returns the plan's key of an exchange of the streams, from its first IUs; none for another.
fn key(exchange: &[Sequence], login: Login) -> Option<PlanKey> {
    let first = &exchange[0];
    let (protocol, operation) = if first.header.fc_type == fc_type::FCP {
        let command =
            Iu::parse_transport_mode(TransportPart::Command, Address::default(), &first.octets).ok()?;
        let reads = matches!(command.body, Body::TransportCommand { read: true, .. });
        (Protocol::Transport, if reads { Operation::Read } else { Operation::UpdateWrite })
    } else {
        let commands =
            exchange.iter().filter_map(|sequence| command_mode(&sequence.header, &sequence.octets));
        let codes: Vec<u8> = commands
            .filter_map(|iu| match dib(&iu) {
                Some(Dib::Command(command) | Dib::CommandData(command)) => Some(command.command),
                _ => None,
            })
            .collect();
        if codes.first() != Some(&PREFIX) {
            return None;
        }
        let reads = codes.last().is_some_and(|code| code & 3 == 2);
        (Protocol::Command, if reads { Operation::Read } else { Operation::UpdateWrite })
    };
    let shape = ProgramShape {
        operation,
        record_bytes: 4096,
        records: 1,
        grouping: Grouping::Records,
        positioning: Positioning::Prefix,
    };
    let frame_payload_bytes =
        frame_payload_bytes(protocol, login.frame_payload_bytes, TRANSPORT_FRAME_PAYLOAD_BYTES);
    Some(PlanKey { shape, protocol, hit: true, login: Login { frame_payload_bytes, ..login } })
}

#[test]
fn a_working_link_does_what_the_plan_says_iu_for_iu() {
    let link = Link::make();
    link.serve("formatting.pcapng").drive(&["--format"]);
    let capture = link.serve("link.pcapng").drive(&[]);
    let sequences = sequences(&capture);
    let login = login(&sequences);
    let (mut plans, mut compared, mut others) = (Plans::default(), BTreeMap::new(), 0);
    for exchange in exchanges(sequences) {
        let Some(key) = key(&exchange, login) else {
            others += 1;
            continue;
        };
        let id = plans.record(key).expect("a plan");
        assert_same(&plans[id], &exchange);
        *compared.entry((key.protocol, key.shape.operation)).or_insert(0) += 1;
    }
    assert_eq!(compared.len(), 4, "both protocols, reads and writes: {compared:?}");
    assert_eq!(compared.values().sum::<usize>(), IOS, "{compared:?}, and {others} that are not the streams'");
}
