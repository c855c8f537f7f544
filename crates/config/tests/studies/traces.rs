//! Streams that follow a trace, and the messages where it does not suit them.

use std::collections::BTreeMap;

use halftrack_base::Span;
use halftrack_catalog::Catalog;
use halftrack_config::{Arrivals, Configuration, Loaded, StudyFiles, Trace, configure};
use halftrack_input::SourceFile;
use halftrack_input::messages::study as numbers;
use halftrack_program::Operation;

use crate::site::Site;

const HEADER: &str = "at_us,device,track,op,bytes\n";

/// A site and the rows of its `io.csv`.
struct Study {
    site: Site,
    rows: String,
}

/// Returns the site whose stream OLTP, on 1000-100F and 2000, follows `rows`; both boxes have a cache.
fn study(rows: &str) -> Study {
    let cached = |site: Site, volser: &str| site.plant(volser, &format!("{volser}\ncache_tracks = 5000"));
    let site = cached(cached(Site::new(), "volser = \"BA####\""), "volser = \"BB####\"")
        .workload("open = { rate_per_s = 5000 }", "trace = \"io.csv\"")
        .workload("select = { zipf = 0.9 }\n", "")
        .workload("read_share = 0.7\nhit_ratio = 0.9\n", "");
    Study { site, rows: rows.to_owned() }
}

impl Study {
    fn plant(self, from: &str, to: &str) -> Self {
        Self { site: self.site.plant(from, to), ..self }
    }

    fn workload(self, from: &str, to: &str) -> Self {
        Self { site: self.site.workload(from, to), ..self }
    }

    fn assemble(&self) -> Loaded {
        let file = |name: &str, text: &str| SourceFile::new(name, text);
        let files = StudyFiles {
            name: "site".to_owned(),
            deck: file("deck.iocp", &self.site.deck),
            further_decks: BTreeMap::new(),
            hardware: Default::default(),
            plant: file("plant.toml", &self.site.plant),
            workload: file("workload.toml", &self.site.workload),
            traces: BTreeMap::from([(
                "io.csv".to_owned(),
                file("io.csv", &format!("{HEADER}{}", self.rows)),
            )]),
            samples: BTreeMap::new(),
            faults: None,
        };
        configure(&files, &Catalog::load(&[]).0)
    }

    fn configuration(&self) -> Configuration {
        let loaded = self.assemble();
        assert_eq!(loaded.diagnostics, []);
        loaded.configuration.expect("a configuration when there is no message")
    }
}

/// One good line.
const ROW: &str = "0,1000,0,read,4096\n";

fn trace(site: &Study) -> Trace {
    let stream = site.configuration().streams.into_iter().find(|stream| stream.name == "OLTP").expect("OLTP");
    let Arrivals::Traced(trace) = stream.arrivals else { panic!("{:?}", stream.arrivals) };
    Trace::clone(&trace)
}

#[track_caller]
fn refused(site: &Study, number: u16, place: &str, words: &str) {
    let loaded = site.assemble();
    assert!(loaded.configuration.is_none());
    let lines: Vec<_> = loaded.diagnostics.iter().map(ToString::to_string).collect();
    assert_eq!(lines.len(), 1, "{lines:#?}");
    let one = &loaded.diagnostics[0];
    assert!(one.number == number && lines[0].contains(place) && one.message.contains(words), "{one}");
    assert!(one.fix.is_some(), "{one}");
}

#[test]
fn rows_have_the_devices_and_programs_of_the_stream() {
    let site =
        study("0,1000,7,read,4096\n10.5,2000,8,read,8192\n10.5,100F,9,write,55996\n90,1000,7,read,8192\n");
    let trace = trace(&site);
    let rows: Vec<_> =
        trace.rows.iter().map(|row| (row.at.as_ps(), row.device, row.track, row.program)).collect();
    assert_eq!(rows, [(0, 0, 7, 0), (10_500_000, 16, 8, 1), (10_500_000, 15, 9, 2), (90_000_000, 0, 7, 1)]);
    let programs: Vec<_> =
        trace.programs.iter().map(|one| (one.operation, one.record_bytes, one.records)).collect();
    let (read, write) = (Operation::Read, Operation::UpdateWrite);
    assert_eq!(programs, [(read, 4096, 1), (read, 4096, 2), (write, 27_998, 2)]);
    assert!(trace.looked_up && trace.period.is_none());
    assert_eq!(site.configuration().streams[1].read_ppm, 750_000);
}

/// To its last row, and on by the mean time between rows: 30 us of 90.
#[test]
fn a_trace_repeats_after_its_length_and_one_gap() {
    let site = study("0,1000,0,read,4096\n20,1000,0,read,4096\n50,1001,0,read,4096\n90,1000,0,read,4096\n");
    let repeated = site.workload("trace = \"io.csv\"", "trace = \"io.csv\"\nrepeat = true");
    assert_eq!(trace(&repeated).period, Some(Span::from_us(120)));
}

#[test]
fn without_a_cache_hits_are_drawn() {
    let drawn = study(ROW)
        .plant("\ncache_tracks = 5000", "")
        .plant("\ncache_tracks = 5000", "")
        .workload("trace = \"io.csv\"", "trace = \"io.csv\"\nhit_ratio = 0.5");
    assert!(!trace(&drawn).looked_up);
    assert_eq!(drawn.configuration().streams[1].hit_ppm, 500_000);
}

#[test]
fn what_does_not_suit_is_said_at_its_line() {
    let misfit = |row: &str, place: &str, words: &str| {
        refused(&study(&format!("{ROW}{row}")), numbers::TRACE_MISFIT, place, words);
    };
    misfit("1,1010,0,read,4096", "io.csv:3:3", "device 1010 is none of stream OLTP");
    misfit("1,1.1000,0,read,4096", "io.csv:3:3", "device 1.1000 is none of stream OLTP");
    misfit("1,1000,150255,read,4096", "io.csv:3:8", "device 1000 has 150255 tracks");
    misfit("1,1000,0,read,4097", "io.csv:3:15", "4097 bytes are not 1 to 4096 records of 4096 bytes");
    misfit("1,1000,0,read,0", "io.csv:3:15", "0 bytes are not 1 to 4096 records");
    misfit("1,1000,0,write,4096", "io.csv:3:16", "4096 bytes are not 1 to 4096 records of 27998 bytes");
    refused(&study("1,1000,0,read"), numbers::TRACE_LINE, "io.csv:2:1", "has 4 columns");
}

#[test]
fn many_misfits_are_not_all_shown() {
    let loaded = study(&"0,1010,0,read,4096\n".repeat(500)).assemble();
    assert_eq!(loaded.diagnostics.len(), 10);
}

#[test]
fn a_trace_that_is_not_there_or_empty_or_cannot_repeat_is_refused() {
    let other = study(ROW).workload("io.csv", "oi.csv");
    refused(&other, numbers::NO_TRACE, "workload.toml:", "follows oi.csv, which the study does not have");
    refused(&study(""), numbers::NO_TRACE, "workload.toml:", "io.csv has no I/O");
    let still = study(ROW).workload("trace = \"io.csv\"", "trace = \"io.csv\"\nrepeat = true");
    refused(&still, numbers::NO_TRACE, "workload.toml:", "takes no time");
    let cacheless = study(ROW).plant("volser = \"BB####\"\ncache_tracks = 5000", "volser = \"BB####\"");
    refused(&cacheless, numbers::NO_CACHE, "workload.toml:", "the size of the cache of BOXB is missing");
}
