//! Fibres: the utilisation of each direction.

use std::collections::BTreeMap;

use halftrack_config::{Configuration, Link, Path};
use halftrack_drawing::number;
use halftrack_record::{LinkInterval, Run};
use maud::{Markup, html};

use super::bar;
use super::usage::Usage;
use crate::column::Column;
use crate::columns::links::{CREDIT_WAIT, LOST};
use crate::columns::stations::link_name;
use crate::records::Records;
use crate::table::measured_ps;

/// Fibres whose table stands open.
const FIBRES_OPEN: usize = 32;

/// Returns the utilisation of every link of the configuration, percent; `None` where the run did not measure it.
pub(super) fn percents(configuration: &Configuration, usage: &Usage) -> Vec<Option<f64>> {
    configuration.links.iter().map(|link| usage.percent(&link_name(&link.name))).collect()
}

/// Both directions of one fibre.
#[derive(Debug)]
struct Fibre<'a> {
    ends: (&'a str, &'a str),
    link: &'a Link,
    there_percent: Option<f64>,
    back_percent: Option<f64>,
}

/// Figures that few links have, by name of the link: of those that have them.
#[derive(Debug, Default)]
pub(super) struct RareFigures<'a> {
    /// Share of the measured time that a link had something to send and no credit, percent.
    credit_waits: BTreeMap<&'a str, f64>,
    /// Frames that errors took, a second.
    lost: BTreeMap<&'a str, f64>,
}

impl<'a> RareFigures<'a> {
    /// Returns those of the links of `run`.
    pub fn of(run: &'a Run) -> Self {
        Self {
            credit_waits: figures(run, &CREDIT_WAIT, |link| link.credit_wait_ps > 0),
            lost: figures(run, &LOST, |link| link.lost > 0),
        }
    }
}

/// Returns the figure of `column`, by name, of links for which `has_any` was true in some interval.
fn figures<'a>(
    run: &'a Run,
    column: &Column<LinkInterval>,
    has_any: fn(&LinkInterval) -> bool,
) -> BTreeMap<&'a str, f64> {
    let links = run.intervals.iter().flat_map(|interval| &interval.links);
    let mut found = BTreeMap::<&str, Vec<&LinkInterval>>::new();
    for link in links.filter(|link| has_any(link)) {
        found.entry(&link.name).or_default().push(link);
    }
    let measured_ps = measured_ps(&run.intervals);
    let figure = |links| column.number(&Records::of_thing(links, measured_ps));
    found.into_iter().map(|(link, links)| (link, figure(links))).collect()
}

/// Returns the ends of a link, by its name.
pub(super) fn ends(name: &str) -> (&str, &str) {
    name.split_once(" > ").unwrap_or((name, ""))
}

/// Returns the fibres, each named from the end towards the processor: `pchid` before directors before adapters.
fn fibres<'a>(configuration: &'a Configuration, percents: &[Option<f64>]) -> Vec<Fibre<'a>> {
    let links = configuration.links.iter().zip(percents);
    let by_ends: BTreeMap<_, _> = links.clone().map(|(link, percent)| (ends(&link.name), *percent)).collect();
    let outbound = outbound(configuration);
    links
        .enumerate()
        .filter(|(index, _)| outbound[*index])
        .map(|(_, (link, percent))| {
            let (from, to) = ends(&link.name);
            let back = by_ends.get(&(to, from)).copied().flatten();
            Fibre { ends: (from, to), link, there_percent: *percent, back_percent: back }
        })
        .collect()
}

/// Returns for each link whether some path takes it outwards.
fn outbound(configuration: &Configuration) -> Vec<bool> {
    let mut outbound = vec![false; configuration.links.len()];
    let groups = configuration.lcus.iter().flat_map(|lcu| &lcu.path_groups);
    for way in groups.flat_map(|group| &group.paths).flat_map(Path::ways) {
        way.outbound.iter().for_each(|link| outbound[*link as usize] = true);
    }
    outbound
}

/// Returns the section; nothing when no link was measured.
pub(super) fn section(
    configuration: &Configuration,
    percents: &[Option<f64>],
    rare: &RareFigures<'_>,
) -> Markup {
    if percents.iter().all(Option::is_none) {
        return html! {};
    }
    let mut fibres = fibres(configuration, percents);
    let busier =
        |fibre: &Fibre<'_>| fibre.there_percent.unwrap_or(0.0).max(fibre.back_percent.unwrap_or(0.0));
    fibres.sort_by(|a, b| busier(b).total_cmp(&busier(a)));
    html! {
        section #links {
            h2 { "Links" }
            p .note {
                "Share of the measured time that each direction of a fibre carries frames. Out is away from the "
                "processor."
                @if !rare.credit_waits.is_empty() {
                    " No credit is the share that it had something to send and waited for a buffer at the far end: "
                    "for light over a long way, or for a receiver that is slow."
                }
                @if !rare.lost.is_empty() { " Lost are frames, or parts of a burst, that errors took." }
            }
            details open[fibres.len() <= FIBRES_OPEN] {
                summary { (number::counted(fibres.len(), "fibre")) }
                div .scroll { table {
                    caption { "Fibres, the busiest first" }
                    thead { tr {
                        th scope="col" { "From" }
                        th scope="col" { "To" }
                        th scope="col" .number { "MB/s" }
                        th scope="col" .number { "One way µs" }
                        th scope="col" .number { "Credits" }
                        th scope="col" { "Out" }
                        th scope="col" .number { "%" }
                        th scope="col" { "In" }
                        th scope="col" .number { "%" }
                        @if !rare.credit_waits.is_empty() {
                            th scope="col" .number { "No credit out %" }
                            th scope="col" .number { "No credit in %" }
                        }
                        @if !rare.lost.is_empty() {
                            th scope="col" .number { "Lost out /s" }
                            th scope="col" .number { "Lost in /s" }
                        }
                    } }
                    tbody { @for fibre in &fibres { (row(fibre, rare)) } }
                } }
            }
        }
    }
}

fn row(fibre: &Fibre<'_>, rare: &RareFigures<'_>) -> Markup {
    let (link, (from, to)) = (fibre.link, fibre.ends);
    let both = [format!("{from} > {to}"), format!("{to} > {from}")];
    html! {
        tr {
            th scope="row" { (from) }
            td .text { (to) }
            td { (number::grouped(link.bytes_per_s as f64 / 1e6, 0)) }
            td { (number::grouped(link.propagation.as_ps() as f64 / 1e6, 2)) }
            td { (link.credits) }
            @for percent in [fibre.there_percent, fibre.back_percent] {
                (bar::cell(percent.unwrap_or(0.0), None))
                (bar::percent_cell(percent.unwrap_or(0.0)))
            }
            @for figures in [&rare.credit_waits, &rare.lost].into_iter().filter(|figures| !figures.is_empty()) {
                @for name in &both {
                    td { (number::grouped(figures.get(name.as_str()).copied().unwrap_or(0.0), 1)) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::fixture;

    #[test]
    fn each_fibre_is_named_outwards_and_has_both_directions() {
        let (run, configuration) = fixture::site();
        let percents = percents(&configuration, &Usage::of(&run));
        let fibres = fibres(&configuration, &percents);
        assert_eq!(2 * fibres.len(), configuration.links.len());
        let fibre = fibres.iter().find(|fibre| fibre.ends == ("pchid 100", "11.20")).unwrap();
        let percent = |name: &str| {
            let place = configuration.links.iter().position(|link| link.name == name).unwrap();
            percents[place]
        };
        assert_eq!(fibre.there_percent, percent("pchid 100 > 11.20"));
        assert_eq!(fibre.back_percent, percent("11.20 > pchid 100"));
        assert_ne!(fibre.there_percent, fibre.back_percent);
    }

    #[test]
    fn without_a_measure_there_is_no_section() {
        let (_, configuration) = fixture::site();
        let nothing = vec![None; configuration.links.len()];
        assert_eq!(section(&configuration, &nothing, &RareFigures::default()).into_string(), "");
    }

    #[test]
    fn waits_for_credits_have_columns_where_there_were_any() {
        let (mut run, configuration) = fixture::site();
        let percents = percents(&configuration, &Usage::of(&run));
        let page = |run: &Run| section(&configuration, &percents, &RareFigures::of(run)).into_string();
        assert!(!page(&run).contains("No credit"));
        for interval in &mut run.intervals {
            let link = interval.links.iter_mut().find(|link| link.name == "11.20 > pchid 100");
            link.expect("a link").credit_wait_ps = interval.length_ps / 8;
        }
        assert_eq!(RareFigures::of(&run).credit_waits, BTreeMap::from([("11.20 > pchid 100", 12.5)]));
        assert!(page(&run).contains("No credit in %") && page(&run).contains("12.5"));
    }

    #[test]
    fn lost_frames_have_columns_where_there_were_any() {
        let (mut run, configuration) = fixture::site();
        let percents = percents(&configuration, &Usage::of(&run));
        let page = |run: &Run| section(&configuration, &percents, &RareFigures::of(run)).into_string();
        assert!(!page(&run).contains("Lost"));
        let links = run.intervals.iter_mut().flat_map(|interval| &mut interval.links);
        links.filter(|link| link.name == "11.20 > pchid 100").for_each(|link| link.lost = 40);
        let rates = RareFigures::of(&run).lost;
        assert_eq!(rates.keys().collect::<Vec<_>>(), [&"11.20 > pchid 100"]);
        assert!(page(&run).contains("Lost in /s") && !page(&run).contains("No credit"));
    }
}
