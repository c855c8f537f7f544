//! Scoreboard of the channels of 2002: the figures that features of docs/coverage.md rest on. The bounds are those of
//! the project, 5 % or 15 %, not those of today's results.

use serde_json::Value;

use crate::scoreboard::scoreboard;
use crate::support::stdout;

fn json(arguments: &[&str]) -> Value {
    let output = scoreboard(&[&["ficon-2002", "--json"], arguments].concat());
    serde_json::from_str(stdout(&output)).expect("JSON")
}

/// Returns the row of the figure: status, value and error in percent.
fn row(rows: &Value, id: &str) -> (String, f64, f64) {
    let row = rows.as_array().and_then(|rows| rows.iter().find(|row| row["id"] == id));
    let row = row.unwrap_or_else(|| panic!("{id} is not answered"));
    let number = |key: &str| row[key].as_f64().unwrap_or_else(|| panic!("{id} has no {key}"));
    (row["status"].as_str().unwrap_or_default().to_owned(), number("simulated"), number("error_percent"))
}

#[test]
fn three_numbers_give_the_maxima_of_three_cards() {
    let rows = json(&[]);
    let is = |id: &str, status: &str, percent: f64| {
        let (found, value, error) = row(&rows, id);
        assert!(found == status && error.abs() <= percent, "{id}: {found}, {value}, {error:.1} %");
        value
    };
    is("z900-ficon-express-4k-max", "fitted", 1.0);
    is("rmf-max-bus-utilization", "fitted", 1.5);
    is("consol-all-miss-capability", "fitted", 1.0);
    is("z900-ficon-small-block-gain", "predicted", 5.0);
    is("rmf-fig13-27k-ficon", "predicted", 5.0);
    is("rmf-fig13-27k-ficon-express", "predicted", 5.0);
    // All that the link carries one way; more than that both ways, and less than half the bus.
    is("ficon-express-bus-one-way", "predicted", 5.0);
    assert!(is("ficon-express-bus-mixed", "predicted", 15.0) > 100.0);
    assert!(is("rmf-ficon-express-bus-at-link-limit", "predicted", 15.0) < 50.0);
    // Exchanges bind where half of the reads miss, and nothing else does.
    assert!(is("consol-half-hit-capability", "predicted", 15.0) >= 50.0);
    // The estimate is not busy time: at the knee of 27K it is lower than the bus.
    let (processor, bus) =
        (is("rmf-fig12-knee-processor", "predicted", 15.0), is("rmf-fig12-knee-bus", "predicted", 15.0));
    assert!(processor < bus, "{processor} {bus}");
    assert!(is("rmf-fig11-knee-processor", "predicted", 15.0) > is("rmf-fig11-knee-bus", "predicted", 15.0));
    assert!((is("rmf-processor-estimate-reference", "predicted", 5.0) - 100.0).abs() < 1.0);
    assert!((is("consol-util-independent-of-hit-ratio", "predicted", 5.0) - 1.0).abs() < 0.02);
}

#[test]
fn programs_interleave_on_a_channel_of_100_mb_per_s_each_way() {
    let rows = json(&[]);
    let (status, one_way, error) = row(&rows, "benefit-ficon-express-line-speed");
    assert!(status == "predicted" && error.abs() <= 5.0, "{status} {one_way}");
    assert!(row(&rows, "benefit-ficon-express-mixed").1 > one_way);
    // One program on a channel of ESCON, as many as 32 on one of FICON.
    assert!((row(&rows, "consol-escon-concurrent-programs").1 - 1.0).abs() < 0.001);
    let open = row(&rows, "consol-open-exchange-limit").1;
    assert!(open > 30.0 && open <= 32.0, "{open}");
}

#[test]
fn a_long_fibre_costs_rate_beyond_its_credits_and_response_everywhere() {
    let rows = json(&[]);
    let predicted = |id: &str, percent: f64| {
        let (found, value, error) = row(&rows, id);
        assert!(found == "predicted" && error.abs() <= percent, "{id}: {found}, {value}, {error:.1} %");
        value
    };
    // The full rate of the link over 100 km, for the first card as much as its bus lets it move anywhere.
    predicted("dist-ficon-express-100km", 5.0);
    let slow = predicted("dist-ficon-100km", 15.0);
    assert!((slow / predicted("dist-ficon-internal-bus", 15.0) - 1.0).abs() < 0.01, "{slow}");
    // Then 60 credits bind: three quarters to four fifths at 150 km, and from about 180 km on both cards alike.
    let (status, share, _) = row(&rows, "dist-ficon-150km");
    assert!(status == "definition" && (72.0..84.0).contains(&share), "{status} {share}");
    assert!(predicted("dist-ficon-onset-derived", 15.0) > 100.0);
    predicted("dist-ficon-vs-express-crossover", 5.0);
    assert!(predicted("dist-buffer-credits", 15.0) >= 50.0);
    // One round trip a program where ESCON has six; how busy the channel is does not feel it.
    predicted("dist-ficon-delay-10km", 5.0);
    predicted("dist-ficon-delay-100km-derived", 5.0);
    predicted("dist-escon-vs-ficon-delay-ratio-derived", 5.0);
    assert!((predicted("consol-util-independent-of-distance", 5.0) - 1.0).abs() < 0.01);
}

#[test]
fn every_fitted_number_has_three_predictions_and_none_misses_by_more_than_15_percent() {
    let summary = json(&["--summary"]);
    let number = |key: &str| summary[key].as_f64().unwrap_or_else(|| panic!("no {key} in {summary}"));
    assert!(number("measured_predictions") >= 3.0 * number("fitted_parameters"), "{summary}");
    assert_eq!(number("within_15_percent"), number("measured_predictions"), "{summary}");
}
