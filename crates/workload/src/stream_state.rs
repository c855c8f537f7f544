//! One stream of the I/O driver in a run.

use halftrack_base::Span;
use halftrack_config::{Arrivals, Selection, Stream};
use halftrack_engine::RandomStream;

use crate::device_choice::DeviceChoice;
use crate::track_choice::TrackChoice;

/// Next I/O of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Index into the stream's list of devices.
    pub device: u32,
    /// Index of its program among those of the stream, which has several only where it follows a trace.
    pub program: u32,
    /// An update write; else a read.
    pub write: bool,
    /// The control unit answers from its cache. A write always does: it is a fast write into cache and
    /// non-volatile storage, and staging is not waited for.
    pub hit: bool,
    /// The requested track of the device, from 0, where the control unit finds out whether it has it; `hit` is true
    /// then.
    pub track: Option<u32>,
}

/// One stream of the I/O driver: all its requests, drawn on demand. One that follows a trace has its I/Os from a
/// [`TraceState`](crate::TraceState) instead.
///
/// Every purpose (arrival, think, device, read, hit) draws from a random stream of its own, named after the stream and
/// the purpose, once or twice for each value whatever its outcome, or never where the outcome is certain: changing the
/// read share leaves the devices, the hits and the arrivals as they were. The values depend on the order of calls, never on time.
///
/// Requests that do not depend on the job that will make them are drawn some ahead, so that who simulates can bring near
/// what they will touch.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamState {
    arrivals: ArrivalProcess,
    arrival: RandomStream,
    think: RandomStream,
    choice: DeviceChoice,
    device: RandomStream,
    read_ppm: u32,
    read: RandomStream,
    hit_ppm: u32,
    hit_ppm_of_device: Vec<u32>,
    hit: RandomStream,
    tracks: Option<(TrackChoice, RandomStream)>,
    /// Requests drawn ahead, the next first to be taken at `taken`; none where only the job decides its request.
    drawn: Vec<Drawn>,
    taken: usize,
}

/// Requests that are drawn in one go, purpose by purpose: the state of each random stream stays near meanwhile.
const DRAWN_AHEAD: usize = 64;

/// No track.
const NO_TRACK: u32 = u32::MAX;

/// Drawn part of a request, in a few words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Drawn {
    device: u32,
    /// [`NO_TRACK`] where none is requested.
    track: u32,
    write: bool,
    hit: bool,
}

impl From<Drawn> for Request {
    #[inline(always)]
    fn from(drawn: Drawn) -> Self {
        let track = if drawn.track == NO_TRACK { None } else { Some(drawn.track) };
        Self { device: drawn.device, program: 0, write: drawn.write, hit: drawn.hit, track }
    }
}

/// Where I/Os come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ArrivalProcess {
    Closed {
        jobs: u32,
        think: Span,
        exponential: bool,
    },
    Open {
        interarrival: Span,
        poisson: bool,
    },
    /// Another state has them.
    Traced,
}

impl From<&Arrivals> for ArrivalProcess {
    fn from(arrivals: &Arrivals) -> Self {
        match *arrivals {
            Arrivals::Closed { jobs, think, exponential } => Self::Closed { jobs, think, exponential },
            Arrivals::Open { interarrival, poisson } => Self::Open { interarrival, poisson },
            Arrivals::Traced(_) => Self::Traced,
        }
    }
}

impl StreamState {
    /// Returns the stream at the beginning of a run with `seed`.
    ///
    /// # Panics
    /// When the stream has no device: a checked configuration has none of that kind.
    pub fn new(stream: &Stream, seed: u64) -> Self {
        let devices = u32::try_from(stream.devices.len()).expect("devices are numbered in 32 bits");
        assert!(devices > 0, "stream {} has no device", stream.name);
        let random = |purpose: &str| RandomStream::new(seed, &format!("stream {} {purpose}", stream.name));
        let arrivals = ArrivalProcess::from(&stream.arrivals);
        let rounds = match arrivals {
            ArrivalProcess::Closed { jobs, .. } => jobs.max(1),
            ArrivalProcess::Open { .. } | ArrivalProcess::Traced => 1,
        };
        let mut state = Self {
            arrivals,
            arrival: random("arrival"),
            think: random("think"),
            choice: DeviceChoice::new(stream.selection, devices, rounds),
            device: random("device"),
            read_ppm: stream.read_ppm,
            read: random("read"),
            hit_ppm: stream.hit_ppm,
            hit_ppm_of_device: stream.hit_ppm_of_device.clone(),
            hit: random("hit"),
            tracks: stream.locality.map(|locality| (TrackChoice::new(locality), random("track"))),
            drawn: Vec::new(),
            taken: 0,
        };
        let needs_job = stream.selection == Selection::Sequential && state.jobs() > 0;
        if !needs_job {
            state.drawn = vec![Drawn { device: 0, track: NO_TRACK, write: false, hit: true }; DRAWN_AHEAD];
            state.draw_ahead();
        }
        state
    }

    /// Returns the jobs of a closed stream, 0 for an open one.
    pub fn jobs(&self) -> u32 {
        match self.arrivals {
            ArrivalProcess::Closed { jobs, .. } => jobs,
            ArrivalProcess::Open { .. } | ArrivalProcess::Traced => 0,
        }
    }

    /// Returns the next I/O of `job` (from 0; without meaning in an open stream).
    ///
    /// # Panics
    /// When a closed sequential stream has no such job.
    #[inline]
    pub fn next_request(&mut self, job: u32) -> Request {
        let Some(drawn) = self.drawn.get(self.taken) else { return self.draw(job).into() };
        let request = Request::from(*drawn);
        self.taken += 1;
        if self.taken == self.drawn.len() {
            self.draw_ahead();
        }
        request
    }

    /// Returns the next I/O, where it is determined before its job is: in all but closed sequential streams.
    #[inline]
    pub fn upcoming(&self) -> Option<Request> {
        self.drawn.get(self.taken).copied().map(Request::from)
    }

    /// Draws as many requests as are drawn ahead.
    #[inline(never)]
    fn draw_ahead(&mut self) {
        self.taken = 0;
        for drawn in &mut self.drawn {
            drawn.device = self.choice.choose(0, &mut self.device);
        }
        for drawn in &mut self.drawn {
            drawn.write = !chance_ppm(&mut self.read, self.read_ppm);
        }
        if let Some((choice, random)) = &mut self.tracks {
            self.drawn.iter_mut().for_each(|drawn| drawn.track = choice.choose(random));
            return;
        }
        for drawn in &mut self.drawn {
            let hit_ppm = self.hit_ppm_of_device.get(drawn.device as usize).copied().unwrap_or(self.hit_ppm);
            let read_hit = chance_ppm(&mut self.hit, hit_ppm);
            drawn.hit = drawn.write || read_hit;
        }
    }

    /// Draws a request of `job`.
    fn draw(&mut self, job: u32) -> Drawn {
        let device = self.choice.choose(job, &mut self.device);
        let write = !chance_ppm(&mut self.read, self.read_ppm);
        if let Some((choice, random)) = &mut self.tracks {
            return Drawn { device, track: choice.choose(random), write, hit: true };
        }
        let hit_ppm = self.hit_ppm_of_device.get(device as usize).copied().unwrap_or(self.hit_ppm);
        let read_hit = chance_ppm(&mut self.hit, hit_ppm);
        Drawn { device, track: NO_TRACK, write, hit: write || read_hit }
    }

    /// Returns the time from one arrival of an open stream to the next; [`Span::MAX`], never, for a closed one.
    #[inline]
    pub fn next_interarrival(&mut self) -> Span {
        match self.arrivals {
            ArrivalProcess::Open { interarrival, poisson: true } => self.arrival.exponential(interarrival),
            ArrivalProcess::Open { interarrival, poisson: false } => interarrival,
            ArrivalProcess::Closed { .. } | ArrivalProcess::Traced => Span::MAX,
        }
    }

    /// Returns the time that a job of a closed stream thinks between the end of an I/O and its next; zero for an open stream.
    #[inline]
    pub fn think(&mut self) -> Span {
        match self.arrivals {
            ArrivalProcess::Closed { think, exponential: true, .. } => self.think.exponential(think),
            ArrivalProcess::Closed { think, exponential: false, .. } => think,
            ArrivalProcess::Open { .. } | ArrivalProcess::Traced => Span::ZERO,
        }
    }
}

/// Returns true `ppm` times in a million. What is certain needs no draw: nobody else draws from the stream.
#[inline]
pub(crate) fn chance_ppm(stream: &mut RandomStream, ppm: u32) -> bool {
    match ppm {
        0 => false,
        1_000_000.. => true,
        ppm => stream.chance_ppm(ppm),
    }
}

#[cfg(test)]
mod tests {
    use halftrack_config::{Locality, ProtocolChoice};
    use halftrack_program::{Grouping, Operation, Positioning, ProgramShape};

    use super::*;

    const CLOSED: Arrivals = Arrivals::Closed { jobs: 4, think: Span::from_us(50), exponential: true };
    const OPEN: Arrivals = Arrivals::Open { interarrival: Span::from_us(200), poisson: true };

    fn stream(selection: Selection, arrivals: Arrivals) -> Stream {
        let shape = |operation| ProgramShape {
            operation,
            record_bytes: 4096,
            records: 1,
            grouping: Grouping::Records,
            positioning: Positioning::Prefix,
        };
        Stream {
            name: "oltp".to_owned(),
            lpar: 0,
            devices: (100..116).collect(),
            selection,
            read: shape(Operation::Read),
            write: shape(Operation::UpdateWrite),
            read_ppm: 700_000,
            hit_ppm: 900_000,
            hit_ppm_of_device: Vec::new(),
            locality: None,
            synchronous: None,
            compression: None,
            protocol: ProtocolChoice::Eligible,
            arrivals,
        }
    }

    fn requests(stream: &Stream, seed: u64, count: usize) -> Vec<Request> {
        let mut state = StreamState::new(stream, seed);
        (0..count).map(|_| state.next_request(0)).collect()
    }

    #[test]
    fn vectors_are_fixed() {
        let mut state = StreamState::new(&stream(Selection::Uniform, OPEN), 1);
        let devices: Vec<_> = (0..8).map(|_| state.next_request(0).device).collect();
        assert_eq!(devices, [1, 6, 4, 6, 0, 10, 7, 10]);
        let spans: Vec<_> = (0..3).map(|_| state.next_interarrival().as_ps()).collect();
        assert_eq!(spans, [334_964_767, 80_521_772, 37_068_227]);
        let mut state = StreamState::new(&stream(Selection::Zipf { exponent: 0.8 }, CLOSED), 1);
        let devices: Vec<_> = (0..8).map(|_| state.next_request(0).device).collect();
        assert_eq!(devices, [1, 4, 0, 7, 1, 0, 1, 7]);
        let spans: Vec<_> = (0..3).map(|_| state.think().as_ps()).collect();
        assert_eq!(spans, [771_860, 9_568_693, 53_242]);
    }

    /// 70,000 reads of 100,000 with a standard deviation of 145; 63,000 read hits of 70,000 with one of 79.
    #[test]
    fn shares_of_reads_and_hits() {
        let drawn = requests(&stream(Selection::Uniform, CLOSED), 3, 100_000);
        let reads = drawn.iter().filter(|request| !request.write).count();
        assert!(reads.abs_diff(70_000) < 580, "{reads} reads");
        let hits = drawn.iter().filter(|request| !request.write && request.hit).count();
        assert!((hits as f64 / reads as f64 - 0.9).abs() < 0.005, "{hits} hits of {reads} reads");
        assert!(drawn.iter().all(|request| !request.write || request.hit), "writes are fast writes");
    }

    /// Every other device is in a box that finds nothing.
    #[test]
    fn devices_of_unlike_boxes_hit_unlike() {
        let mut unlike = stream(Selection::Sequential, OPEN);
        unlike.hit_ppm_of_device = [0, 1_000_000].repeat(8);
        let reads = requests(&unlike, 3, 1000).into_iter().filter(|request| !request.write);
        assert!(reads.into_iter().all(|request| request.hit == (request.device % 2 == 1)));
        assert_eq!(unlike.hit_ppms().max(), Some(1_000_000));
    }

    #[test]
    fn extreme_shares_are_exact() {
        let mut pure = stream(Selection::Uniform, CLOSED);
        (pure.read_ppm, pure.hit_ppm) = (1_000_000, 0);
        assert!(requests(&pure, 3, 1000).iter().all(|request| !request.write && !request.hit));
        pure.read_ppm = 0;
        assert!(requests(&pure, 3, 1000).iter().all(|request| request.write && request.hit));
    }

    /// The mean of 40,000 exponential spans is within 2.5 % of their mean at five standard deviations.
    #[test]
    fn means_of_arrivals_and_think_times() {
        let mut open = StreamState::new(&stream(Selection::Uniform, OPEN), 5);
        let mean_ps = (0..40_000).map(|_| open.next_interarrival().as_ps()).sum::<u64>() / 40_000;
        assert!(mean_ps.abs_diff(200_000_000) < 5_000_000, "{mean_ps} ps between arrivals");
        let mut closed = StreamState::new(&stream(Selection::Uniform, CLOSED), 5);
        let mean_ps = (0..40_000).map(|_| closed.think().as_ps()).sum::<u64>() / 40_000;
        assert!(mean_ps.abs_diff(50_000_000) < 1_250_000, "{mean_ps} ps of thought");
    }

    #[test]
    fn constant_spans() {
        let think = Span::from_us(50);
        let constant = Arrivals::Closed { jobs: 2, think, exponential: false };
        let mut closed = StreamState::new(&stream(Selection::Uniform, constant), 1);
        assert_eq!((closed.think(), closed.next_interarrival(), closed.jobs()), (think, Span::MAX, 2));
        let interarrival = Span::from_us(200);
        let even = Arrivals::Open { interarrival, poisson: false };
        let mut open = StreamState::new(&stream(Selection::Uniform, even), 1);
        assert_eq!((open.think(), open.next_interarrival(), open.jobs()), (Span::ZERO, interarrival, 0));
    }

    #[test]
    fn purposes_do_not_disturb_each_other() {
        let base = stream(Selection::Zipf { exponent: 1.0 }, OPEN);
        let drawn = requests(&base, 9, 1000);
        let fewer_reads = requests(&Stream { read_ppm: 100_000, ..base.clone() }, 9, 1000);
        for (left, right) in drawn.iter().zip(&fewer_reads) {
            assert_eq!(left.device, right.device);
            assert!(left.write || right.write || left.hit == right.hit);
        }
        let in_order = requests(&Stream { selection: Selection::Sequential, ..base.clone() }, 9, 1000);
        assert!(
            drawn
                .iter()
                .zip(&in_order)
                .all(|(left, right)| (left.write, left.hit) == (right.write, right.hit))
        );
        let mut arriving = StreamState::new(&base, 9);
        let between: Vec<_> = (0..1000)
            .map(|_| {
                arriving.next_interarrival();
                arriving.next_request(0)
            })
            .collect();
        assert_eq!(drawn, between);
    }

    #[test]
    fn names_and_seeds_tell_streams_apart() {
        let base = stream(Selection::Uniform, OPEN);
        assert_eq!(requests(&base, 1, 50), requests(&base, 1, 50));
        assert_ne!(requests(&base, 1, 50), requests(&base, 2, 50));
        assert_ne!(
            requests(&base, 1, 50),
            requests(&Stream { name: "batch".to_owned(), ..base.clone() }, 1, 50)
        );
    }

    #[test]
    fn an_open_sequential_stream_has_one_round_for_all() {
        let mut state = StreamState::new(&stream(Selection::Sequential, OPEN), 1);
        let devices: Vec<_> = (0..18).map(|job| state.next_request(job * 7).device).collect();
        assert_eq!(devices, (0..16).chain(0..2).collect::<Vec<_>>());
    }

    #[test]
    fn the_upcoming_request_is_the_next_one_and_unknown_where_the_job_decides() {
        for (selection, arrivals) in [
            (Selection::Uniform, CLOSED),
            (Selection::Zipf { exponent: 1.0 }, OPEN),
            (Selection::Sequential, OPEN),
        ] {
            let mut state = StreamState::new(&stream(selection, arrivals), 4);
            for job in [0, 3, 1, 1, 2, 0] {
                let upcoming = state.upcoming();
                assert_eq!(Some(state.next_request(job)), upcoming);
            }
        }
        let mut rounds = StreamState::new(&stream(Selection::Sequential, CLOSED), 4);
        assert_eq!((rounds.upcoming(), rounds.next_request(2).device), (None, 8));
        assert_eq!(rounds.upcoming(), None);
    }

    #[test]
    fn tracks_are_drawn_beside_the_rest_and_in_their_proportions() {
        let base = stream(Selection::Uniform, OPEN);
        let drawn = requests(&base, 9, 20_000);
        for (exponent, first) in [(None, 0.1), (Some(1.0), 0.3414)] {
            let locality = Some(Locality { tracks: 10, exponent });
            let with = requests(&Stream { locality, ..base.clone() }, 9, 20_000);
            for (left, right) in drawn.iter().zip(&with) {
                assert_eq!((left.device, left.write, left.track), (right.device, right.write, None));
                assert!(right.hit && right.track.is_some_and(|track| track < 10));
            }
            let share = with.iter().filter(|one| one.track == Some(0)).count() as f64 / 20_000.0;
            assert!((share - first).abs() < 0.017, "{share} of the first of ten, expected {first}");
        }
    }

    #[test]
    fn a_copy_of_a_state_goes_on_alike() {
        let mut state = StreamState::new(&stream(Selection::Zipf { exponent: 1.1 }, CLOSED), 1);
        state.next_request(0);
        let mut copy = state.clone();
        for job in 0..4 {
            assert_eq!((state.next_request(job), state.think()), (copy.next_request(job), copy.think()));
        }
    }

    #[test]
    fn drawing_allocates_nothing() {
        for selection in [Selection::Uniform, Selection::Zipf { exponent: 1.0 }, Selection::Sequential] {
            let mut state = StreamState::new(&stream(selection, CLOSED), 1);
            let counted = allocation_counter::measure(|| {
                for job in 0..4 {
                    state.next_request(job);
                    state.think();
                    state.next_interarrival();
                }
            });
            assert_eq!(counted.count_total, 0);
        }
    }

    #[test]
    #[should_panic(expected = "stream oltp has no device")]
    fn a_stream_without_devices_is_refused() {
        StreamState::new(&Stream { devices: Vec::new(), ..stream(Selection::Uniform, OPEN) }, 1);
    }
}
