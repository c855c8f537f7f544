//! Notes on the validity of a run's numbers: one line each, alike in text, JSON and page.

use halftrack_drawing::number;
use halftrack_record::{CreditShortage, Run, StreamSummary};

use crate::formula::seconds;

/// Returns the lines of a run: overloaded streams, a warm-up without an end, links that are short of credits.
pub(super) fn notes(run: &Run) -> Vec<String> {
    let overloaded = run.streams.iter().filter_map(overload_words);
    let unsteady = run.warmup.detected.is_some_and(|detected| detected.transient_ps.is_none());
    let warm_up = unsteady.then(|| no_steady_state(run.warmup.discarded_ps));
    overloaded.chain(warm_up).chain(credit_words(&run.credit_shortages)).collect()
}

/// Returns the note on `stream` when less was served than it offered.
pub fn overload_words(stream: &StreamSummary) -> Option<String> {
    let load = stream.load.filter(|load| load.overloaded)?;
    Some(format!(
        "OVERLOADED: {} served {} of {} I/O/s; its response is no steady state",
        stream.name,
        number::rate(load.served_per_s),
        number::rate(load.offered_per_s)
    ))
}

/// Returns the note on a run with `warmup = auto` whose transient went on for all of `discarded_ps` and longer.
pub(super) fn no_steady_state(discarded_ps: u64) -> String {
    format!(
        "warm-up: {:.3} s discarded, NO STEADY STATE found: the transient has no end",
        seconds(discarded_ps)
    )
}

/// Returns the notes on links that are short of credits, those alike in one line.
pub fn credit_words(shortages: &[CreditShortage]) -> Vec<String> {
    let mut groups: Vec<(&CreditShortage, usize)> = Vec::new();
    for shortage in shortages {
        let is_alike =
            |one: &CreditShortage| CreditShortage { link: one.link.clone(), ..shortage.clone() } == *one;
        match groups.iter_mut().find(|(first, _)| is_alike(first)) {
            Some((_, count)) => *count += 1,
            None => groups.push((shortage, 1)),
        }
    }
    groups.into_iter().map(|(first, count)| words(first, count)).collect()
}

fn words(shortage: &CreditShortage, links: usize) -> String {
    let CreditShortage { link, credits, needed, mean_frame_bytes, bytes_per_s, round_trip_ps } = shortage;
    let (others, have) = match links {
        1 => (String::new(), "has"),
        more => (format!(" and {} more", more - 1), "have"),
    };
    format!(
        "credits: link {link}{others} {have} {} of the {} that fill {} MB/s over {} us there and back with frames of {} \
         bytes on average; no more than {:.0} % of it can be used",
        number::count((*credits).into()),
        number::count((*needed).into()),
        number::grouped(*bytes_per_s as f64 / 1e6, 0),
        number::grouped(*round_trip_ps as f64 / 1e6, 1),
        number::count((*mean_frame_bytes).into()),
        100.0 * f64::from(*credits) / f64::from(*needed)
    )
}

#[cfg(test)]
mod tests {
    use halftrack_record::{DetectedWarmup, OpenLoad};

    use super::*;
    use crate::golden;

    fn overloaded() -> Run {
        let mut run = golden::run();
        run.streams[0].name = "CMDHT".to_owned();
        run.streams[0].load =
            Some(OpenLoad { offered_per_s: 40_000.4, served_per_s: 33_181.2, overloaded: true });
        run
    }

    #[test]
    fn an_overloaded_stream_is_told_with_what_it_offered_and_got() {
        let mut run = overloaded();
        assert_eq!(
            notes(&run),
            ["OVERLOADED: CMDHT served 33,181 of 40,000 I/O/s; its response is no steady state"]
        );
        run.streams[0].load = run.streams[0].load.map(|load| OpenLoad { overloaded: false, ..load });
        assert_eq!(notes(&run), [""; 0]);
    }

    #[test]
    fn a_warm_up_without_an_end_is_told() {
        let mut run = golden::run();
        run.warmup.detected = Some(DetectedWarmup { transient_ps: None });
        assert_eq!(
            notes(&run),
            ["warm-up: 0.050 s discarded, NO STEADY STATE found: the transient has no end"]
        );
        run.warmup.detected = Some(DetectedWarmup { transient_ps: Some(1) });
        assert_eq!(notes(&run), [""; 0]);
    }

    #[test]
    fn links_alike_that_are_short_of_credits_are_told_together() {
        let shortage = |link: &str, credits| CreditShortage {
            link: link.to_owned(),
            credits,
            needed: 743,
            mean_frame_bytes: 1077,
            bytes_per_s: 800_000_000,
            round_trip_ps: 1_003_100_000,
        };
        let said = credit_words(&[shortage("a > b", 500), shortage("c > d", 90), shortage("b > a", 500)]);
        assert_eq!(
            said[0],
            "credits: link a > b and 1 more have 500 of the 743 that fill 800 MB/s over 1,003.1 us there and back with \
             frames of 1,077 bytes on average; no more than 67 % of it can be used"
        );
        assert!(said.len() == 2 && said[1].starts_with("credits: link c > d has 90 of the 743 "), "{said:?}");
    }
}
