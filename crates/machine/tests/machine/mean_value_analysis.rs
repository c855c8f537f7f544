//! Exact mean value analysis of closed loops with exponential demands.
//!
//! ```text
//!   jobs ─► CP, IOP ─► channel processor ─► fibre ─► port processor ─► cache or staging ─► fibre ─► channel processor
//!    ▲       delay      processor sharing    delay     in turn              delay           delay         │
//!    └──────────────────────────────────── IOP, CP, think time: delay ───────────────────────────────────┘
//! ```
//!
//! The network has a product form where a station in order of arrival has one mean for all visits. In command mode a port
//! of the catalog works on a program for 49.6 µs and on its data for 3.6 µs, which has none; so here all of its work is
//! the price of the program. Processor sharing takes visits of unlike mean. Fibres and buses, at most a tenth busy, are
//! delays; IOPs and CPs are many and hardly busy.

use halftrack_base::Span;
use halftrack_config::{Arrivals, Prices, ProtocolChoice, Stream};
use halftrack_machine::{Options, Variation};
use halftrack_program::Protocol;

use crate::site::{Knobs, OPTIONS, run, stream, us};

/// I/Os in a run: half a per cent, one standard deviation of a rate at a full exponential station.
const IOS: f64 = 60_000.0;

/// Differences between cases.
#[derive(Debug, Clone, Copy)]
struct Case {
    name: &'static str,
    protocol: Protocol,
    ports: usize,
    /// Prices of a program and of a unit with data on the channel, and of a program at the port, µs.
    channel_us: (f64, f64),
    port_us: f64,
    km: u64,
    /// Share of reads that miss, and mean time between a job's I/Os.
    misses: f64,
    think_us: f64,
    jobs: &'static [u32],
}

const FEW_AND_MANY: &[u32] = &[1, 2, 4, 8, 16, 32, 64];
const SOME: &[u32] = &[2, 8, 48];

/// Command mode with the sums of the catalog's prices for a 4 KiB read.
const COMMAND: Case = Case {
    name: "command mode, port-bound",
    protocol: Protocol::Command,
    ports: 1,
    channel_us: (32.2, 7.5),
    port_us: 53.2,
    km: 1,
    misses: 0.0,
    think_us: 0.0,
    jobs: FEW_AND_MANY,
};

const TRANSPORT: Case = Case {
    name: "transport mode, port-bound",
    protocol: Protocol::Transport,
    channel_us: (3.31, 0.0),
    port_us: 4.0,
    jobs: SOME,
    ..COMMAND
};

const CASES: [Case; 6] = [
    COMMAND,
    Case { name: "command mode, channel-bound", ports: 4, ..COMMAND },
    Case { name: "command mode, balanced", channel_us: (39.7, 0.0), port_us: 39.7, jobs: SOME, ..COMMAND },
    Case {
        name: "command mode, misses, thinking, far",
        misses: 0.5,
        think_us: 300.0,
        km: 20,
        jobs: SOME,
        ..COMMAND
    },
    TRANSPORT,
    Case { name: "transport mode, channel-bound, misses", ports: 4, misses: 0.25, ..TRANSPORT },
];

/// A closed network: demands of its queueing stations, and delays in response and outside, µs.
struct Network {
    demands_us: Vec<f64>,
    delay_us: f64,
    outside_us: f64,
}

/// Rate, per second, and response, µs.
#[derive(Debug, Clone, Copy)]
struct Loop {
    rate_per_s: f64,
    response_us: f64,
}

impl Network {
    /// Computes the site of `case`, by its prices and docs/model.md.
    fn of(case: &Case) -> Self {
        let (program, unit) = case.channel_us;
        let of_port = case.port_us / case.ports as f64;
        let mut demands_us = vec![of_port; case.ports];
        demands_us.push(program + unit);
        // Bytes there and back, each frame with 36 of framing: Prefix and Read Data, or the transport command; data and
        // status. Command mode fills frames of 2,112 bytes, transport mode of 2,048.
        let (there, back) = match case.protocol {
            Protocol::Command => (100 + 32 + 2 * 36, 4132 + 2 * 36 + 32 + 36),
            Protocol::Transport => (108 + 36, 4100 + 3 * 36 + 64 + 36),
        };
        let serialisation = f64::from(there + back) / 3200.0;
        let (iop_start, dispatch, bus, director) = (2.65, 2.0, 4096.0 / 6400.0, 1.5);
        let cache = (1.0 - case.misses) * (20.0 + 4096.0 / 2000.0) + case.misses * 600.0;
        let fibre = 2.0 * (5.0 * case.km as f64 + director) + serialisation;
        let delay_us = iop_start + dispatch + cache + bus + fibre;
        let (iop_interrupt, cp_interrupt, cp_start) = (1.76, 1.0, 1.0);
        Self { demands_us, delay_us, outside_us: iop_interrupt + cp_interrupt + cp_start + case.think_us }
    }

    /// Applies exact mean value analysis (Reiser and Lavenberg 1980).
    fn with(&self, jobs: u32) -> Loop {
        let mut queues = vec![0.0; self.demands_us.len()];
        let mut found = Loop { rate_per_s: 0.0, response_us: 0.0 };
        for n in 1..=jobs {
            let stays: Vec<f64> =
                self.demands_us.iter().zip(&queues).map(|(demand, queue)| demand * (1.0 + queue)).collect();
            let response_us = self.delay_us + stays.iter().sum::<f64>();
            let rate_per_us = f64::from(n) / (response_us + self.outside_us);
            queues = stays.iter().map(|stay| rate_per_us * stay).collect();
            found = Loop { rate_per_s: 1e6 * rate_per_us, response_us };
        }
        found
    }
}

/// Returns rate and response of the twin, for as long as `IOS` take at `rate_per_s`.
fn simulated(case: &Case, jobs: u32, rate_per_s: f64) -> Loop {
    let think = us(case.think_us);
    let work = Stream {
        hit_ppm: (1e6 * (1.0 - case.misses)) as u32,
        protocol: ProtocolChoice::Always(case.protocol),
        ..stream("work", Arrivals::Closed { jobs, think, exponential: true })
    };
    let (program, unit) = (us(case.channel_us.0), us(case.channel_us.1));
    let at_port = Prices { program: us(case.port_us), ..Prices::default() };
    let knobs = Knobs {
        ports: case.ports,
        km: case.km,
        // Nobody waits for a base, an alias or an open exchange.
        aliases: 256,
        hyperpav: true,
        open_exchanges: (512, 512),
        command: Prices { program, unit, ..Prices::default() },
        transport: Prices { program, ..Prices::default() },
        port_command: at_port,
        port_transport: at_port,
        streams: vec![work],
        warmup: Span::from_ms(50),
        interval: us(1e6 * IOS / rate_per_s),
        ..Knobs::default()
    };
    let (run, _) = run(&knobs, Options { variation: Variation::Exponential, ..OPTIONS });
    let stream = &run.streams[0];
    Loop { rate_per_s: stream.rate_per_s.mean, response_us: stream.response_us.mean }
}

#[test]
fn closed_loops_with_exponential_demands_are_those_of_exact_mean_value_analysis() {
    for case in &CASES {
        let network = Network::of(case);
        for &jobs in case.jobs {
            let exact = network.with(jobs);
            let twin = simulated(case, jobs, exact.rate_per_s);
            let rate = twin.rate_per_s / exact.rate_per_s - 1.0;
            let response = twin.response_us / exact.response_us - 1.0;
            let said = format!(
                "{}, {jobs} jobs: rate {:+.2} %, response {:+.2} %; {twin:?} against {exact:?}",
                case.name,
                100.0 * rate,
                100.0 * response
            );
            println!("{said}");
            assert!(rate.abs() < 0.02 && response.abs() < 0.02, "{said}");
        }
    }
}
