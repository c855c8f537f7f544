//! The dialogue of ESCON and of the parallel interface: the plans of its machines, and that it always ends.

use crate::common::{IDENTITY, LOGIN, any_circuit_key, key, read, write};
use crate::runs::record;
use halftrack_base::{Span, Time};
use halftrack_exchange::rig::{RigOptions, Transcript, run};
use halftrack_exchange::{
    BusyKind, Carrier, Cause, ChannelOutcome, ControlUnitOutcome, Delay, Login, Plan, PlanKey, Side, Step,
};
use halftrack_program::{Positioning, ProgramShape, Protocol};
use halftrack_wire::IuKind;
use halftrack_wire::choices::CONTROL_UNIT_TIMEOUT_US;
use proptest::prelude::*;

/// The receive buffer of an ESCON channel (ficon-2002: droop from 9 km at 17 MB/s).
const BUFFER_BYTES: u32 = 1530;

fn escon(shape: ProgramShape) -> PlanKey {
    let login = Login { carrier: Carrier::Escon, window_bytes: BUFFER_BYTES, ..LOGIN };
    PlanKey { login, ..key(shape, Protocol::Command) }
}

fn by_locate_record(shape: ProgramShape) -> ProgramShape {
    ProgramShape { positioning: Positioning::DefineExtentLocateRecord, ..shape }
}

fn plan(key: PlanKey) -> Plan {
    let (plans, id) = record(key);
    plans[id].clone()
}

/// Returns the time at which the channel has the ending status over a link of `one_way` a trip. Each step takes `byte`
/// for a byte of data at its sender and nothing else.
fn status_at(plan: &Plan, one_way: Span, byte: Span) -> Span {
    let mut arrivals = [Vec::new(), Vec::new()];
    let mut sent = [0_usize; 2];
    let mut free = [Span::ZERO; 2];
    loop {
        let mut moved = false;
        for (at, side) in [Side::Channel, Side::ControlUnit].into_iter().enumerate() {
            while let Some(step) = plan.steps(side).get(sent[at]) {
                let needs = usize::from(step.after_received);
                let Some(ready) =
                    (if needs == 0 { Some(Span::ZERO) } else { arrivals[1 - at].get(needs - 1).copied() })
                else {
                    break;
                };
                free[at] = free[at].max(ready) + byte * u64::from(step.payload_bytes);
                arrivals[at].push(free[at] + one_way);
                sent[at] += 1;
                moved = true;
            }
        }
        if !moved {
            return arrivals[1].last().copied().unwrap_or_default();
        }
    }
}

fn trips(plan: &Plan) -> u64 {
    let one_way = Span::from_us(1);
    status_at(plan, one_way, Span::ZERO).as_ps() / (one_way * 2).as_ps()
}

/// ficon-2002, `dist-handshakes-escon`: six, and one for FICON. Data that fit the buffer need no trip of their own.
#[test]
fn a_read_of_4k_takes_six_trips_where_ficon_takes_one() {
    let shape = by_locate_record(read(4096, 1));
    let login = Login { carrier: Carrier::Escon, window_bytes: 0, ..LOGIN };
    assert_eq!(trips(&plan(PlanKey { login, ..escon(shape) })), 6);
    assert_eq!(trips(&plan(key(shape, Protocol::Command))), 1);
    let prefix = plan(PlanKey { login, ..escon(read(4096, 1)) });
    assert_eq!(trips(&prefix), 4, "two interlocks a CCW");
}

#[test]
fn each_ccw_is_two_interlocks() {
    let shape = by_locate_record(read(4096, 1));
    let plan = plan(escon(shape));
    let kinds = |steps: &[Step]| {
        let mut kinds: Vec<_> = steps.iter().map(|step| step.kind).collect();
        kinds.dedup();
        kinds
    };
    let command = [IuKind::Command, IuKind::CommandResponseAccepted, IuKind::Data];
    let mut outbound = [command, command].concat();
    outbound.extend([
        IuKind::Command,
        IuKind::CommandResponseAccepted,
        IuKind::DataRequest,
        IuKind::StatusAccepted,
    ]);
    assert_eq!(kinds(&plan.outbound), outbound);
    let control = [IuKind::CommandResponse, IuKind::Status];
    let mut inbound = [control, control].concat();
    inbound.extend([IuKind::CommandResponse, IuKind::Data, IuKind::Status]);
    assert_eq!(kinds(&plan.inbound), inbound);
}

/// ficon-2002, `dist-escon-20km-derived`: flat to about 9 km, then the rate falls with the distance, to 45 % at 20 km.
#[test]
fn the_rate_falls_with_the_distance_beyond_nine_km() {
    let byte = Span::from_ps(1_000_000 / 17);
    let plan = plan(escon(read(27_998, 6)));
    let no_window = Login { window_bytes: 0, ..plan.key.login };
    let (plans, id) = record(PlanKey { login: no_window, ..plan.key });
    // What is left of the rate when the handshakes, which no buffer shortens, are taken out.
    let share = |km: u64| {
        let one_way = Span::from_us(5) * km;
        let unhindered = status_at(&plans[id], one_way, byte);
        let data = byte * u64::from(6 * 27_998_u32);
        let hindered = status_at(&plan, one_way, byte) - (unhindered - data);
        data.as_ps() as f64 / hindered.as_ps() as f64
    };
    assert!(share(8) > 0.995, "{}", share(8));
    assert!(share(10) < 0.97, "{}", share(10));
    assert!((share(20) / 0.45 - 1.0).abs() < 0.03, "{}", share(20));
    assert!((share(40) / share(20) - 0.5).abs() < 0.02, "{} {}", share(40), share(20));
}

#[test]
fn the_data_are_those_of_the_ficon_machine() {
    for shape in [read(4096, 1), write(4096, 32), read(27_998, 6), write(27_998, 6)] {
        for shape in [shape, by_locate_record(shape)] {
            let (circuit, ficon) = (plan(escon(shape)), plan(key(shape, Protocol::Command)));
            assert_eq!(circuit.data_bytes(), ficon.data_bytes());
            assert_eq!(circuit.channel_outcome, ficon.channel_outcome);
            let commands = |plan: &Plan| plan.outbound.iter().map(|step| step.send.commands).sum::<u32>();
            assert_eq!(commands(&circuit), commands(&ficon));
            assert_eq!(circuit.outbound.iter().map(|step| step.send.programs).sum::<u32>(), 1);
        }
    }
}

#[test]
fn the_wait_for_cache_or_staging_is_on_one_step() {
    for (hit, delay) in [(true, Delay::Cache), (false, Delay::Staging)] {
        for (shape, kind) in [(read(4096, 3), IuKind::Data), (write(4096, 3), IuKind::Status)] {
            let plan = plan(PlanKey { hit, ..escon(shape) });
            let delayed: Vec<_> = plan.inbound.iter().filter(|step| step.delay != Delay::None).collect();
            assert_eq!(delayed.len(), 1);
            assert_eq!((delayed[0].delay, delayed[0].kind), (delay, kind));
        }
    }
}

fn options(seed: u64) -> RigOptions {
    let delay_max = [seed % 7, seed / 7 % 11].map(Span::from_us);
    RigOptions { seed, delay_max, ..RigOptions::default() }
}

fn schedule(transcript: &Transcript) -> Vec<(Time, Side, Step)> {
    transcript.sent.iter().map(|sent| (sent.at, sent.from, sent.step)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn planned_and_live_ends_keep_the_same_schedule(key in any_circuit_key(), seed: u64, after: u32) {
        let (plans, id) = record(key);
        let planned = run(&plans, id, IDENTITY, options(seed));
        prop_assert_eq!(planned.steps(Side::Channel), plans[id].outbound.clone());
        prop_assert_eq!(planned.steps(Side::ControlUnit), plans[id].inbound.clone());
        prop_assert_eq!(&planned.control_unit, &[ControlUnitOutcome::Completed]);
        let points = (plans[id].outbound.len() + plans[id].inbound.len()) as u32;
        for side in [Side::Channel, Side::ControlUnit] {
            let leaves = RigOptions { leave: Some((side, after % points)), ..options(seed) };
            prop_assert_eq!(schedule(&run(&plans, id, IDENTITY, leaves)), schedule(&planned));
        }
        let live = RigOptions { channel_live: true, control_unit_live: true, ..options(seed) };
        let live = run(&plans, id, IDENTITY, live);
        prop_assert_eq!(schedule(&live), schedule(&planned));
        prop_assert_eq!(&live.channel, &planned.channel);
    }

    #[test]
    fn every_program_ends_once(
        key in any_circuit_key(),
        seed: u64,
        live: (bool, bool),
        loss_ppm in prop_oneof![Just(0_u32), 1_000_u32..200_000, Just(1_000_000)],
        cancel_us in proptest::option::of(0_u64..200),
        down_us in proptest::option::of(0_u64..200),
        busy in proptest::option::weighted(0.2, Just(BusyKind::ControlUnit)),
    ) {
        let us = |us| Time::ZERO + Span::from_us(us);
        let (plans, id) = record(key);
        let transcript = run(&plans, id, IDENTITY, RigOptions {
            channel_live: live.0,
            control_unit_live: live.1,
            loss_ppm,
            busy,
            cancel_at: cancel_us.map(us),
            link_down_at: down_us.map(us),
            ..options(seed)
        });
        prop_assert!(!transcript.gave_up);
        prop_assert_eq!(transcript.channel.len(), 1);
        prop_assert_eq!(transcript.control_unit.len(), usize::from(transcript.control_unit_begun));
        prop_assert!(transcript.quiet_at <= us(2 * CONTROL_UNIT_TIMEOUT_US));
    }

    /// A lost piece of data never passes for a whole record.
    #[test]
    fn a_normal_end_has_all_its_data(key in any_circuit_key(), seed: u64, loss_ppm in 500_u32..50_000) {
        let (plans, id) = record(key);
        let transcript = run(&plans, id, IDENTITY, RigOptions { loss_ppm, ..options(seed) });
        if let [ChannelOutcome::Ended { .. }] = transcript.channel[..] {
            let lost = transcript.sent.iter().filter(|sent| sent.lost && sent.step.kind == IuKind::Data);
            prop_assert_eq!(lost.count(), 0);
            prop_assert_eq!(transcript.channel[0], plans[id].channel_outcome);
        }
    }
}

#[test]
fn busy_is_answered_instead_of_the_command_response() {
    for kind in [BusyKind::Device, BusyKind::ControlUnit] {
        let (plans, id) = record(escon(write(4096, 4)));
        let transcript = run(&plans, id, IDENTITY, RigOptions { busy: Some(kind), ..options(1) });
        assert_eq!(transcript.channel, [ChannelOutcome::Busy(kind)]);
        assert_eq!(transcript.control_unit, [ControlUnitOutcome::Refused]);
        assert_eq!(transcript.steps(Side::ControlUnit).len(), 1);
    }
}

#[test]
fn a_channel_that_receives_nothing_cancels() {
    let (plans, id) = record(escon(read(4096, 1)));
    let transcript = run(&plans, id, IDENTITY, RigOptions { loss_ppm: 1_000_000, ..options(2) });
    assert_eq!(transcript.channel, [ChannelOutcome::InterfaceControlCheck(Cause::Timeout)]);
    assert_eq!(transcript.control_unit, [ControlUnitOutcome::Abandoned(Cause::Timeout)]);
    assert_eq!(transcript.steps(Side::Channel).last().map(|step| step.kind), Some(IuKind::Cancel));
}

/// IUs of a circuit exist by value only: they have no octets that a capture could show.
#[test]
fn a_frame_of_a_circuit_has_no_octets() {
    let plan = plan(escon(read(4096, 1)));
    for iu in plan.outbound_ius.iter().chain(&plan.inbound_ius) {
        assert_eq!(iu.emit(), Err(halftrack_wire::EmitError::Circuit));
    }
}
