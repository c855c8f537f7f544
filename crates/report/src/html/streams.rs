//! Results of each stream: rate and response with their confidence intervals.

use halftrack_drawing::number;
use halftrack_record::{Estimate, ProgramSummary, ResponseTimes, Run, StreamSummary};
use maud::{Markup, html};

use super::distribution;
use crate::percentiles::{Distribution, NAMES, PERMILLES};

/// Streams whose response times are drawn.
const DISTRIBUTIONS_MAX: usize = 24;

/// Returns the section.
pub(super) fn section(run: &Run) -> Markup {
    let ms = |us: f64| us / 1000.0;
    let ends = run.streams.iter().map(|stream| stream.response_us.mean + stream.response_us.half_width);
    let full_us = ends.fold(0.0, f64::max);
    // A stream whose jobs wait for their I/Os offers what it gets.
    let is_offered = run.streams.iter().any(|stream| stream.load.is_some());
    html! {
        section #streams {
            h2 { "Streams" }
            div .scroll { table {
                caption { "Rate and response of each stream, with " (confidence(run)) " confidence intervals by batch means" }
                thead { tr {
                    th scope="col" { "Stream" }
                    th scope="col" .number { "I/Os" }
                    th scope="col" .number { "Failed" }
                    @if is_offered { th scope="col" .number { "Offered per s" } }
                    th scope="col" .number { "I/Os per s" }
                    th scope="col" .number { "±" }
                    th scope="col" { "Response, up to " (number::ms(ms(full_us))) " ms" }
                    th scope="col" .number { "Response ms" }
                    th scope="col" .number { "±" }
                    @for name in NAMES { th scope="col" .number { (name) " ms" } }
                } }
                tbody {
                    @for stream in &run.streams {
                        tr {
                            th scope="row" { (stream.name) }
                            td { (number::count(stream.completed.into())) }
                            td { @if stream.failed > 0 { span .warning { (number::count(stream.failed.into())) } }
                                 @else { "0" } }
                            @if is_offered { td { (offered(stream)) } }
                            td { (number::rate(stream.rate_per_s.mean)) }
                            td { (number::rate(stream.rate_per_s.half_width)) }
                            (whisker(&stream.response_us, full_us))
                            td { (number::ms(ms(stream.response_us.mean))) }
                            td { (number::ms(ms(stream.response_us.half_width))) }
                            (percentiles([&stream.response_times]))
                        }
                    }
                }
            } }
            (distributions(&run.streams))
            (programs(&run.programs))
        }
    }
}

/// Returns a cell for each percentile.
fn percentiles<'a>(times: impl IntoIterator<Item = &'a ResponseTimes>) -> Markup {
    let of = Distribution::of(times);
    html! {
        @for permille in PERMILLES {
            td { @if of.counted() > 0 { (number::ms(of.percentile_ms(permille))) } @else { "-" } }
        }
    }
}

/// Returns the response times of the streams by size.
fn distributions(streams: &[StreamSummary]) -> Markup {
    let counted = || streams.iter().filter(|stream| !stream.response_times.is_empty());
    html! {
        @if counted().next().is_some() {
            h3 { "Response times by size" }
            div .charts {
                @for stream in counted().take(DISTRIBUTIONS_MAX) {
                    (distribution::figure(&stream.name, &Distribution::of([&stream.response_times])))
                }
            }
            @if let Some(more @ 1..) = counted().count().checked_sub(DISTRIBUTIONS_MAX) {
                p .note { "The others, " (number::counted(more, "stream")) ", are in the interval file." }
            }
        }
    }
}

/// Formats the offered rate of `stream`, if that can be more than was served.
fn offered(stream: &StreamSummary) -> Markup {
    html! {
        @match stream.load {
            None => "-",
            Some(load) => span .warning[load.overloaded] { (number::rate(load.offered_per_s)) },
        }
    }
}

/// Returns the level of the confidence intervals, in percent.
fn confidence(run: &Run) -> String {
    let level = run.streams.first().map_or(0.95, |stream| stream.rate_per_s.confidence);
    let text = number::grouped(level * 100.0, 2);
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

fn programs(programs: &[ProgramSummary]) -> Markup {
    html! {
        @if !programs.is_empty() {
            details {
                summary { "What one I/O puts on the fibre" }
                div .scroll { table {
                    caption { "Fault-free exchanges of each stream; out is to the control unit, in to the channel" }
                    thead { tr {
                        @for words in ["Stream", "Mode", "Operation", "Cache"] { th scope="col" { (words) } }
                        @for words in ["IUs out", "in", "Frames out", "in", "Bytes out", "in", "Data bytes",
                                       "Mean frame bytes"] {
                            th scope="col" .number { (words) }
                        }
                    } }
                    tbody { @for program in programs { (program_row(program)) } }
                } }
            }
        }
    }
}

/// Returns the part of the cache in an I/O; empty for writes, which all go to it.
fn cache(program: &ProgramSummary) -> &'static str {
    match (program.operation.as_str(), program.hit) {
        ("write", _) => "",
        (_, true) => "hit",
        (_, false) => "miss",
    }
}

fn program_row(program: &ProgramSummary) -> Markup {
    let numbers = [
        program.units_out.into(),
        program.units_in.into(),
        program.frames_out.into(),
        program.frames_in.into(),
        program.wire_out_bytes,
        program.wire_in_bytes,
        program.data_out_bytes + program.data_in_bytes,
    ];
    html! {
        tr {
            th scope="row" { (program.stream) }
            td .text { (program.protocol_name()) }
            td .text { (program.operation) }
            td .text { (cache(program)) }
            @for number in numbers { td { (number::count(number.into())) } }
            td { (number::grouped(program.mean_frame_bytes, 1)) }
        }
    }
}

/// Returns a cell with a bar to the mean and a line over the confidence interval.
fn whisker(estimate: &Estimate, full: f64) -> Markup {
    let of = |value: f64| if full > 0.0 { (100.0 * value / full).clamp(0.0, 100.0) } else { 0.0 };
    let (low, high) = (of(estimate.mean - estimate.half_width), of(estimate.mean + estimate.half_width));
    html! {
        td .bar {
            div .track aria-hidden="true" {
                i .mean style={ "width:" (format!("{:.2}", of(estimate.mean))) "%" } {}
                s style={ "left:" (format!("{low:.2}")) "%;width:" (format!("{:.2}", high - low)) "%" } {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden;

    #[test]
    fn names_from_the_workload_are_escaped() {
        let mut run = golden::run();
        run.streams[0].name = "<script>alert(1)</script>".to_owned();
        let text = section(&run).into_string();
        assert!(
            text.contains("&lt;script&gt;alert(1)&lt;/script&gt;") && !text.contains("<script"),
            "{text}"
        );
    }

    #[test]
    fn the_whisker_spans_the_confidence_interval() {
        let text = whisker(&Estimate { mean: 50.0, half_width: 10.0, confidence: 0.95 }, 80.0).into_string();
        assert!(text.contains("width:62.50%") && text.contains("left:50.00%;width:25.00%"), "{text}");
    }
}
