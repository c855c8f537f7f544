//! The pending set against the standard library's binary heap in the hold model: take the first event, put one in at
//! an exponentially distributed distance after it, at constant size.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use halftrack_base::{Span, Time};
use halftrack_engine::{PendingSet, RandomStream, Rank, Sequencer};

const SIZES: [usize; 3] = [64, 4_096, 65_536];
/// Distances are drawn before the measurement; a power of two, so that the index wraps cheaply.
const DISTANCES: usize = 1 << 14;

fn distances() -> Vec<Span> {
    let mut stream = RandomStream::new(1, "distances");
    (0..DISTANCES).map(|_| stream.exponential(Span::from_us(100))).collect()
}

fn hold_model(criterion: &mut Criterion) {
    let distances = distances();
    let mut group = criterion.benchmark_group("hold");
    for size in SIZES {
        let mut orders = Sequencer::new(Rank::default());
        let mut pending = PendingSet::with_capacity(size + 1);
        let mut binary = BinaryHeap::with_capacity(size + 1);
        for n in 0..size {
            let (at, order) = (Time::ZERO + distances[n % DISTANCES], orders.next());
            pending.push(at, order, n as u64);
            binary.push(Reverse((at, order, n as u64)));
        }
        let mut replaced = binary.clone();
        let mut turn = 0;
        let mut distance = || {
            turn = (turn + 1) % DISTANCES;
            distances[turn]
        };
        group.bench_function(BenchmarkId::new("pending_set", size), |bencher| {
            bencher.iter(|| {
                if let Some((at, _, payload)) = pending.pop() {
                    pending.push(at + distance(), orders.next(), black_box(payload));
                }
            });
        });
        group.bench_function(BenchmarkId::new("binary_heap", size), |bencher| {
            bencher.iter(|| {
                if let Some(Reverse((at, _, payload))) = binary.pop() {
                    binary.push(Reverse((at + distance(), orders.next(), black_box(payload))));
                }
            });
        });
        group.bench_function(BenchmarkId::new("binary_heap_replace_top", size), |bencher| {
            bencher.iter(|| {
                if let Some(mut top) = replaced.peek_mut() {
                    let Reverse((at, _, payload)) = *top;
                    *top = Reverse((at + distance(), orders.next(), black_box(payload)));
                }
            });
        });
    }
    group.finish();
}

criterion_group!(benches, hold_model);
criterion_main!(benches);
