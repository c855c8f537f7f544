//! The bare loop under everything, 128 reads at a time, between two threads over TCP on this host and within the
//! process.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::thread;
use std::time::Instant;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use halftrack_base::Time;
use halftrack_bench::link::bare_loop::{ReadClient, options, serve};
use halftrack_link::{Clock, Fibre, InProcessTransport, TcpTransport, Transport};

/// Reads under way.
const DEPTH: u64 = 128;

fn measure<T: Transport + Send + 'static>(criterion: &mut Criterion, name: &str, near: T, far: T) {
    let clock = Clock::start();
    let answering = thread::spawn(move || {
        let clock = Clock::start();
        serve(Fibre::accept(far, options(2), clock.now()), &clock);
    });
    let mut client = ReadClient::new(Fibre::open(near, options(1), 1, clock.now()));
    let mut group = criterion.benchmark_group("framed loop");
    group.throughput(Throughput::Elements(1));
    group.bench_function(name, |bencher| {
        bencher.iter_custom(|reads| {
            let began = Instant::now();
            client.read_until(&clock, DEPTH, reads, Time::MAX).expect("the other end is there");
            began.elapsed()
        });
    });
    group.finish();
    drop(client);
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
