//! The whole machine in `nexosim`: a model for each partition, for the IOPs, for each channel and for each port.
//!
//! Stations compute departures when arrivals come, so that an I/O takes seven events of its own, as in halftrack, and
//! a message where it goes from one model to another.

use std::time::Duration;

use halftrack_peers::whole_machine::{CYCLE_US, Fifo, Machine, Servers, WARM_UP_US, nanoseconds};
use halftrack_peers::{NamedStream, Tally, hops_argument, processor_time_s};
use nexosim::model::{Context, Model, schedulable};
use nexosim::ports::{EventSinkReader, EventSource, Output, SinkState, event_queue};
use nexosim::simulation::{Mailbox, SimInit, SimulationError};
use nexosim::time::MonotonicTime;
use serde::{Deserialize, Serialize};

/// One read on its way.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Io {
    partition: u32,
    device: u32,
    channel: u32,
    started_ns: u64,
}

fn now_ns<M: Model>(cx: &Context<M>) -> u64 {
    cx.time().duration_since(MonotonicTime::EPOCH).as_nanos() as u64
}

/// Returns the delay from now until `at_ns`; nothing may be scheduled for now.
fn until<M: Model>(cx: &Context<M>, at_ns: u64) -> Duration {
    Duration::from_nanos((at_ns - now_ns(cx)).max(1))
}

/// CPs, the serial part of an image, jobs, and the responses of its devices.
#[derive(Serialize, Deserialize)]
struct Partition {
    machine: Machine,
    index: u32,
    to_iops: Output<Io>,
    measured: Output<Tally>,
    cps: Servers,
    serial: Fifo,
    devices: NamedStream,
    turns: Vec<u32>,
    responses: Vec<Tally>,
}

#[Model]
impl Partition {
    #[nexosim(init)]
    async fn init(&mut self, cx: &Context<Self>) {
        for _ in 0..self.machine.jobs {
            self.start(self.machine.cp_start_us, cx);
        }
    }

    /// Keeps a CP busy for `on_cp_us`, at the end of which it starts the next read.
    fn start(&mut self, on_cp_us: f64, cx: &Context<Self>) {
        let done = self.cps.arrive(now_ns(cx), on_cp_us);
        cx.schedule_event(until(cx, done), schedulable!(Self::started), ()).expect("it lies ahead");
    }

    #[nexosim(schedulable)]
    fn started(&mut self, _: (), cx: &Context<Self>) {
        let passed = self.serial.arrive(now_ns(cx), self.machine.image_serial_us);
        cx.schedule_event(until(cx, passed), schedulable!(Self::issue), ()).expect("it lies ahead");
    }

    #[nexosim(schedulable)]
    async fn issue(&mut self, _: (), cx: &Context<Self>) {
        let m = &self.machine;
        let own = m.devices / m.partitions;
        let device = self.index as usize * own + self.devices.random.below(own as u64) as usize;
        let control_unit = device / m.devices_of_a_control_unit;
        let turn = &mut self.turns[control_unit];
        let of_a_subsystem = m.channels_of_a_subsystem();
        let subsystem = self.index as usize * m.subsystems / m.partitions;
        let path = (control_unit * m.paths + *turn as usize % m.paths) % of_a_subsystem;
        *turn += 1;
        let channel = subsystem * of_a_subsystem + path;
        let (device, channel) = (device as u32, channel as u32);
        self.to_iops.send(Io { partition: self.index, device, channel, started_ns: now_ns(cx) }).await;
    }

    /// Ends the processing of an interrupt by an IOP; the response time is that since `started_ns`.
    fn interrupted(&mut self, io: Io, cx: &Context<Self>) {
        if now_ns(cx) >= nanoseconds(WARM_UP_US) {
            let own = self.responses.len();
            self.responses[io.device as usize % own].record(io.started_ns as f64 / 1e3);
        }
        self.start(self.machine.cp_interrupt_us + self.machine.cp_start_us, cx);
    }

    async fn measure(&mut self) {
        for tally in &self.responses {
            self.measured.send(*tally).await;
        }
    }
}

/// The IOP threads.
#[derive(Serialize, Deserialize)]
struct Iops {
    machine: Machine,
    threads: Servers,
    to_channels: Vec<Output<Io>>,
    to_partitions: Vec<Output<Io>>,
}

#[Model]
impl Iops {
    fn start(&mut self, io: Io, cx: &Context<Self>) {
        let done = self.threads.arrive(now_ns(cx), self.machine.iop_start_us);
        cx.schedule_event(until(cx, done), schedulable!(Self::drive), io).expect("it lies ahead");
    }

    #[nexosim(schedulable)]
    async fn drive(&mut self, io: Io) {
        self.to_channels[io.channel as usize].send(io).await;
    }

    fn ended(&mut self, mut io: Io, cx: &Context<Self>) {
        io.started_ns = now_ns(cx) - io.started_ns;
        let done = self.threads.arrive(now_ns(cx), self.machine.iop_interrupt_us);
        cx.schedule_event(until(cx, done), schedulable!(Self::interrupt), io).expect("it lies ahead");
    }

    #[nexosim(schedulable)]
    async fn interrupt(&mut self, io: Io) {
        self.to_partitions[io.partition as usize].send(io).await;
    }
}

/// A channel: its processor, its fibre and its bus.
#[derive(Serialize, Deserialize)]
struct Channel {
    machine: Machine,
    processor: Fifo,
    outbound: Fifo,
    bus: Fifo,
    to_port: Output<Io>,
    to_iops: Output<Io>,
}

#[Model]
impl Channel {
    fn drive(&mut self, io: Io, cx: &Context<Self>) {
        let worked = self.processor.arrive(now_ns(cx), self.machine.channel_us);
        cx.schedule_event(until(cx, worked), schedulable!(Self::send), io).expect("it lies ahead");
    }

    #[nexosim(schedulable)]
    fn send(&mut self, io: Io, cx: &Context<Self>) {
        let left = self.outbound.arrive(now_ns(cx), self.machine.command_wire_us);
        let there = left + nanoseconds(self.machine.light_and_director_us);
        cx.schedule_event(until(cx, there), schedulable!(Self::arrive), io).expect("it lies ahead");
    }

    #[nexosim(schedulable)]
    async fn arrive(&mut self, io: Io) {
        self.to_port.send(io).await;
    }

    fn receive(&mut self, io: Io, cx: &Context<Self>) {
        let stored = self.bus.arrive(now_ns(cx), self.machine.bus_us);
        cx.schedule_event(until(cx, stored), schedulable!(Self::end), io).expect("it lies ahead");
    }

    #[nexosim(schedulable)]
    async fn end(&mut self, io: Io) {
        self.to_iops.send(io).await;
    }
}

/// A host-adapter port: its processor, the cache behind it and its fibre.
#[derive(Serialize, Deserialize)]
struct Port {
    machine: Machine,
    processor: Fifo,
    inbound: Fifo,
    to_channel: Output<Io>,
}

#[Model]
impl Port {
    fn take_up(&mut self, io: Io, cx: &Context<Self>) {
        let worked = self.processor.arrive(now_ns(cx), self.machine.port_us);
        let ready = worked + nanoseconds(self.machine.dispatch_us + self.machine.cache_us);
        cx.schedule_event(until(cx, ready), schedulable!(Self::send), io).expect("it lies ahead");
    }

    #[nexosim(schedulable)]
    fn send(&mut self, io: Io, cx: &Context<Self>) {
        let left = self.inbound.arrive(now_ns(cx), self.machine.data_wire_us);
        let there = left + nanoseconds(self.machine.light_and_director_us);
        cx.schedule_event(until(cx, there), schedulable!(Self::arrive), io).expect("it lies ahead");
    }

    #[nexosim(schedulable)]
    async fn arrive(&mut self, io: Io) {
        self.to_channel.send(io).await;
    }
}

/// Makes the IOP threads, connected to each channel and partition.
fn iops_to(machine: Machine, to_channels: &[Mailbox<Channel>], to_partitions: &[Mailbox<Partition>]) -> Iops {
    let mut iops = Iops {
        machine,
        threads: Servers::new(machine.iop_threads),
        to_channels: Vec::new(),
        to_partitions: Vec::new(),
    };
    for mailbox in to_channels {
        let mut output = Output::default();
        output.connect(Channel::drive, mailbox);
        iops.to_channels.push(output);
    }
    for mailbox in to_partitions {
        let mut output = Output::default();
        output.connect(Partition::interrupted, mailbox);
        iops.to_partitions.push(output);
    }
    iops
}

fn main() -> Result<(), SimulationError> {
    let machine = Machine::read();
    let jobs = (machine.partitions * machine.jobs) as f64;
    let span_us = hops_argument() as f64 / jobs * CYCLE_US;
    let (tallies, mut tally) = event_queue(SinkState::Enabled);
    let mut measure = EventSource::new();
    // One thread, as for the tandem.
    let mut bench = SimInit::with_num_threads(1);
    let mailboxes = |count| (0..count).map(|_| Mailbox::with_capacity(256)).collect::<Vec<_>>();
    let to_partitions: Vec<Mailbox<Partition>> = (0..machine.partitions).map(|_| Mailbox::new()).collect();
    let to_channels: Vec<Mailbox<Channel>> = (0..machine.channels).map(|_| Mailbox::new()).collect();
    let to_ports: Vec<Mailbox<Port>> = mailboxes(machine.channels);
    let to_iops = Mailbox::with_capacity(1024);
    let iops = iops_to(machine, &to_channels, &to_partitions);
    for (index, mailbox) in to_partitions.into_iter().enumerate() {
        let mut to_iops_port = Output::default();
        to_iops_port.connect(Iops::start, &to_iops);
        let mut measured = Output::default();
        measured.connect_sink(tallies.clone());
        measure = measure.connect(Partition::measure, &mailbox);
        let partition = Partition {
            machine,
            index: index as u32,
            to_iops: to_iops_port,
            measured,
            cps: Servers::new(machine.cps),
            serial: Fifo::default(),
            devices: format!("PARTITION.{index}").into(),
            turns: vec![0; machine.devices / machine.devices_of_a_control_unit],
            responses: vec![Tally::default(); machine.devices / machine.partitions],
        };
        bench = bench.add_model(partition, mailbox, &format!("partition {index}"));
    }
    for (index, (to_channel, to_port)) in to_channels.into_iter().zip(to_ports).enumerate() {
        let (mut port_output, mut iops_output, mut channel_output) =
            (Output::default(), Output::default(), Output::default());
        port_output.connect(Port::take_up, &to_port);
        iops_output.connect(Iops::ended, &to_iops);
        channel_output.connect(Channel::receive, &to_channel);
        let [processor, outbound, bus, inbound] = [Fifo::default(); 4];
        let channel =
            Channel { machine, processor, outbound, bus, to_port: port_output, to_iops: iops_output };
        let port = Port { machine, processor, inbound, to_channel: channel_output };
        bench = bench.add_model(channel, to_channel, &format!("channel {index}"));
        bench = bench.add_model(port, to_port, &format!("port {index}"));
    }
    let measure = measure.register(&mut bench);
    bench = bench.add_model(iops, to_iops, "IOPs");
    let mut simulation = bench.init(MonotonicTime::EPOCH)?;
    simulation.step_until(Duration::from_nanos(nanoseconds(WARM_UP_US)))?;
    let began_s = processor_time_s();
    simulation.step_until(Duration::from_nanos(nanoseconds(span_us)))?;
    let spent_s = processor_time_s() - began_s;
    simulation.process_event(&measure, ())?;
    let tallies: Vec<Tally> = std::iter::from_fn(|| tally.try_read()).collect();
    let ios: u64 = tallies.iter().map(|tally| tally.count).sum();
    let response_us = tallies.iter().map(|tally| tally.sum).sum::<f64>() / ios as f64;
    println!(
        "{{\"program\": \"nexosim\", \"ios\": {ios}, \"ios_per_s\": {:.0}, \"rate_per_s\": {:.0}, \
         \"response_us\": {response_us:.2}}}",
        ios as f64 / spent_s,
        ios as f64 / span_us * 1e6,
    );
    Ok(())
}
