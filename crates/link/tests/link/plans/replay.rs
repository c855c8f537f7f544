//! Exchanges between two ports, put together from the frames of a capture.

use std::collections::BTreeMap;

use halftrack_exchange::sequence::{Received, Sequence, SequenceReceiver};
use halftrack_exchange::{Plan, Side};
use halftrack_program::{Operation, Protocol};
use halftrack_wire::capture::CaptureReader;
use halftrack_wire::command_iu::CommandIuView;
use halftrack_wire::fc_header::{FcHeader, fc_type, routing};
use halftrack_wire::{Address, Body, Dib, FcFrame, Iu, TransportPart};

/// Longer than any sequence.
const MOST_BYTES: usize = 1 << 24;

/// One sequence of a capture.
struct CapturedSequence {
    side: Side,
    header: FcHeader,
    octets: Vec<u8>,
    /// Octets of the payload of each of its frames.
    frames: Vec<usize>,
    /// Whole sequences of the other side before its first frame.
    received_before: usize,
}

/// All sequences of one exchange, or exchange pair.
pub struct Conversation {
    protocol: Protocol,
    sequences: Vec<CapturedSequence>,
}

/// A sequence in progress.
#[derive(Default)]
struct Open {
    receiver: SequenceReceiver,
    frames: Vec<usize>,
    received_before: usize,
}

impl Conversation {
    /// Returns the conversations of a capture, link control and logins left out.
    pub fn all_of(file: &[u8]) -> Vec<Conversation> {
        let mut reader = CaptureReader::new(file).unwrap();
        let mut conversations: Vec<Conversation> = Vec::new();
        // The exchange pair of command mode by address and token, and of each one-way exchange; transport mode by OX_ID.
        let mut pairs: BTreeMap<Address, usize> = BTreeMap::new();
        let mut exchanges: BTreeMap<(u32, u16, u8), usize> = BTreeMap::new();
        let mut open: BTreeMap<(u32, u16, u8), Open> = BTreeMap::new();
        while let Some(captured) = reader.next_frame().unwrap() {
            let frame = FcFrame::parse(&captured.frame).unwrap();
            let header = frame.header;
            let channel = if reader.interface_name(captured.interface).ends_with(" in") {
                header.d_id
            } else {
                header.s_id
            };
            let side = if channel == header.s_id { Side::Channel } else { Side::ControlUnit };
            let key = match header.fc_type {
                fc_type::SB_CHANNEL | fc_type::SB_CONTROL_UNIT => (header.s_id, header.ox_id, 0x1B),
                fc_type::FCP => (channel, header.ox_id, fc_type::FCP),
                _ => continue,
            };
            if header.seq_cnt == 0 {
                let protocol = if key.2 == fc_type::FCP { Protocol::Transport } else { Protocol::Command };
                let opens = || Conversation { protocol, sequences: Vec::new() };
                let command = (header.fc_type, header.r_ctl) == (fc_type::FCP, routing::COMMAND);
                let place = match address_of(&frame) {
                    Some(address) => *pairs.entry(address).or_insert_with(|| {
                        conversations.push(opens());
                        conversations.len() - 1
                    }),
                    None if command => {
                        conversations.push(opens());
                        conversations.len() - 1
                    }
                    None if key.2 == fc_type::FCP => exchanges[&key],
                    None => continue,
                };
                exchanges.insert(key, place);
            }
            let Some(&place) = exchanges.get(&key) else { continue };
            let sequences = &mut conversations[place].sequences;
            let open = open.entry((header.s_id, header.ox_id, key.2)).or_default();
            if header.seq_cnt == 0 {
                open.frames.clear();
                open.received_before = sequences.iter().filter(|sequence| sequence.side != side).count();
            }
            open.frames.push(frame.payload.len());
            if let Received::Whole(sequence) = open.receiver.take(&frame, MOST_BYTES).unwrap() {
                let (frames, received_before) = (std::mem::take(&mut open.frames), open.received_before);
                let header = sequence.header;
                sequences.push(CapturedSequence {
                    side,
                    header,
                    octets: whole(sequence),
                    frames,
                    received_before,
                });
            }
        }
        conversations
    }

    /// Returns whether it carries the program of `plan`, wherever on the volume that goes.
    pub fn is_of(&self, plan: &Plan) -> bool {
        if self.protocol != plan.key.protocol {
            return false;
        }
        let sequences: Vec<&CapturedSequence> =
            self.sequences.iter().filter(|sequence| sequence.side == Side::Channel).collect();
        match (self.protocol, sequences.first()) {
            (Protocol::Transport, Some(first)) => {
                let writes = plan.key.shape.operation == Operation::UpdateWrite;
                matches!(first.iu(None).body, Body::TransportCommand { write, .. } if write == writes)
            }
            (Protocol::Command, Some(_)) => {
                let ius: Vec<Iu> = sequences.iter().map(|sequence| sequence.iu(None)).collect();
                commands(&ius) == commands(&plan.outbound_ius)
            }
            (_, None) => false,
        }
    }

    /// Fails unless it is the plan, information unit for information unit.
    pub fn assert_follows(&self, plan: &Plan, frame_payload_bytes: u32) {
        for side in [Side::Channel, Side::ControlUnit] {
            let (steps, planned) = (plan.steps(side), plan.ius(side));
            let ius = self.ius(side, plan);
            let kinds = |ius: &[Iu]| ius.iter().map(Iu::kind).collect::<Vec<_>>();
            assert_eq!(kinds(&ius), kinds(planned), "{side:?}");
            let sequences = self.sequences.iter().filter(|sequence| sequence.side == side);
            for (((iu, sequence), step), planned) in ius.iter().zip(sequences).zip(steps).zip(planned) {
                assert_eq!(iu.body, planned.body);
                assert_eq!((iu.payload_bytes(), iu.data_bytes()), (step.payload_bytes, step.data_bytes));
                assert_eq!(iu.data.len(), planned.data.len());
                let (last, full) = sequence.frames.split_last().unwrap();
                assert!(
                    full.iter().all(|bytes| *bytes == frame_payload_bytes as usize),
                    "{:?}",
                    sequence.frames
                );
                assert_eq!(
                    (sequence.frames.len(), *last),
                    (usize::from(step.frames), usize::from(step.last_frame_bytes))
                );
                assert!(
                    sequence.received_before >= usize::from(step.after_received),
                    "{:?} came early",
                    step.kind
                );
            }
        }
    }

    /// Returns the IUs of a side, with the description of transferred data that the plan has.
    fn ius(&self, side: Side, plan: &Plan) -> Vec<Iu> {
        let sequences = self.sequences.iter().filter(|sequence| sequence.side == side);
        let planned = plan.ius(side).iter().map(Some).chain(std::iter::repeat(None));
        sequences.zip(planned).map(|(sequence, planned)| sequence.iu(planned)).collect()
    }
}

impl CapturedSequence {
    fn iu(&self, planned: Option<&Iu>) -> Iu {
        let part = match (self.header.fc_type, self.header.r_ctl) {
            (fc_type::SB_CHANNEL | fc_type::SB_CONTROL_UNIT, _) => {
                return Iu::parse_command_mode(&self.octets).unwrap();
            }
            (_, routing::COMMAND) => TransportPart::Command,
            (_, routing::DATA_DESCRIPTOR) => TransportPart::TransferReady,
            (_, routing::STATUS) => TransportPart::Response,
            (_, routing::DATA) => {
                let Some(Body::TransportData { inserted_bytes, ends_transfer, .. }) =
                    planned.map(|iu| iu.body)
                else {
                    panic!("data where the plan has {planned:?}")
                };
                TransportPart::Data { relative_offset: self.header.parameter, inserted_bytes, ends_transfer }
            }
            other => panic!("{other:?} is not part of an exchange without faults"),
        };
        Iu::parse_transport_mode(part, Address::default(), &self.octets).unwrap()
    }
}

/// Address and token of a device-level command-mode IU that begins with this frame.
fn address_of(frame: &FcFrame<'_>) -> Option<Address> {
    let sb = matches!(frame.header.fc_type, fc_type::SB_CHANNEL | fc_type::SB_CONTROL_UNIT);
    let view = CommandIuView::new(frame.payload).ok().filter(|_| sb)?;
    view.dib().is_ok().then(|| view.address())
}

fn whole(sequence: Sequence<'_>) -> Vec<u8> {
    match sequence.header.fc_type {
        fc_type::FCP if sequence.header.r_ctl != routing::COMMAND => sequence.into_octets(),
        fc_type::FCP => joined(sequence.split::<12>()),
        _ => joined(sequence.split::<32>()),
    }
}

fn joined<const N: usize>(parts: Option<([u8; N], Vec<u8>)>) -> Vec<u8> {
    let (head, rest) = parts.expect("an IU with its head");
    [&head[..], &rest].concat()
}

/// Returns the command codes of a chain.
fn commands(ius: &[Iu]) -> Vec<u8> {
    let dibs = ius.iter().filter_map(|iu| iu.command_mode().map(|fields| fields.dib));
    dibs.filter_map(|dib| match dib {
        Dib::Command(command) | Dib::CommandData(command) => Some(command.command),
        Dib::Data | Dib::Status(_) | Dib::Control(_) => None,
    })
    .collect()
}
