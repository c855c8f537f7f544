//! Picture of the structure of compression cards beside that of channels: a function goes over its mother card and the zIOC of the
//! fanout, whose firmware the IFP runs in resource groups; a channel has an ASIC, and SAPs start its I/Os.

use std::collections::{BTreeMap, BTreeSet};

use halftrack_drawing::number;
use halftrack_record::{CompressionFunctionInterval, Run};
use maud::{Markup, html};

/// Width of the picture, height of a line of text, and the left edges of its columns, in units of the view box.
const WIDTH: usize = 640;
const LINE: usize = 20;
const CARD: usize = 190;
const ZIOC: usize = 400;
const IFP: usize = 500;
/// Width of a box, and of the last one.
const BOX: usize = 160;
const BOX_SMALL: usize = 70;

/// Card with its functions, each once.
#[derive(Default)]
struct Card<'r> {
    /// Its resource group; `None` where it is not plugged.
    group: Option<&'r str>,
    functions: BTreeMap<u16, &'r CompressionFunctionInterval>,
}

/// Returns the figure: functions, cards, zIOC and IFP of each machine, and the channels' ASICs and SAPs below.
pub(super) fn picture(run: &Run, channel_count: usize) -> Markup {
    let mut cards = BTreeMap::<(u8, Option<u16>), Card<'_>>::new();
    for one in run.intervals.iter().flat_map(|interval| &interval.compression_functions) {
        let card = cards.entry((one.cpc, one.pchid)).or_default();
        card.group = one.resource_group.as_deref();
        card.functions.insert(one.pfid, one);
    }
    let machines: BTreeSet<u8> = cards.keys().map(|(cpc, _)| *cpc).collect();
    html! {
        @for cpc in machines {
            @let cards: Vec<_> = cards.iter().filter(|((of, _), _)| *of == cpc).collect();
            (machine(&run.header.prefix(cpc), &cards))
        }
        p .note {
            "No SAP has a part in a function. The " (number::counted(channel_count, "channel")) " of the run "
            (if channel_count == 1 { "has" } else { "have" })
            " an ASIC for each PCHID on traditional cards, and SAPs start their I/Os."
        }
    }
}

/// Draws one machine.
fn machine(prefix: &str, cards: &[(&(u8, Option<u16>), &Card<'_>)]) -> Markup {
    let lines = |card: &Card<'_>| card.functions.len().max(2) + 1;
    let height = LINE * cards.iter().map(|(_, card)| lines(card)).sum::<usize>();
    let tops = cards.iter().scan(0, |next, (_, card)| {
        let top = *next;
        *next += LINE * lines(card);
        Some(top)
    });
    html! {
        figure .chart {
            figcaption { "Structure of the compression cards" }
            svg viewBox={ "0 0 " (WIDTH) " " (height + LINE) } role="img"
                aria-label={ (number::counted(cards.len(), "card")) " behind zIOC and IFP" } {
                @for (top, ((_, pchid), card)) in tops.zip(cards) {
                    (one_card(prefix, top, *pchid, card, LINE * lines(card)))
                }
                (part(ZIOC, 4, BOX_SMALL, height - 12, &["zIOC"]))
                line .grid x1=(ZIOC + BOX_SMALL) x2=(IFP) y1=(height / 2) y2=(height / 2) {}
                (part(IFP, 4, BOX_SMALL, height - 12, &["IFP", "firmware"]))
            }
        }
    }
}

/// Draws a card with its functions, and its way to the zIOC.
fn one_card(prefix: &str, top: usize, pchid: Option<u16>, card: &Card<'_>, height: usize) -> Markup {
    let middle = top + height / 2;
    let name = pchid.map_or_else(|| "no PCHID".to_owned(), |pchid| format!("PCHID {prefix}{pchid:03X}"));
    html! {
        @for (place, function) in card.functions.values().enumerate() {
            @let y = top + LINE * (place + 1);
            text .tick x="4" y=(y) {
                (function.lpar.as_deref().unwrap_or("-")) (format!(": {:04X}, VF {}", function.pfid, function.vf))
            }
            line .grid x1=(CARD - 30) x2=(CARD) y1=(y - 5) y2=(middle) {}
        }
        (part(CARD, top + 4, BOX, height - 12, &[&name, card.group.unwrap_or("not plugged")]))
        @if card.group.is_some() { line .grid x1=(CARD + BOX) x2=(ZIOC) y1=(middle) y2=(middle) {} }
    }
}

/// Draws a box with lines of text.
fn part(left: usize, top: usize, width: usize, height: usize, words: &[&str]) -> Markup {
    html! {
        rect x=(left) y=(top) width=(width) height=(height) rx="4" fill="none" stroke="currentColor" {}
        @for (place, word) in words.iter().enumerate() {
            text .tick x=(left + 6) y=(top + LINE * (place + 1) - 4) { (word) }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::golden::compression_run;
    use crate::html::fixture;
    use crate::html_report;

    #[test]
    fn functions_are_drawn_before_their_card_and_its_firmware_behind_it() {
        let (run, configuration) = fixture::site();
        assert!(!html_report(&run, &configuration).contains("zIOC"), "nothing compresses");
        let page = html_report(&compression_run(), &configuration);
        for part in [">zIOC<", ">IFP<", ">PCHID 108<", ">RG1<", "SYN1: 0014, VF 3", "SYN1: 0015, VF 3"] {
            assert_eq!(page.matches(part).count(), if part == ">RG1<" { 2 } else { 1 }, "{part}");
        }
        // The function without a card has no way to the zIOC.
        assert_eq!((page.matches(">not plugged<").count(), page.matches("x2=\"400\"").count()), (1, 1));
    }
}
