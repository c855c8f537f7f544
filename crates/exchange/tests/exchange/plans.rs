//! Plans as the machines give them when recorded: nothing here is written down in the product.

use crate::common::{LOGIN, key, read, write};
use halftrack_exchange::{
    ChannelHalf, ChannelOutcome, ControlUnitHalf, Delay, Login, Plan, PlanError, PlanKey, Plans, Side, Step,
};
use halftrack_program::{Grouping, Positioning, ProgramShape, Protocol};
use halftrack_wire::IuKind;
use halftrack_wire::choices::COMMAND_FRAME_PAYLOAD_BYTES;

fn record(key: PlanKey) -> Plan {
    let mut plans = Plans::default();
    let id = plans.record(key).unwrap();
    plans[id].clone()
}

fn command(shape: ProgramShape) -> Plan {
    record(key(shape, Protocol::Command))
}

fn transport(shape: ProgramShape) -> Plan {
    record(key(shape, Protocol::Transport))
}

fn kinds(steps: &[Step]) -> Vec<IuKind> {
    steps.iter().map(|step| step.kind).collect()
}

fn counts(plan: &Plan) -> (usize, usize) {
    (plan.outbound.len(), plan.inbound.len())
}

fn count(steps: &[Step], kind: IuKind) -> usize {
    steps.iter().filter(|step| step.kind == kind).count()
}

#[test]
fn prefix_and_read_data_of_4k_is_three_and_three() {
    let plan = command(read(4096, 1));
    assert_eq!(kinds(&plan.outbound), [IuKind::CommandData, IuKind::Command, IuKind::StatusAccepted]);
    assert_eq!(kinds(&plan.inbound), [IuKind::CommandResponse, IuKind::Data, IuKind::Status]);
    // Reference section 6.4: seven frames with 2112-byte payloads, eight with 2048.
    assert_eq!(plan.frames(Side::Channel) + plan.frames(Side::ControlUnit), 8);
    let login = Login { frame_payload_bytes: 2112, ..LOGIN };
    let large = record(PlanKey { login, ..plan.key });
    assert_eq!(large.frames(Side::Channel) + large.frames(Side::ControlUnit), 7);
    let data = large.inbound[1];
    assert_eq!((data.payload_bytes, data.frames, data.last_frame_bytes), (4132, 2, 2020));
}

#[test]
fn one_round_trip_for_a_read() {
    let plan = command(read(4096, 1));
    let edges = |steps: &[Step]| steps.iter().map(|step| step.after_received).collect::<Vec<_>>();
    assert_eq!(edges(&plan.outbound), [0, 0, 3]);
    assert_eq!(edges(&plan.inbound), [2, 2, 2]);
    assert_eq!(plan.first_response().unwrap().kind, IuKind::CommandResponse);
    assert_eq!(plan.opening_ius(), 2);
}

#[test]
fn transport_read_of_4k_is_one_and_two() {
    let plan = transport(read(4096, 1));
    assert_eq!(kinds(&plan.outbound), [IuKind::TransportCommand]);
    assert_eq!(kinds(&plan.inbound), [IuKind::TransportData, IuKind::TransportResponse]);
    assert_eq!(plan.outbound[0].payload_bytes, 108);
    assert_eq!(plan.frames(Side::Channel) + plan.frames(Side::ControlUnit), 5);
    let login = Login { frame_payload_bytes: 2112, ..LOGIN };
    let large = record(PlanKey { login, ..plan.key });
    assert_eq!(large.frames(Side::Channel) + large.frames(Side::ControlUnit), 4);
}

#[test]
fn define_extent_and_locate_record_are_one_more() {
    let shape = ProgramShape { positioning: Positioning::DefineExtentLocateRecord, ..read(4096, 1) };
    assert_eq!(counts(&command(shape)), (4, 3));
}

/// Reference section 6.4: "when the chain has n reads, add n-1 command IUs and n-1 data IUs; there is still one
/// CMR and one ending status".
#[test]
fn each_further_read_adds_one_iu_each_way() {
    for records in 1..=15 {
        let plan = command(read(4096, records));
        assert_eq!(counts(&plan), (usize::from(records) + 2, usize::from(records) + 2));
        assert_eq!(count(&plan.inbound, IuKind::CommandResponse), 1);
        assert_eq!(count(&plan.inbound, IuKind::Status), 1);
    }
}

#[test]
fn each_further_write_adds_one_iu_out_only() {
    for records in 1..=15 {
        let plan = command(write(4096, records));
        assert_eq!(counts(&plan), (usize::from(records) + 2, 2));
        assert_eq!(plan.opening_ius(), usize::from(records) + 1);
    }
}

#[test]
fn a_record_longer_than_an_iu_takes_more_of_them() {
    let command = |shape| {
        let login = Login { frame_payload_bytes: COMMAND_FRAME_PAYLOAD_BYTES, ..LOGIN };
        record(PlanKey { login, ..key(shape, Protocol::Command) })
    };
    let plan = command(read(27_998, 1));
    let data: Vec<_> = plan.inbound[1..5].iter().map(|step| step.data_bytes).collect();
    assert_eq!(data, [8192, 8192, 8192, 3422]);
    assert_eq!(counts(&plan), (3, 6));
    assert!(plan.inbound.iter().all(|step| step.frames <= 4), "an IU is at most four frames");
    assert_eq!(counts(&command(write(27_998, 1))), (6, 2));
}

#[test]
fn records_of_a_track_in_one_ccw_save_commands() {
    let midaw = ProgramShape { grouping: Grouping::Midaw, ..read(4096, 32) };
    let plan = command(midaw);
    // 12 + 12 + 8 records on three tracks: 49,152 bytes are six IUs, 32,768 four.
    assert_eq!(count(&plan.outbound, IuKind::Command), 3);
    assert_eq!(count(&plan.inbound, IuKind::Data), 6 + 6 + 4);
    assert_eq!(plan.data_bytes(), 131_072);
}

#[test]
fn a_full_window_waits_for_a_command_response() {
    let plan = command(read(4096, 32));
    let waits: Vec<_> = plan.outbound.iter().take(33).map(|step| step.after_received).collect();
    assert!(waits[..16].iter().all(|after| *after == 0));
    // The first response lets numbers 17 and 18 go, and number 18, which fills the window, requests the next.
    assert_eq!(&waits[16..18], [1, 1]);
    let second = plan.inbound.iter().rposition(|step| step.kind == IuKind::CommandResponse).unwrap();
    assert!(waits[18..].iter().all(|after| usize::from(*after) == second + 1));
    assert_eq!(count(&plan.inbound, IuKind::CommandResponse), 2);
}

#[test]
fn a_granted_window_lets_the_rest_go_at_once() {
    let login = Login { granted_pacing: 64, ..LOGIN };
    let plan = record(PlanKey { login, ..key(write(4096, 32), Protocol::Command) });
    assert_eq!(count(&plan.inbound, IuKind::CommandResponse), 1);
    assert!(plan.outbound[16..33].iter().all(|step| step.after_received == 1));
    let remembered = Login { initial_pacing: 64, ..login };
    let plan = record(PlanKey { login: remembered, ..plan.key });
    assert_eq!(plan.opening_ius(), 33);
}

/// Reference section 4: a write takes two round trips with transfer-ready, one when the first is disabled.
#[test]
fn transfer_ready_is_asked_for_unless_disabled() {
    let plan = transport(write(4096, 1));
    assert_eq!(kinds(&plan.outbound), [IuKind::TransportCommand, IuKind::TransportData]);
    assert_eq!(kinds(&plan.inbound), [IuKind::TransferReady, IuKind::TransportResponse]);
    assert_eq!((plan.outbound[1].after_received, plan.inbound[1].after_received), (1, 2));
    let login = Login { first_transfer_bytes: 65_536, transfer_ready_bytes: 65_536, ..LOGIN };
    let plan = record(PlanKey { login, ..plan.key });
    assert_eq!(kinds(&plan.outbound), [IuKind::TransportCommand, IuKind::TransportData]);
    assert_eq!(kinds(&plan.inbound), [IuKind::TransportResponse]);
    assert_eq!(plan.opening_ius(), 2);
    let plan = record(PlanKey { login, ..key(write(4096, 48), Protocol::Transport) });
    assert_eq!(count(&plan.outbound, IuKind::TransportData), 3);
    assert_eq!(count(&plan.inbound, IuKind::TransferReady), 2);
    assert_eq!(plan.data_bytes(), 48 * 4096);
}

/// The published mean frame sizes of zHPF reads (fex32s-2023, Figure 12).
#[test]
fn mean_frame_sizes_of_zhpf_reads() {
    for (records, published) in [(1, 1083.0), (32, 2023.0), (128, 2068.0)] {
        let mean = transport(read(4096, records)).mean_frame_bytes(Side::ControlUnit);
        assert!((mean / published - 1.0).abs() < 0.01, "{records} records: {mean} against {published}");
    }
}

#[test]
fn delays_stand_where_the_data_are_waited_for() {
    for (hit, delay) in [(true, Delay::Cache), (false, Delay::Staging)] {
        for protocol in [Protocol::Command, Protocol::Transport] {
            for (shape, kinds) in [
                (read(4096, 3), [IuKind::Data, IuKind::TransportData]),
                (write(4096, 3), [IuKind::Status, IuKind::TransportResponse]),
            ] {
                let plan = record(PlanKey { hit, ..key(shape, protocol) });
                let delayed: Vec<_> = plan.inbound.iter().filter(|step| step.delay != Delay::None).collect();
                assert_eq!(delayed.len(), 1);
                assert_eq!((delayed[0].delay, delayed[0].kind), (delay, kinds[protocol as usize]));
                assert!(plan.outbound.iter().all(|step| step.delay == Delay::None));
            }
        }
    }
}

#[test]
fn work_is_counted_once_a_program_command_and_unit_with_data() {
    let plan = command(read(4096, 8));
    let sum = |steps: &[Step]| {
        steps.iter().map(|step| step.send).reduce(|sum, work| sum.plus(work)).unwrap_or_default()
    };
    let outbound = sum(&plan.outbound);
    assert_eq!((outbound.programs, outbound.commands, outbound.units), (1, 9, 0));
    let inbound = sum(&plan.inbound);
    assert_eq!((inbound.programs, inbound.commands, inbound.units), (0, 0, 8));
    assert_eq!(inbound.data_bytes, 8 * 4096);
}

#[test]
fn in_transport_mode_the_router_is_set_up_for_all_data_with_the_command() {
    for shape in [read(4096, 8), write(4096, 8)] {
        let plan = transport(shape);
        let command = plan.outbound[0].send;
        assert_eq!((command.programs, command.commands, command.units), (1, 1, 0));
        assert_eq!(command.data_bytes, 8 * 4096);
        let rest = plan.outbound[1..].iter().chain(&plan.inbound);
        assert!(rest.clone().count() > 0);
        assert!(rest.into_iter().all(|step| step.send.data_bytes == 0 && step.receive.data_bytes == 0));
    }
}

#[test]
fn a_plan_moves_the_data_of_its_shape() {
    for shape in [read(4096, 32), write(4096, 32), read(27_998, 6), write(27_998, 6), write(4095, 14)] {
        for protocol in [Protocol::Command, Protocol::Transport] {
            let plan = record(key(shape, protocol));
            assert_eq!(plan.data_bytes(), u64::from(shape.data_bytes()));
            let payload: u64 =
                plan.inbound.iter().chain(&plan.outbound).map(|step| u64::from(step.payload_bytes)).sum();
            let frames = u64::from(plan.frames(Side::Channel) + plan.frames(Side::ControlUnit));
            let wire = plan.wire_bytes(Side::Channel) + plan.wire_bytes(Side::ControlUnit);
            assert_eq!(wire, payload + 36 * frames);
        }
    }
}

#[test]
fn every_recorded_iu_has_octets_of_its_step() {
    for shape in [read(27_998, 6), write(4096, 32)] {
        for protocol in [Protocol::Command, Protocol::Transport] {
            let plan = record(key(shape, protocol));
            for side in [Side::Channel, Side::ControlUnit] {
                for (iu, step) in plan.ius(side).iter().zip(plan.steps(side)) {
                    assert_eq!(iu.emit().unwrap().len() as u32, step.payload_bytes, "{:?}", step.kind);
                }
            }
        }
    }
}

#[test]
fn recording_is_idempotent_and_refuses_what_is_no_program() {
    let mut plans = Plans::default();
    let first = plans.record(key(read(4096, 1), Protocol::Command)).unwrap();
    let second = plans.record(key(read(4096, 2), Protocol::Command)).unwrap();
    assert_ne!(first, second);
    assert_eq!(plans.record(key(read(4096, 1), Protocol::Command)), Ok(first));
    assert_eq!((plans.len(), plans.find(&plans[second].key)), (2, Some(second)));
    let empty = plans.record(key(read(4096, 0), Protocol::Command));
    assert!(matches!(empty, Err(PlanError::Program(_))));
    let long = plans.record(key(read(65_535, 1), Protocol::Transport));
    assert!(matches!(long, Err(PlanError::Program(_))));
    assert_eq!(plans.len(), 2);
}

#[test]
fn plans_are_shared_and_halves_are_small() {
    fn shared<T: Send + Sync>() {}
    shared::<Plans>();
    assert!(size_of::<ChannelHalf>() <= 16);
    assert!(size_of::<ControlUnitHalf>() <= 16);
    let ended = command(read(4096, 1)).channel_outcome;
    assert!(matches!(ended, ChannelOutcome::Ended { device_status: 0x0C, last_command: 2, .. }));
}
