//! Cards at work in virtual time: requests of clients, slices and updates. Whoever has the clock calls it, and gives the ends of
//! slices back when their time has come.

use std::collections::BTreeMap;

use halftrack_base::{Span, Time, for_bytes};
use halftrack_zedc::sizing::CardSpeed;
use halftrack_zedc::{
    Answer, Autonomous, CARDS_MAX, Caller, CardId, Completion, Counters, FunctionPlace, FunctionState,
    OUTPUT_BYTES_MAX, Options, Partition, PartitionId, RegionToken, RendezvousToken, RequestId,
    ResourceGroup, Segment, SpaceId,
};

use crate::installation::{Installation, Place, PlacedFunction};
use crate::lengths::{AREA_BYTES, LengthEngine, LengthSpaces, LengthStorage, REGIONS};

/// Client of the cards: an address space of a partition, whose data shrink alike.
#[derive(Debug)]
struct Client {
    /// Index of its partition.
    partition: usize,
    token: RendezvousToken,
    /// Regions of input and output.
    regions: [RegionToken; 2],
}

/// End of a slice that has begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SliceEnd {
    /// When it ends.
    pub at: Time,
    /// Card.
    pub card: u8,
    /// Number of the slice on the card.
    pub number: u32,
}

/// End of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestEnd {
    /// Client.
    pub client: usize,
    /// Request, unique in its partition.
    pub request: RequestId,
    /// A card has done it; else software does.
    pub is_done: bool,
}

/// Cards of a machine at work.
#[derive(Debug)]
pub struct CardWork {
    /// Time of a request beside its data.
    setup: Span,
    /// Rate of a card.
    bytes_per_s: u64,
    installation: Installation,
    partitions: Vec<Partition>,
    clients: Vec<Client>,
    by_token: BTreeMap<RendezvousToken, usize>,
    spaces: LengthSpaces,
    /// Number of the last slice of each card.
    slices: [u32; CARDS_MAX],
    busy: [Busy; CARDS_MAX],
    /// Cards that are not in their slots.
    pulled: [bool; CARDS_MAX],
}

/// Time that a card has worked.
#[derive(Debug, Clone, Copy, Default)]
struct Busy {
    /// Slices that have begun, all of each.
    begun: Span,
    /// When the last of them ends.
    ends: Time,
}

impl Busy {
    fn begin(&mut self, now: Time, length: Span) {
        (self.begun, self.ends) = (self.begun + length, now + length);
    }

    /// Returns the time that it has worked up to `now`.
    fn up_to(&self, now: Time) -> Span {
        self.begun - self.ends.saturating_since(now)
    }

    fn stop(&mut self, now: Time) {
        (self.begun, self.ends) = (self.up_to(now), self.ends.min(now));
    }
}

impl CardWork {
    /// Has the cards of `installation`, whose speed is `speed`, serve `clients`: the partition of each and the ratio of its data.
    pub fn new<'a>(
        installation: Installation,
        speed: CardSpeed,
        clients: impl Iterator<Item = (&'a str, f64)> + Clone,
    ) -> Self {
        let storages = clients.clone().map(|(_, ratio)| LengthStorage::new(ratio)).collect();
        let mut work = Self {
            setup: Span::from_us_f64(speed.setup_us),
            bytes_per_s: ((speed.mb_per_s * 1e6) as u64).max(1),
            installation,
            partitions: Vec::new(),
            clients: Vec::new(),
            by_token: BTreeMap::new(),
            spaces: LengthSpaces { storages, last: 0 },
            slices: [0; CARDS_MAX],
            busy: [Busy::default(); CARDS_MAX],
            pulled: [false; CARDS_MAX],
        };
        let mut names: Vec<&str> = Vec::new();
        for (partition, _) in clients {
            let index = names.iter().position(|name| *name == partition).unwrap_or_else(|| {
                names.push(partition);
                work.add_partition(partition);
                names.len() - 1
            });
            work.add_client(index);
        }
        work
    }

    /// Adds a partition, to which its functions are allocated.
    fn add_partition(&mut self, name: &str) {
        let mut partition = Partition::new(PartitionId(self.partitions.len() as u8), true);
        for function in &self.installation.functions {
            if let (Place::Card(place), Some(owner)) = (function.place, &function.partition)
                && owner == name
            {
                let attached = partition.attach(place, &mut self.installation.cpc);
                attached.expect("a function is configured, and belongs to one partition");
            }
        }
        self.partitions.push(partition);
    }

    fn add_client(&mut self, partition: usize) {
        let at = self.clients.len();
        let owner = &mut self.partitions[partition];
        let caller = Caller { space: SpaceId(at as u64), application: 1, is_authorized: true };
        let token = owner.rendezvous(caller).expect("an authorized caller of the known application");
        let register = |region| owner.register(token, region, &mut self.spaces);
        let regions = REGIONS.map(register).map(|region| region.expect("regions apart from each other"));
        self.spaces.storages[at].take_slice();
        self.by_token.insert(token, at);
        self.clients.push(Client { partition, token, regions });
    }

    /// Starts a request of a client for data of so many octets; `None` when no card takes it, and software does it.
    pub fn request(&mut self, client: usize, bytes: u32, now: Time) -> Option<RequestId> {
        let Client { partition, token, regions: [input, output] } = self.clients[client];
        let parameters = Autonomous {
            options: Options::default(),
            input: &[Segment { region: input, address: 0, length_bytes: bytes }],
            output: &[Segment { region: output, address: AREA_BYTES, length_bytes: OUTPUT_BYTES_MAX as u32 }],
        };
        self.partitions[partition].compress(token, parameters, &mut self.installation.cpc, now).ok()
    }

    /// Ends a slice, unless its card was taken away meanwhile.
    pub fn end_slice(&mut self, card: u8, number: u32, now: Time) {
        if let Some(id) = CardId::new(card).filter(|_| self.slices[usize::from(card)] == number) {
            self.installation.cpc.card_mut(id).end_slice(now);
        }
    }

    /// Begins the update of the firmware of a group; while another one lasts nothing happens.
    pub fn begin_update(&mut self, group: ResourceGroup, now: Time) {
        let cpc = &mut self.installation.cpc;
        if cpc.begin_update(group, now).is_err() {
            return;
        }
        let updated: Vec<CardId> = cpc.cards().filter(|id| cpc.card(*id).group() == group).collect();
        for id in updated {
            self.stop_slice(id, now);
        }
    }

    /// Gives up the slice that a card has begun.
    fn stop_slice(&mut self, card: CardId, now: Time) {
        self.slices[usize::from(card.get())] += 1;
        self.busy[usize::from(card.get())].stop(now);
    }

    /// Ends the update of the firmware of a group, if it is under way.
    pub fn end_update(&mut self, group: ResourceGroup) {
        if self.installation.cpc.update() == Some(group) {
            self.installation.cpc.end_update();
        }
    }

    /// Takes a card out of its slot: its functions stand by, and its requests go elsewhere.
    pub fn pull(&mut self, card: CardId, now: Time) {
        self.pulled[usize::from(card.get())] = true;
        self.installation.cpc.card_mut(card).lose(now);
        self.stop_slice(card, now);
    }

    /// Puts a card that was pulled into its slot; it serves at once, unless its firmware is updated.
    pub fn plug(&mut self, card: CardId, now: Time) {
        self.pulled[usize::from(card.get())] = false;
        self.installation.cpc.restore(card, now);
    }

    /// Collects ends of requests, those of lost cards being started again elsewhere, and begins slices on cards that are free.
    pub fn settle(&mut self, now: Time, mut ends: impl FnMut(RequestEnd), slices: impl FnMut(SliceEnd)) {
        for partition in &mut self.partitions {
            partition.collect(&mut self.installation.cpc);
            while let Some((token, Completion { id: request, answer, .. })) = partition.poll() {
                if let Some(client) = self.by_token.get(&token) {
                    ends(RequestEnd { client: *client, request, is_done: answer == Answer::Done });
                }
            }
        }
        self.begin_slices(now, slices);
    }

    fn begin_slices(&mut self, now: Time, mut slices: impl FnMut(SliceEnd)) {
        for id in self.installation.cpc.cards() {
            let card = self.installation.cpc.card_mut(id);
            if card.begin_slice(&mut LengthEngine, &mut self.spaces, now).is_none() {
                continue;
            }
            let (bytes, is_first) = self.spaces.storages[self.spaces.last].take_slice();
            let setup = if is_first { self.setup } else { Span::ZERO };
            let number = &mut self.slices[usize::from(id.get())];
            *number += 1;
            let length = setup + for_bytes(bytes, self.bytes_per_s);
            self.busy[usize::from(id.get())].begin(now, length);
            let at = now + length;
            slices(SliceEnd { at, card: id.get(), number: *number });
        }
    }

    /// Returns how long a card has worked since the start, up to `now`.
    pub fn busy(&self, card: CardId, now: Time) -> Span {
        self.busy[usize::from(card.get())].up_to(now)
    }

    /// Returns the functions, by identifier.
    pub fn functions(&self) -> &[PlacedFunction] {
        &self.installation.functions
    }

    /// Returns the counts of a function since the start.
    pub fn counters(&self, function: &PlacedFunction) -> Counters {
        match function.place {
            Place::Card(FunctionPlace { card, vf }) => {
                self.installation.cpc.card(card).counters(vf).unwrap_or_default()
            }
            Place::StandBy => Counters::default(),
        }
    }

    /// Returns resource group and state of a function; `None` while it stands by.
    pub fn condition(&self, function: &PlacedFunction) -> Option<(ResourceGroup, FunctionState)> {
        match function.place {
            Place::StandBy => None,
            Place::Card(at) if self.pulled[usize::from(at.card.get())] => None,
            Place::Card(at) => {
                let card = self.installation.cpc.card(at.card);
                Some((card.group(), card.state(at.vf).ok()?))
            }
        }
    }
}

/// Returns the state of a function as `D PCIE` shows it; `None` is that of one without a card.
pub const fn shown_state(state: Option<FunctionState>) -> &'static str {
    match state {
        None => "STBY",
        Some(FunctionState::Configured) => "CNFG",
        Some(FunctionState::Allocated) => "ALLC",
        Some(FunctionState::DeallocatePending) => "DALP",
        Some(FunctionState::InError) => "ERR",
        Some(FunctionState::InUpdate) => "UPDT",
    }
}
