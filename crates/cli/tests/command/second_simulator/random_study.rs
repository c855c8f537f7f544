//! Small studies at random: one or two channels, a director, up to four ports, and a load that is known.

use halftrack_engine::RandomStream;

use crate::support::{Study, number, reports};

/// How many there are.
pub const STUDIES: u64 = 20;
const SEED: u64 = 20;

/// The parts of a study.
pub struct RandomStudy {
    is_command: bool,
    is_transport: bool,
    pub is_port_bound: bool,
    pub is_open: bool,
    pub read_share: f64,
    pub hit_ratio: f64,
    channels: u64,
    ports: u64,
    /// Of the rate that 64 jobs of each stream reach.
    load: f64,
    hyperpav: &'static str,
    card: &'static str,
    km: f64,
    records: u64,
    positioning: &'static str,
    transport_program: &'static str,
}

impl RandomStudy {
    /// Makes the study of this number.
    pub fn new(index: u64) -> Self {
        let mut random = RandomStream::new(SEED, &format!("study {index}"));
        let mut between =
            |low: f64, high: f64| (1000.0 * (low + (high - low) * random.unit_f64())).round() / 1000.0;
        let (is_port_bound, is_open) = (index.is_multiple_of(3), index % 5 < 2);
        // The response of a fuller open study is known to half a per cent after tens of millions of I/Os only.
        let load = if is_open { between(0.5, 0.62) } else { between(0.6, 0.95) };
        let hit_ratio = if index.is_multiple_of(2) { between(0.5, 0.95) } else { 1.0 };
        let read_share = if (index / 2).is_multiple_of(2) { between(0.4, 0.9) } else { 1.0 };
        let km = between(0.1, 1.0);
        let mut one_of = |n: u64| random.below(n);
        Self {
            is_command: index % 4 != 1,
            is_transport: matches!(index % 4, 1 | 2),
            is_port_bound,
            is_open,
            read_share,
            hit_ratio,
            channels: if is_port_bound { 2 } else { 1 + one_of(2) },
            ports: if is_port_bound { 1 } else { 3 + one_of(2) },
            load,
            hyperpav: ["YES", "YES", "NO"][one_of(3) as usize],
            card: ["fex32s", "fex16sp"][one_of(2) as usize],
            km,
            records: 1 + one_of(3),
            positioning: ["prefix", "define-extent"][one_of(2) as usize],
            transport_program: ["block = \"4K\"", "block = \"4K\", records = 8", "block = \"half-track\""]
                [one_of(3) as usize],
        }
    }

    /// Streams: one for each protocol.
    pub fn streams(&self) -> usize {
        usize::from(self.is_command) + usize::from(self.is_transport)
    }

    /// Returns whether some of its I/Os are in command mode.
    pub fn has_command_mode(&self) -> bool {
        self.is_command
    }

    /// Describes it in words.
    pub fn words(&self) -> String {
        let mut words = vec![if self.is_open { "open" } else { "closed" }];
        words.extend(self.is_command.then_some("command"));
        words.extend(self.is_transport.then_some("transport"));
        words.extend(self.is_port_bound.then_some("port-bound"));
        words.extend((self.hit_ratio < 1.0).then_some("misses"));
        words.extend((self.read_share < 1.0).then_some("writes"));
        format!("{}, load {:.2}", words.join(" "), self.load)
    }

    /// Writes its files, with the work of its load.
    pub fn write(&self) -> Study {
        let study = Study::copy("fex32s-zhpf-4k");
        study.edit("deck.iocp", |_| self.deck());
        study.edit("plant.toml", |_| self.plant());
        let rates = |jobs: u64| {
            study.edit("workload.toml", |_| self.workload(0.1, &|_| format!("closed = {{ jobs = {jobs} }}")));
            let object = reports(&study, &[]);
            let rate = |stream| number(&object, &format!("/summary/streams/{stream}/rate_per_s/mean"));
            (0..self.streams()).map(rate).collect::<Vec<_>>()
        };
        let most = rates(64);
        let arrivals: Box<dyn Fn(usize) -> String> = if self.is_open {
            Box::new(move |stream| format!("open = {{ rate_per_s = {:.0} }}", self.load * most[stream]))
        } else {
            let enough =
                |jobs: &u64| rates(*jobs).iter().sum::<f64>() >= self.load * most.iter().sum::<f64>();
            let jobs =
                [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48].into_iter().find(enough).unwrap_or(64);
            Box::new(move |_| format!("closed = {{ jobs = {jobs} }}"))
        };
        study.edit("workload.toml", |_| self.workload(4.0, &*arrivals));
        study
    }

    fn deck(&self) -> String {
        let continued = |text: String| format!("{text:<71}*\n               ");
        let gone_on = |text: String| format!("{text:<56}*\n               ");
        let mut deck = String::from("         ID SYSTEM=(3931,1)\n");
        deck += &continued(String::from("         RESOURCE PARTITION=((CSS(0),(PROD1,1))),"));
        deck += "MAXDEV=((CSS(0),65280,65535))\n";
        for channel in 0..self.channels {
            deck += &format!(
                "         CHPID PATH=(CSS(0),4{channel}),SHARED,SWITCH=11,PCHID=1{channel}0,TYPE=FC\n"
            );
        }
        for port in 0..self.ports {
            let (mut path, mut link) = (String::from("(CSS(0)"), String::from("(CSS(0)"));
            for channel in 0..self.channels {
                path += &format!(",4{channel}");
                link += &format!(",0{}", 4 + port);
            }
            deck += &continued(format!("         CNTLUNIT CUNUMBR=1{port}00,PATH=({path})),"));
            deck += &gone_on(format!("UNITADD=((00,256)),LINK=({link})),"));
            deck += &format!("CUADD={port},UNIT=2107\n");
            deck += &format!("         IODEVICE ADDRESS=(1{port}00,064),CUNUMBR=(1{port}00),UNIT=3390B\n");
            deck += &continued(format!(
                "         IODEVICE ADDRESS=(1{port}40,192),CUNUMBR=(1{port}00),SCHSET=1,"
            ));
            deck += "UNIT=3390A\n";
        }
        deck
    }

    fn plant(&self) -> String {
        let (card, hyperpav, km) = (self.card, self.hyperpav, self.km);
        let mut plant = format!(
            "[cpc]
model = \"z16-max39\"

[[lpar]]
name = \"PROD1\"
cps = 8
zhpf = \"YES\"
hyperpav = \"{hyperpav}\"

[[director]]
id = \"11\"
type = \"director-32g\"

[[control_unit]]
name = \"BOXA\"
type = \"ds8950\"
"
        );
        for port in 0..self.ports {
            plant += &format!(
                "\n[[control_unit.port]]\nid = \"0{port}30\"\nto = \"11.0{}\"\nkm = 0.1\n",
                4 + port
            );
        }
        for channel in 0..self.channels {
            plant += &format!("\n[[card]]\ntype = \"{card}\"\npchids = [\"1{channel}0\"]\n");
            plant += &format!("\n[[cable]]\npchid = \"1{channel}0\"\nto = \"11.2{channel}\"\nkm = {km}\n");
        }
        plant
    }

    fn workload(&self, interval_s: f64, arrivals: &dyn Fn(usize) -> String) -> String {
        let mut workload = format!("[run]\nwarmup_s = 0.1\ninterval_s = {interval_s}\n");
        let devices: Vec<_> = (0..self.ports).map(|port| format!("\"1{port}00-1{port}3F\"")).collect();
        let command =
            format!("block = \"4K\", records = {}, positioning = \"{}\"", self.records, self.positioning);
        let kinds = [
            ("command", command.as_str(), self.is_command),
            ("transport", self.transport_program, self.is_transport),
        ];
        for (stream, (protocol, program, _)) in kinds.iter().filter(|(_, _, there)| *there).enumerate() {
            workload += &format!(
                "
[[stream]]
name = \"{protocol}\"
lpar = \"PROD1\"
devices = [{}]
program = {{ {program} }}
protocol = \"{protocol}\"
read_share = {}
hit_ratio = {}
{}
",
                devices.join(", "),
                self.read_share,
                self.hit_ratio,
                arrivals(stream),
            );
        }
        workload
    }
}
