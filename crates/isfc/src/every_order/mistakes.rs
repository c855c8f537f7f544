//! Ends with a mistake, each of which the search finds.

use super::*;
use crate::device::{Program, Writing};

/// Case with losses.
const LOSS: Case = Case {
    devices: 1,
    blocks: [1, 1],
    losses: 1,
    returns: true,
    starts: 0,
    corruptions: 0,
    send_bytes: 8,
    late_attention: false,
    is_up: true,
};

/// Returns the block of the Write in progress at a device.
fn block_in_flight(end: &End, device: DeviceNumber) -> Option<u64> {
    match end.devices.iter().find(|one| one.number == device)?.program {
        Some(Program::Write(Writing::Numbered(sequence, ..))) => Some(sequence),
        _ => None,
    }
}

fn device_of(end: &mut End, device: DeviceNumber) -> &mut crate::device::Device {
    end.devices.iter_mut().find(|one| one.number == device).expect("the device is in the link")
}

/// Defines the handling of events by an end with a mistake, and the test that the search finds it.
macro_rules! mistaken {
    ($name:ident, $test:ident, $expected:literal, $case:expr, $($body:item)+) => {
        struct $name;

        impl Handling for $name {
            $($body)+
        }

        #[test]
        #[should_panic(expected = $expected)]
        fn $test() {
            Search::<$name>::new($case).visit();
        }
    };
}

mistaken!(
    ForgetsCollided,
    an_end_that_does_not_queue_a_block_again_after_a_collision_is_found,
    "nothing goes on before all is delivered",
    Case { losses: 0, ..LOSS },
    fn ended(end: &mut End, device: DeviceNumber, ending: ProgramEnd) {
        let block = block_in_flight(end, device);
        let is_busy = ending.status.contains(DeviceStatus::BUSY);
        end.program_ended(device, ending, Time::ZERO);
        if let Some(sequence) = block.filter(|_| is_busy) {
            end.outbound.next();
            end.outbound.start(sequence, device);
            end.outbound.end(sequence);
        }
    }
);

mistaken!(
    ForgetsInFlight,
    an_end_that_does_not_queue_a_block_again_after_a_loss_is_found,
    "nothing goes on before all is delivered",
    LOSS,
    fn lost(end: &mut End, device: DeviceNumber) {
        let block = block_in_flight(end, device);
        end.lost(device);
        if let Some(sequence) = block {
            end.outbound.start(sequence, device);
            end.outbound.end(sequence);
        }
    }
);

mistaken!(
    HidesLosses,
    an_end_that_does_not_report_what_it_has_lost_is_found,
    "nothing goes on before all is delivered",
    LOSS,
    fn lost(end: &mut End, device: DeviceNumber) {
        end.lost(device);
        end.losses.clear();
    }
);

mistaken!(
    TakesDuplicates,
    an_end_that_takes_duplicates_is_found,
    "an octet is lost or comes twice",
    Case { devices: 2, returns: false, ..LOSS },
    fn ended(end: &mut End, device: DeviceNumber, ending: ProgramEnd) {
        if let Received::Block(Block { header: Header { kind: Kind::Data, sequence, offset, .. }, .. }) =
            ending.received
            && sequence < end.inbound.expected
        {
            end.inbound.expected = sequence;
            end.inbound.streams.insert(STREAM, offset);
        }
        end.program_ended(device, ending, Time::ZERO);
    }
);

mistaken!(
    Overtakes,
    an_end_that_delivers_blocks_as_they_come_is_found,
    "an octet is lost or comes twice",
    Case { devices: 3, blocks: [2, 0], losses: 0, ..LOSS },
    fn ended(end: &mut End, device: DeviceNumber, ending: ProgramEnd) {
        if let Received::Block(Block { header: Header { kind: Kind::Data, sequence, offset, .. }, .. }) =
            ending.received
        {
            end.inbound.expected = sequence;
            end.inbound.streams.insert(STREAM, offset);
        }
        end.program_ended(device, ending, Time::ZERO);
    }
);

mistaken!(
    IgnoresAttention,
    an_end_that_does_not_read_after_attention_is_found,
    "nothing goes on before all is delivered",
    Case { losses: 0, is_up: false, ..LOSS },
    fn attention(end: &mut End, device: DeviceNumber) {
        end.attention(device);
        device_of(end, device).has_inbound = false;
    }
);

mistaken!(
    IgnoresInbound,
    an_end_that_writes_again_before_it_reads_after_a_collision_is_found,
    "a run is endless",
    Case { losses: 0, ..LOSS },
    fn ended(end: &mut End, device: DeviceNumber, ending: ProgramEnd) {
        end.program_ended(device, ending, Time::ZERO);
        device_of(end, device).has_inbound = false;
    }
);

mistaken!(
    Spins,
    an_end_that_does_not_wait_for_a_partner_that_is_not_ready_is_found,
    "a run is endless",
    Case { is_up: false, losses: 0, ..LOSS },
    fn ended(end: &mut End, device: DeviceNumber, ending: ProgramEnd) {
        end.program_ended(device, ending, Time::ZERO);
        device_of(end, device).not_ready = None;
    }
);

mistaken!(
    LeavesReads,
    an_end_that_leaves_a_read_of_the_partner_waiting_is_found,
    "nothing goes on before all is delivered",
    Case { is_up: false, late_attention: true, losses: 0, ..LOSS },
    fn ended(end: &mut End, device: DeviceNumber, ending: ProgramEnd) {
        end.program_ended(device, ending, Time::ZERO);
        device_of(end, device).partner_reads = false;
    }
);

mistaken!(
    TakesOldBlocks,
    an_end_that_takes_blocks_for_its_last_incarnation_is_found,
    "an octet is lost or comes twice",
    Case { blocks: [2, 2], losses: 0, starts: 1, ..LOSS },
    fn ended(end: &mut End, device: DeviceNumber, mut ending: ProgramEnd) {
        if let Received::Block(block) = &mut ending.received
            && block.header.kind == Kind::Data
        {
            let partner = crate::end::Partner {
                system: "VMA".parse().unwrap(),
                collection: "CSC".parse().unwrap(),
                level: Level::SIXTEEN_DEVICES,
                incarnation: block.header.sender,
            };
            if end.settings().system.to_string() == "VMB" {
                end.partner.get_or_insert(partner);
                block.header.receiver = end.settings().incarnation;
                end.inbound.expected = block.header.sequence;
                end.inbound.streams.insert(STREAM, block.header.offset);
            }
        }
        end.program_ended(device, ending, Time::ZERO);
    }
);

mistaken!(
    NeverConfirms,
    an_end_that_owes_confirmations_is_found,
    "nothing goes on before all is acknowledged",
    Case { blocks: [4, 0], send_bytes: 2, losses: 0, ..LOSS },
    fn order(end: &mut End) -> Option<Order> {
        end.owes_report = false;
        end.poll_order(Time::ZERO)
    }
);
