//! Utilisation of every station: the busiest in a picture, all of them by kind.

use halftrack_drawing::number;
use maud::{Markup, html};

use super::bar;
use super::usage::{Kind, Station, Usage};
use crate::RunSummary;

/// Stations in the list of the busiest.
const BUSIEST_SHOWN: usize = 16;

/// Returns the limit of the run, in words.
pub(super) fn verdict(summary: &RunSummary) -> Markup {
    let Some(bottleneck) = &summary.bottleneck else {
        return html! { p .verdict { "No station was measured." } };
    };
    let percent = bottleneck.busy_percent;
    let words = bottleneck.words();
    html! {
        p .verdict {
            @if bottleneck.is_full() && bottleneck.tokens.is_some() {
                "All taken: " strong { (bottleneck.name) } ", " (words) "."
            } @else if bottleneck.is_full() {
                "Saturated: " strong { (bottleneck.name) } ", " (number::percent(percent))
                " % busy. Nothing more passes it; what is offered beyond that waits."
            } @else if percent == 0.0 {
                "No station was busy."
            } @else if summary.is_overloaded() {
                "Busiest: " strong { (bottleneck.name) } ", " (words)
                ". It is not what limits this run, which is overloaded."
            } @else {
                "Saturates first: " strong { (bottleneck.name) } ", " (words) "."
                @if let Some(times) = summary.head_room {
                    " The same mix of work fills it at " (format!("{times:.2}")) " times this rate."
                }
            }
        }
    }
}

/// Returns the section.
pub(super) fn section(usage: &Usage, summary: &RunSummary) -> Markup {
    let busiest = &usage.stations[..usage.stations.len().min(BUSIEST_SHOWN)];
    html! {
        section #stations {
            h2 { "Utilisation of stations" }
            (warnings(summary))
            p .note {
                "Mean over the measured time, and the busiest interval. The line across a bar is the highest "
                "utilisation that IBM advises: for a channel that of its card in the catalog (50 % for processor and "
                "bus in the FICON paper of 2002, 50 and 70 % in that of FICON Express32S), 70 % for SAPs (z16 SAP "
                "capacity paper)."
            }
            (table("The busiest stations", busiest))
            @for kind in Kind::ALL.into_iter().filter(|kind| *kind != Kind::Link) {
                @let of_kind: Vec<_> =
                    usage.stations.iter().filter(|station| station.kind == kind).cloned().collect();
                @if !of_kind.is_empty() {
                    details {
                        summary {
                            (kind.title()) " (" (number::count(of_kind.len() as u128)) "), busiest "
                            (number::percent(of_kind[0].busy_percent)) " %"
                        }
                        (table(kind.title(), &of_kind))
                    }
                }
            }
        }
    }
}

fn warnings(summary: &RunSummary) -> Markup {
    html! {
        @if summary.warnings.is_empty() {
            p { "Every guideline was kept in every interval." }
        } @else {
            details open[summary.warnings.len() <= BUSIEST_SHOWN] {
                summary .warning { (number::counted(summary.warnings.len(), "guideline")) " exceeded" }
                ul {
                    @for warning in &summary.warnings {
                        li {
                            (warning.subject) ": " (number::percent(warning.busy_percent))
                            " % busy in interval " (warning.interval) ", advised "
                            (format!("{:.0}", warning.guideline_percent)) " % at most"
                        }
                    }
                }
            }
        }
    }
}

fn table(caption: &str, stations: &[Station]) -> Markup {
    html! {
        div .scroll { table .stations {
            caption { (caption) }
            thead { tr {
                th scope="col" { "Station" }
                th scope="col" { "Utilisation" }
                th scope="col" .number { "Mean %" }
                th scope="col" .number { "Highest %" }
                th scope="col" .number { "Servers" }
                th scope="col" .number { "Visits/s" }
            } }
            tbody {
                @for station in stations {
                    tr {
                        th scope="row" { (station.name) }
                        (bar::cell(station.busy_percent, station.guideline_percent))
                        (bar::percent_cell(station.busy_percent))
                        (bar::percent_cell(station.highest_percent))
                        td { (station.servers) }
                        td { (number::rate(station.visits_per_s)) }
                    }
                }
            }
        } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden;

    fn verdict_of(busy_percent: f64) -> String {
        let mut summary = RunSummary::compute(&golden::run());
        if let Some(bottleneck) = &mut summary.bottleneck {
            bottleneck.busy_percent = busy_percent;
        }
        summary.head_room = (25.0..95.0).contains(&busy_percent).then(|| 100.0 / busy_percent);
        verdict(&summary).into_string()
    }

    #[test]
    fn the_limit_is_named_in_words() {
        assert!(verdict_of(99.7).contains("Saturated: <strong>channel 0.40 processor</strong>, 99.7 % busy"));
        assert!(verdict_of(25.0).contains("4.00 times this rate"));
        assert!(verdict_of(0.0).contains("No station was busy"));
    }

    #[test]
    fn nothing_is_said_of_head_room_where_a_stream_is_overloaded_or_all_of_a_pool_is_taken() {
        let mut summary = RunSummary::compute(&golden::run());
        assert!(verdict(&summary).into_string().contains("times this rate"));
        let bottleneck = summary.bottleneck.as_mut().expect("a station");
        (bottleneck.name, bottleneck.tokens) = ("channel 0.40 open exchanges".to_owned(), Some(512));
        (bottleneck.busy_percent, bottleneck.short_percent) = (100.0, Some(99.0));
        summary.head_room = None;
        let text = verdict(&summary).into_string();
        assert!(
            text.contains("All taken: <strong>channel 0.40 open exchanges</strong>, all 512 taken"),
            "{text}"
        );
        assert!(!text.contains("times this rate"), "{text}");
        let mut summary = RunSummary::compute(&golden::run());
        summary.streams[0].load =
            Some(halftrack_record::OpenLoad { offered_per_s: 2.0, served_per_s: 1.0, overloaded: true });
        summary.head_room = None;
        let text = verdict(&summary).into_string();
        assert!(text.contains("Busiest: ") && !text.contains("times this rate"), "{text}");
    }

    #[test]
    fn guidelines_that_are_exceeded_are_listed() {
        let run = golden::run();
        let text = section(&Usage::of(&run), &RunSummary::compute(&run)).into_string();
        assert!(text.contains("3 guidelines exceeded"), "{text}");
        assert!(text.contains("SAPs: 70.2 % busy in interval 1, advised 70 % at most"), "{text}");
    }
}
