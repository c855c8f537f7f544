//! Answers of the services.

use std::collections::BTreeSet;

use halftrack_program::StorageKey;

use crate::rig::*;
use crate::*;

/// Machine, and the answers that its services have given.
struct Desk {
    machine: Machine,
    given: BTreeSet<(u8, u16)>,
}

impl Desk {
    fn new() -> Self {
        Self { machine: Machine::new(1, 1), given: BTreeSet::new() }
    }

    fn expect<T: std::fmt::Debug>(&mut self, result: Result<T, Answer>, answer: Answer) {
        let got = result.map_or_else(|answer| answer, |_| Answer::Done);
        assert_eq!(got, answer);
        self.given.insert((answer.return_code() as u8, answer.reason()));
    }

    fn compress(
        &mut self,
        options: Options,
        input: &[Segment],
        output: &[Segment],
    ) -> Result<RequestId, Answer> {
        let Program { partition, token, .. } = &mut self.machine.programs[0];
        let parameters = Autonomous { options, input, output };
        partition.compress(*token, parameters, &mut self.machine.cpc, self.machine.now)
    }

    /// Returns areas of so many octets in the two regions.
    fn areas(&self, bytes: u32) -> (Segment, Segment) {
        let program = &self.machine.programs[0];
        let segment = |region, address| Segment { region, address, length_bytes: bytes };
        (segment(program.input, 0), segment(program.output, AREA_BYTES as u64))
    }

    /// Expects the end of the one request in flight.
    fn expect_end(&mut self, answer: Answer) {
        let ended = self.machine.run().remove(0);
        assert_eq!(ended.len(), 1);
        self.expect(Err::<(), _>(ended[0].answer), answer);
    }

    fn callers(&mut self) {
        let caller = Caller { space: SpaceId(0), application: 1, is_authorized: true };
        let too_old = Partition::new(PartitionId(1), false).rendezvous(caller);
        self.expect(too_old, Answer::SoftwareLevel);
        let mut partition = Partition::new(PartitionId(1), true);
        self.expect(
            partition.rendezvous(Caller { is_authorized: false, ..caller }),
            Answer::WrongEnvironment,
        );
        self.expect(partition.rendezvous(Caller { application: 2, ..caller }), Answer::BadApplicationId);
        let token = partition.rendezvous(caller).expect("a token");
        self.expect(partition.probe(token, &self.machine.cpc), Answer::NoHardware);
        let strange = self.machine.programs[0].partition.probe(token, &self.machine.cpc);
        self.expect(strange, Answer::BadRendezvousToken);
        let known = self.machine.programs[0].token;
        let probed = self.machine.programs[0].partition.probe(known, &self.machine.cpc);
        self.expect(probed, Answer::Done);
    }

    fn regions(&mut self) {
        let page = Region { address: 0, length_bytes: PAGE_BYTES, key: KEY, is_in_data_space: false };
        self.machine.memory.0.insert(SpaceId(7), pages(KEY, REGIONS_MAX + 1));
        let mut partition = Partition::new(PartitionId(1), true);
        let caller = Caller { space: SpaceId(7), application: 1, is_authorized: true };
        let token = partition.rendezvous(caller).expect("a token");
        for (region, answer) in [
            (page, Answer::Done),
            (page, Answer::RegionOverlap),
            (Region { address: 1, ..page }, Answer::BadRegionAddress),
            (Region { length_bytes: 1, ..page }, Answer::BadRegionLength),
            (Region { address: PAGE_BYTES, key: 7, ..page }, Answer::KeyMismatch),
            (Region { is_in_data_space: true, ..page }, Answer::NoDataSpaces),
        ] {
            let registered = partition.register(token, region, &mut self.machine.memory);
            self.expect(registered, answer);
        }
        for at in 1..REGIONS_MAX as u64 {
            let region = Region { address: at * PAGE_BYTES, ..page };
            partition.register(token, region, &mut self.machine.memory).expect("there is room");
        }
        let one_more = Region { address: REGIONS_MAX as u64 * PAGE_BYTES, ..page };
        let registered = partition.register(token, one_more, &mut self.machine.memory);
        self.expect(registered, Answer::TooManyRegions);
        let unknown = partition.deregister(token, RegionToken(0), &mut self.machine.cpc, self.machine.now);
        self.expect(unknown, Answer::BadRegionToken);
        let ended = partition.end(token, &mut self.machine.cpc, self.machine.now);
        self.expect(ended, Answer::Done);
        let dropped = partition.register(token, page, &mut self.machine.memory);
        self.expect(dropped, Answer::BadRendezvousToken);
    }

    fn requests(&mut self) {
        let (input, output) = self.areas(4096);
        let long = Segment { length_bytes: INPUT_BYTES_MAX as u32 + 1, ..input };
        let outside = Segment { address: AREA_BYTES as u64 - 1, ..input };
        for (options, input, output, answer) in [
            (Options(1), vec![input], output, Answer::BadOptions),
            (Options::default(), vec![input, input], output, Answer::BadList),
            (Options::INPUT_LIST, vec![], output, Answer::BadList),
            (Options::default(), vec![long], output, Answer::TooLong),
            (Options::INPUT_LIST, vec![input; SEGMENTS_MAX], output, Answer::TooLong),
            (Options::default(), vec![outside], output, Answer::OutsideRegion),
            (
                Options::default(),
                vec![input],
                Segment { region: input.region, ..output },
                Answer::OutsideRegion,
            ),
            (Options::default(), vec![input], input, Answer::AreaOverlap),
        ] {
            let started = self.compress(options, &input, &[output]);
            self.expect(started, answer);
        }
        assert_eq!(self.machine.programs[0].partition.in_flight(), 0, "none of them was started");
        while self.compress(Options::default(), &[input], &[output]).is_ok() {}
        let full = self.compress(Options::default(), &[input], &[output]);
        self.expect(full, Answer::QueuesFull);
        let card = self.machine.cpc.cards().next().expect("a card");
        let card = self.machine.cpc.card_mut(card);
        card.lose(self.machine.now);
        let lost = card.collect(vf(1), PartitionId(0)).expect("a request was given back").answer;
        card.restore();
        self.expect(Err::<(), _>(lost), Answer::DeviceLost);
    }

    fn ends(&mut self) {
        self.machine = Machine::new(1, 1);
        for (data, answer) in [
            (vec![7], Answer::Corrupt),
            (vec![], Answer::Truncated),
            (vec![1, 1, 0, 0xFE, 0xFF, 0xAA], Answer::Done),
        ] {
            self.machine.put(0, &data);
            self.machine.start(0, Operation::Inflate, data.len(), 1).expect("a card takes it");
            self.expect_end(answer);
        }
        self.machine.start(0, Operation::Inflate, 6, 0).expect("a card takes it");
        self.expect_end(Answer::OutputTooSmall);
        let bomb = vec![0; 4 << 20];
        let mut stream = vec![0; 1 << 20];
        let bytes = software::deflate(&mut ZlibRs::default(), &bomb, &mut stream).expect("it shrinks");
        self.machine.put(0, &stream[..bytes]);
        self.machine.start(0, Operation::Inflate, bytes, OUTPUT_BYTES_MAX).expect("a card takes it");
        self.expect_end(Answer::ExpandsTooFar);
    }

    fn ends_from_without(&mut self) {
        self.machine = Machine::new(1, 1);
        let card = self.machine.cpc.cards().next().expect("a card");
        let start = |machine: &mut Machine| {
            machine.start(0, Operation::Deflate, 100_000, 200_000).expect("a card takes it");
            machine.slice(card).expect("there is work");
        };
        start(&mut self.machine);
        let second_page = AREA_BYTES as u64 + PAGE_BYTES;
        let storage = self.machine.memory.0.get_mut(&SpaceId(0)).expect("an address space");
        storage.bytes_mut()[..100_000].copy_from_slice(&incompressible(100_000));
        for page in 0..64 {
            let key = StorageKey::new(KEY + 1, false);
            storage.set_key(second_page + page * PAGE_BYTES, key).expect("a page");
        }
        self.expect_end(Answer::StorageFault);

        self.machine = Machine::new(1, 1);
        start(&mut self.machine);
        let Program { partition, token, output, .. } = &mut self.machine.programs[0];
        let (token, output) = (*token, *output);
        partition
            .deregister(token, output, &mut self.machine.cpc, self.machine.now)
            .expect("it is registered");
        self.expect_end(Answer::RegionFreed);

        self.machine = Machine::new(1, 1);
        start(&mut self.machine);
        let Program { partition, token, .. } = &mut self.machine.programs[0];
        partition.end(*token, &mut self.machine.cpc, self.machine.now).expect("it is known");
        self.expect_end(Answer::Ended);
    }
}

/// Every answer of the table is given by a service, and where it is expected.
#[test]
fn every_answer_is_given() {
    let mut desk = Desk::new();
    desk.callers();
    desk.regions();
    desk.requests();
    desk.ends();
    desk.ends_from_without();
    let missing =
        Answer::ALL.iter().filter(|one| !desk.given.contains(&(one.return_code() as u8, one.reason())));
    assert_eq!(missing.collect::<Vec<_>>(), Vec::<&Answer>::new());
}

/// Nothing is stored for a request whose region was deregistered, however far it was.
#[test]
fn a_region_is_not_touched_after_it_was_freed() {
    for slices in 0..=4 {
        let mut machine = Machine::new(2, 1);
        machine.put(0, &incompressible(100_000));
        machine.start(0, Operation::Deflate, 100_000, 200_000).expect("a card takes it");
        let card = machine.cpc.cards().next().expect("a card");
        for _ in 0..slices {
            machine.slice(card);
        }
        let Program { partition, token, output, .. } = &mut machine.programs[0];
        let freed = partition.deregister(*token, *output, &mut machine.cpc, machine.now);
        freed.expect("it is registered");
        machine.put(0, &text(100_000));
        let before = machine.output(0, AREA_BYTES).to_vec();
        let ended = machine.run().remove(0);
        let expected = if slices == 4 { Answer::Done } else { Answer::RegionFreed };
        assert_eq!((ended.len(), ended[0].answer), (1, expected));
        assert!(machine.output(0, AREA_BYTES) == before);
    }
}
