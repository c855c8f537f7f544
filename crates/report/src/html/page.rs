//! The page: head, key figures, and the sections in order.

use halftrack_config::Configuration;
use halftrack_drawing::{document, number};
use halftrack_record::{CheckerReport, Run, RunHeader};
use maud::{Markup, html};

use super::channels::ChannelFigures;
use super::response::Responses;
use super::topology::Figures;
use super::usage::Usage;
use super::{
    channels, compression, conversations, eadm, history, islinks, links, stations, streams, synchronous,
    topology,
};
use crate::RunSummary;
use crate::columns::channels::{READ, WRITE};
use crate::formula::{seconds, total};
use crate::records::Records;
use crate::summary::{machines, precision_words};

/// Violations of one law that are written out.
const VIOLATIONS_SHOWN: usize = 10;

/// Returns the whole page about `run` of the machine that `configuration` describes.
///
/// Records of parts that the configuration does not have are left out of the pictures.
pub fn html_report(run: &Run, configuration: &Configuration) -> String {
    let usage = Usage::of(run).with_guidelines(configuration);
    let summary = RunSummary::compute(run);
    let channels = ChannelFigures::of(run, configuration, usage.measured_ps);
    let responses = Responses::of(run, usage.measured_ps);
    let links_percent = links::percents(configuration, &usage);
    let zhyperlinks_percent = synchronous::percents(&run.intervals, configuration);
    let figures = Figures {
        usage: &usage,
        channels: &channels,
        responses: &responses,
        links_percent: &links_percent,
        zhyperlinks_percent: &zhyperlinks_percent,
    };
    let body = html! {
        (head(run, &summary))
        main {
            (key_figures(run, &usage, &responses))
            (topology::section(configuration, &figures))
            (stations::section(&usage, &summary))
            (channels::section(&channels))
            (links::section(configuration, &links_percent, &links::RareFigures::of(run)))
            (synchronous::section(run))
            (islinks::section(run))
            (compression::section(run, configuration))
            (conversations::section(run))
            (eadm::section(run))
            (streams::section(run))
            (responses.section())
            (history::section(run, &usage))
            (laws(&run.checkers))
        }
        footer { "Written by halftrack from one run; the same run gives the same page." }
    };
    document(&run.header.study, include_str!("style.css"), &body)
}

/// Returns the IOCDS names, those that there are.
fn iocds(header: &RunHeader) -> String {
    let machines = header.machines();
    let names: Vec<_> =
        machines.iter().map(|cpc| cpc.iocds.as_str()).filter(|name| !name.is_empty()).collect();
    names.join(" and ")
}

fn head(run: &Run, summary: &RunSummary) -> Markup {
    let header = &run.header;
    let systems: Vec<_> = header.systems.iter().map(|system| system.name.as_str()).collect();
    html! {
        header {
            h1 { (header.study) }
            (stations::verdict(summary))
            @for note in &summary.notes { p .warning { (note) } }
            dl .facts {
                (fact("Machine", &machines(header)))
                @let iocds = iocds(header);
                @if !iocds.is_empty() { (fact("IOCDS", &iocds)) }
                (fact("Systems", &systems.join(", ")))
                (fact("Measured", &measured(run, summary)))
                @if run.warmup.discarded_ps > 0 {
                    (fact("Warm-up", &format!("{} s", number::grouped(seconds(run.warmup.discarded_ps), 3))))
                }
                (fact("From", &header.start.replacen('T', " ", 1)))
                (fact("Seed", &header.seed.to_string()))
                (fact("Fidelity", &header.fidelity))
                div { dt { "Laws" } dd { (law_verdict(&run.checkers)) } }
            }
            @if let Some(precision) = &run.precision {
                p .warning[!precision.reached()] { (precision_words(precision, summary.measured_s)) }
            }
        }
    }
}

fn fact(name: &str, value: &str) -> Markup {
    html! { div { dt { (name) } dd { (value) } } }
}

fn measured(run: &Run, summary: &RunSummary) -> String {
    let intervals = number::counted(run.intervals.len(), "interval");
    format!("{} s in {intervals}", number::grouped(summary.measured_s, 3))
}

fn law_verdict(checkers: &[CheckerReport]) -> Markup {
    let broken = checkers.iter().filter(|checker| !checker.violations.is_empty()).count();
    let checks = total(checkers.iter().map(|checker| checker.checks));
    html! {
        @if broken > 0 {
            strong .warning { (broken) " of " (checkers.len()) " VIOLATED" }
        } @else {
            (checkers.len()) " held in " (number::count(checks)) " checks"
        }
    }
}

fn key_figures(run: &Run, usage: &Usage, responses: &Responses<'_>) -> Markup {
    let all = responses.all();
    let channels = run.intervals.iter().flat_map(|interval| &interval.channels);
    let channels = Records::of_thing(channels.collect(), usage.measured_ps);
    let mut figures = vec![
        ("I/Os per second", number::rate(all.rate_per_s())),
        ("Mean response, ms", number::ms(all.response_ms())),
        ("Read, MB/s", number::rate(READ.number(&channels))),
        ("Write, MB/s", number::rate(WRITE.number(&channels))),
    ];
    if let Some(rate) = synchronous::successes_per_s(run) {
        figures[0].0 = "I/Os per second over channels";
        figures.push(("I/Os per second over zHyperLinks", number::rate(rate)));
    }
    html! {
        ul .figures aria-label="Key figures" {
            @for (name, value) in figures { li { b { (value) } " " (name) } }
        }
    }
}

fn laws(checkers: &[CheckerReport]) -> Markup {
    html! {
        section #laws {
            h2 { "Laws" }
            div .scroll { table {
                caption { "What checkers held the run against, warm-up included" }
                thead { tr {
                    th scope="col" { "Law" }
                    th scope="col" .number { "Checks" }
                    th scope="col" { "Found" }
                } }
                tbody {
                    @for checker in checkers {
                        tr {
                            th scope="row" { (checker.law) }
                            td { (number::count(checker.checks.into())) }
                            td .text {
                                @if checker.violations.is_empty() { "held" }
                                @else {
                                    strong .warning {
                                        (number::counted(checker.violations.len(), "violation"))
                                    }
                                    @for violation in checker.violations.iter().take(VIOLATIONS_SHOWN) {
                                        br; (violation)
                                    }
                                }
                            }
                        }
                    }
                }
            } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden;
    use crate::html::fixture;

    #[test]
    fn the_head_says_what_ran_and_what_limits_it() {
        let (run, configuration) = fixture::site();
        let page = html_report(&run, &configuration);
        for part in
            ["z16-oltp", "3931 Max39", "Seed", "Saturates first", "held in 42 checks", "I/Os per second"]
        {
            assert!(page.contains(part), "{part}");
        }
    }

    #[test]
    fn a_violated_law_is_seen_at_the_top() {
        let (_, configuration) = fixture::site();
        let page = html_report(&golden::run(), &configuration);
        assert!(page.contains("1 of 2 VIOLATED") && page.contains("pchid 140: 1 credit leaked"));
    }

    #[test]
    fn nothing_of_a_users_files_is_markup() {
        let evil = "</script><script>alert(1)</script><b title='\"x\"'>&amp;";
        let (mut run, mut configuration) = fixture::site();
        run.header.study = evil.to_owned();
        run.header.iocds = evil.to_owned();
        run.header.model = evil.to_owned();
        run.header.start = evil.to_owned();
        run.header.fidelity = evil.to_owned();
        run.header.systems[0].name = evil.to_owned();
        run.streams[0].name = evil.to_owned();
        run.checkers[0].law = evil.to_owned();
        run.checkers[0].violations = vec![evil.to_owned()];
        for interval in &mut run.intervals {
            interval.stations[0].name = evil.to_owned();
            for device in &mut interval.devices {
                (device.volser, device.storage_group) = (evil.to_owned(), evil.to_owned());
                device.lpar = evil.to_owned();
            }
        }
        configuration.lpars[0].name = evil.to_owned();
        configuration.channels[0].hardware.id = evil.to_owned();
        configuration.ports[0].name = evil.to_owned();
        configuration.ports[0].control_unit = evil.to_owned();
        for link in &mut configuration.links {
            link.name = format!("{evil}.{}", link.name);
        }
        let page = html_report(&run, &configuration);
        assert!(page.contains("&lt;script&gt;alert(1)"));
        assert!(!page.contains("<script>alert") && !page.contains("<b title"));
        assert_eq!(page.matches("</script>").count(), 2, "the data's and the script's");
    }

    #[test]
    fn the_page_needs_nothing_from_elsewhere() {
        let (run, configuration) = fixture::site();
        let page = html_report(&run, &configuration);
        for part in ["http://", "https://", "src=", "<link", "@import", "url("] {
            assert!(!page.contains(part), "{part}");
        }
    }

    #[test]
    fn the_same_run_gives_the_same_bytes() {
        let (run, configuration) = fixture::site();
        assert_eq!(html_report(&run, &configuration), html_report(&run.clone(), &configuration.clone()));
    }

    #[test]
    fn an_empty_run_has_a_page() {
        let (mut run, configuration) = fixture::site();
        run.intervals.clear();
        run.streams.clear();
        run.checkers.clear();
        let page = html_report(&run, &configuration);
        assert!(page.contains("No station was measured") && !page.contains("NaN") && !page.contains("inf"));
    }
}
