//! The page of the book: how many cells agree, and each that does not.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::matrix::verdict::Verdict;

const HEAD: &str = "\
# Bursts against frames, cell by cell

Written by `make matrix` from runs of every cell at both fidelities with the same seed. A cell agrees where throughput by default
is within 2 % of that frame by frame and the mean response within 5 %. Loads are percent of the most that the study carries
frame by frame, or closed jobs. A cell that is off at first is run for sixty-four times as long, since the mean of a long queue is
known slowly. [What bursts are](model.md#bursts-and-frames).

| full first | study |
| --- | --- |
| channel | `fex32s-one-channel` |
| port | `fex32s-card`, with every control unit behind one port |
| isl | `fex32s-100km`, with 0.1 km and 1,000 credits between the directors and a rate of 800 MB/s in transport mode; 60, 300 \
and 200 MB/s for 4K, 64K and half-track in command mode |
| bus | `fex32s-one-channel`, with a bus of these rates |

";

/// Returns the page of `verdicts`.
pub fn page(verdicts: &[Verdict]) -> String {
    let count = |is_one: fn(&Verdict) -> bool| verdicts.iter().filter(|verdict| is_one(verdict)).count();
    let (agree, frame_only) = (count(Verdict::agrees), count(|verdict| verdict.frame_only));
    let mut page = HEAD.to_owned();
    let _ = write!(
        page,
        "Of {} cells {agree} agree. {frame_only} ({:.1} %) run frame by frame by themselves.\n\n",
        verdicts.len(),
        100.0 * frame_only as f64 / verdicts.len() as f64
    );
    page.push_str("| cells | agree | frame by frame | furthest off in throughput | in response |\n");
    page.push_str("| --- | ---: | ---: | ---: | ---: |\n");
    let mut groups: BTreeMap<String, Vec<&Verdict>> = BTreeMap::new();
    for verdict in verdicts {
        let words: Vec<&str> = verdict.cell.split(' ').take(3).collect();
        groups.entry(words.join(" ")).or_default().push(verdict);
    }
    for (name, group) in groups {
        let furthest = |off: fn(&Verdict) -> f64| group.iter().map(|one| off(one).abs()).fold(0.0, f64::max);
        let _ = writeln!(
            page,
            "| {name} | {} of {} | {} | {:.1} % | {:.1} % |",
            group.iter().filter(|one| one.agrees()).count(),
            group.len(),
            group.iter().filter(|one| one.frame_only).count(),
            100.0 * furthest(Verdict::rate_off),
            100.0 * furthest(Verdict::response_off),
        );
    }
    page.push_str(
        "\nThose that do not agree, with the half-width at 95 % to which each response is known:\n\n",
    );
    page.push_str(
        "| cell | a second, by default | frame by frame | response, µs | frame by frame | off | known to |\n",
    );
    page.push_str("| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    for verdict in verdicts.iter().filter(|verdict| !verdict.agrees()) {
        let Verdict {
            cell,
            rate_per_s: [rate, of_frames],
            response_us: [response, frames_take],
            known_to,
            ..
        } = verdict;
        let _ = writeln!(
            page,
            "| {cell} | {rate:.0} | {of_frames:.0} | {response:.1} | {frames_take:.1} | {:+.1} %, {:+.1} % | {:.1} %, {:.1} % |",
            100.0 * verdict.rate_off(),
            100.0 * verdict.response_off(),
            100.0 * known_to[0],
            100.0 * known_to[1],
        );
    }
    page
}
