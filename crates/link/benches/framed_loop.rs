//! The bare loop under everything: frames of a 4K transport-mode read, 128 at a time, between two threads over TCP on
//! this host and within the process; CRC made and checked, credits both ways, no state machine.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::thread;
use std::time::Instant;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use halftrack_link::{Clock, Fibre, FibreOptions, InProcessTransport, Poller, TcpTransport, Transport};
use halftrack_wire::{Eof, FcHeader, FrameSink, Sof, WorldWideName};

/// Reads under way.
const DEPTH: u64 = 128;
/// Payloads of the frames: command; data in three with its check word; response.
const COMMAND: [u8; 108] = [7; 108];
const DATA: [&[u8]; 3] = [&[1; 2048], &[2; 2048], &[3; 4]];
const RESPONSE: [u8; 32] = [9; 32];

fn options(name: u64) -> FibreOptions {
    FibreOptions { own_name: WorldWideName(name), receive_credit: 1024, check_crc: true }
}

/// Answers until the other end leaves.
fn answer<T: Transport>(mut fibre: Fibre<T>) {
    let (clock, mut poller) = (Clock::start(), Poller::default());
    fibre.set_credit(1024);
    let (mut owed, mut next) = (0_u64, 0);
    let header = FcHeader::default();
    loop {
        let now = clock.now();
        let Ok(mut worked) = fibre.receive(now) else { return };
        while let Ok(Some(_)) = fibre.next_frame() {
            owed += 1;
        }
        while owed > 0 && fibre.can_send() {
            worked = true;
            let payload = DATA.get(next).copied().unwrap_or(&RESPONSE);
            fibre.frame(Sof::Initiate3, &header, &[payload], Eof::Terminate);
            next = (next + 1) % 4;
            owed -= u64::from(next == 0);
        }
        if fibre.flush(now, !worked).is_err() {
            return;
        }
        if poller.is_time_to_sleep(worked || fibre.has_unsent(), now) {
            poller.sleep(&clock, Some(fibre.poll_timeout()), &mut [fibre.transport()], &[]).expect("sleep");
        }
    }
}

/// Does `reads` reads.
fn ask<T: Transport>(fibre: &mut Fibre<T>, clock: &Clock, poller: &mut Poller, reads: u64) {
    let (mut sent, mut frames) = (0, 0);
    let header = FcHeader::default();
    while frames < reads * 4 {
        let now = clock.now();
        let mut worked = fibre.receive(now).expect("the other end is there");
        while fibre.next_frame().expect("frames").is_some() {
            frames += 1;
        }
        while sent < reads && sent - frames / 4 < DEPTH && fibre.can_send() {
            worked = true;
            sent += 1;
            fibre.frame(Sof::Initiate3, &header, &[&COMMAND], Eof::Terminate);
        }
        fibre.flush(now, !worked).expect("the other end is there");
        if poller.is_time_to_sleep(worked || fibre.has_unsent(), now) {
            poller.sleep(clock, Some(fibre.poll_timeout()), &mut [fibre.transport()], &[]).expect("sleep");
        }
    }
}

fn measure<T: Transport + Send + 'static>(criterion: &mut Criterion, name: &str, near: T, far: T) {
    let clock = Clock::start();
    let answering = thread::spawn(move || answer(Fibre::accept(far, options(2), Clock::start().now())));
    let mut fibre = Fibre::open(near, options(1), 1, clock.now());
    fibre.set_credit(1024);
    let mut poller = Poller::default();
    let mut group = criterion.benchmark_group("framed loop");
    group.throughput(Throughput::Elements(1));
    group.bench_function(name, |bencher| {
        bencher.iter_custom(|reads| {
            let began = Instant::now();
            ask(&mut fibre, &clock, &mut poller, reads);
            began.elapsed()
        });
    });
    group.finish();
    drop(fibre);
    answering.join().expect("the other end has not panicked");
}

fn loops(criterion: &mut Criterion) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let near = TcpStream::connect(listener.local_addr().expect("address")).expect("connection");
    let far = listener.accept().expect("connection").0;
    let tcp = |stream| TcpTransport::new(stream).expect("a connection");
    measure(criterion, "TCP", tcp(near), tcp(far));
    let (near, far) = InProcessTransport::pair().expect("a pair");
    measure(criterion, "in process", near, far);
}

criterion_group!(benches, loops);
criterion_main!(benches);
