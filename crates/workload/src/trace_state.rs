//! One stream that follows a trace in a run.

use std::sync::Arc;

use halftrack_base::Span;
use halftrack_config::{Arrivals, Stream, Trace};
use halftrack_engine::RandomStream;
use halftrack_program::Operation;

use crate::stream_state::{Request, chance_ppm};

/// The I/Os of a stream as they were recorded, one after the other.
///
/// Only hits are drawn, and they only where the stream has a hit ratio instead of a cache.
#[derive(Clone, Debug)]
pub struct TraceState {
    trace: Arc<Trace>,
    /// Index of the next row.
    next: usize,
    /// When the round began.
    began: Span,
    hit_ppm: u32,
    hit: RandomStream,
}

impl TraceState {
    /// Returns the stream at the beginning of a run with `seed`; nothing when it follows no trace.
    pub fn new(stream: &Stream, seed: u64) -> Option<Self> {
        let Arrivals::Traced(trace) = &stream.arrivals else { return None };
        let hit = RandomStream::new(seed, &format!("stream {} hit", stream.name));
        Some(Self { trace: Arc::clone(trace), next: 0, began: Span::ZERO, hit_ppm: stream.hit_ppm, hit })
    }

    /// Returns the start of the next I/O, from the start of the run; nothing after the last.
    #[inline]
    pub fn next_at(&self) -> Option<Span> {
        self.trace.rows.get(self.next).map(|row| self.began + row.at)
    }

    /// Returns the next I/O; nothing after the last. A trace that repeats begins again behind its last row.
    #[inline]
    pub fn next_request(&mut self) -> Option<Request> {
        let trace = &*self.trace;
        let row = trace.rows.get(self.next)?;
        self.next += 1;
        if self.next == trace.rows.len()
            && let Some(period) = trace.period
        {
            (self.next, self.began) = (0, self.began + period);
        }
        let write = trace.programs[row.program as usize].operation == Operation::UpdateWrite;
        let hit = trace.looked_up || write || chance_ppm(&mut self.hit, self.hit_ppm);
        let track = trace.looked_up.then_some(row.track);
        Some(Request { device: row.device, program: row.program, write, hit, track })
    }
}

#[cfg(test)]
mod tests {
    use halftrack_config::{ProtocolChoice, Selection, TraceRow};
    use halftrack_program::{Grouping, Positioning, ProgramShape};

    use super::*;

    /// Returns two rows: a read of one record after 10 us and a write of two after 40.
    fn stream(period: Option<Span>, looked_up: bool) -> Stream {
        let shape = |operation, records| ProgramShape {
            operation,
            record_bytes: 4096,
            records,
            grouping: Grouping::Records,
            positioning: Positioning::Prefix,
        };
        let (read, write) = (shape(Operation::Read, 1), shape(Operation::UpdateWrite, 2));
        let rows = vec![
            TraceRow { at: Span::from_us(10), device: 1, track: 7, program: 0 },
            TraceRow { at: Span::from_us(40), device: 0, track: 9, program: 1 },
        ];
        Stream {
            name: "recorded".to_owned(),
            lpar: 0,
            devices: vec![100, 101],
            selection: Selection::Uniform,
            read,
            write,
            read_ppm: 500_000,
            hit_ppm: 0,
            hit_ppm_of_device: Vec::new(),
            locality: None,
            synchronous: None,
            compression: None,
            protocol: ProtocolChoice::Eligible,
            arrivals: Arrivals::Traced(Arc::new(Trace {
                rows,
                programs: vec![read, write],
                period,
                looked_up,
            })),
        }
    }

    #[test]
    fn rows_are_asked_for_in_their_order_and_then_no_more() {
        let mut state = TraceState::new(&stream(None, true), 1).expect("a trace");
        assert_eq!(state.next_at(), Some(Span::from_us(10)));
        let read = Request { device: 1, program: 0, write: false, hit: true, track: Some(7) };
        assert_eq!(state.next_request(), Some(read));
        assert_eq!(state.next_at(), Some(Span::from_us(40)));
        let write = Request { device: 0, program: 1, write: true, hit: true, track: Some(9) };
        assert_eq!(state.next_request(), Some(write));
        assert_eq!((state.next_at(), state.next_request()), (None, None));
    }

    #[test]
    fn a_trace_that_repeats_goes_on_a_period_later_without_an_allocation() {
        let mut state = TraceState::new(&stream(Some(Span::from_us(70)), true), 1).expect("a trace");
        let mut times = [Span::ZERO; 6];
        let counted = allocation_counter::measure(|| {
            for time in &mut times {
                *time = state.next_at().expect("it repeats");
                state.next_request().expect("it repeats");
            }
        });
        assert_eq!(times, [10, 40, 80, 110, 150, 180].map(Span::from_us));
        assert_eq!(counted.count_total, 0);
    }

    #[test]
    fn without_a_cache_reads_hit_as_often_as_the_stream_says() {
        let mut state = TraceState::new(&stream(Some(Span::from_us(70)), false), 1).expect("a trace");
        for _ in 0..10 {
            let [read, write] = [(); 2].map(|()| state.next_request().expect("it repeats"));
            assert_eq!((read.hit, read.track, write.hit, write.track), (false, None, true, None));
        }
    }
}
