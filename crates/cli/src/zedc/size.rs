//! `halftrack zedc size`: how many cards a load needs.

use std::path::PathBuf;

use clap::Args;
use clap::builder::RangedU64ValueParser;
use halftrack_zedc::CARDS_MAX;
use halftrack_zedc::sizing::{
    CARDS_ADVISED, CARDS_ADVISED_MIN, Choice, Situation, Sizing, Verdict, partitions_max,
};
use serde_json::{Value, json};

use super::card_speed::card_speed;
use super::size_load::{GivenLoad, LoadArguments, positive};
use crate::failure::Failure;
use crate::precision::share;
use crate::standard_output::print;
use crate::volume::table::{Side, table};

/// Words at the end of `halftrack zedc size --help`.
pub const EXAMPLES: &str = "\
Two cards or four: enough are those that carry the load while the firmware of a resource group is
updated, which takes half of the cards, each busy no more than --busy-limit. At least two are
advised, four for availability; a machine takes 8, each with functions for 15 partitions. Rate and
set-up of a card are the catalog's (feature/zedc.toml): 1 GB/s before compression, of the
published 4 GB/s of four cards.

Columns, for all cards, those left in an update, and one less of these (a card lost meanwhile):
  BUSY %     what the whole load would take of the cards' time
  QUEUE US   wait of a request, by M/D/1 for each card at that share, at most the limit
  SW MB/S    load beyond the limit, which software does
  SW CPUS    processors for it, by --software-mb-per-s: what one processor compresses, such as
             zlib_mb_per_s of `halftrack bench zedc`

Examples:
  halftrack zedc size --mb-per-s 1500 --ratio 1.9 --growth 20% --software-mb-per-s 85
  halftrack zedc size --mb-per-s 600 --request-bytes 4K --partitions 20 --cards 4
  halftrack zedc show cpc --json | halftrack zedc size --measured - --growth 100%

Exit codes: 0 the cards are enough, 1 they are not, or no number is, 2 bad input.";

/// Arguments of `halftrack zedc size`.
#[derive(Debug, Args)]
pub struct SizeArguments {
    #[command(flatten)]
    load: LoadArguments,
    /// Judge this number of cards instead of finding one
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<u8>::new().range(1..=CARDS_MAX as u64))]
    cards: Option<u8>,
    /// Share of its time that a card may be busy
    #[arg(long, value_name = "SHARE", default_value = "80%", value_parser = busy_limit)]
    busy_limit: f64,
    /// Rate at which one processor compresses in software, MB/s
    #[arg(long, value_name = "MB/S", value_parser = positive)]
    software_mb_per_s: Option<f64>,
    /// Directory of your own catalog files (DIR/feature/ID.toml), which override the built-in ones; repeatable
    #[arg(long = "catalog", value_name = "DIR")]
    catalogs: Vec<PathBuf>,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// Sizes the cards; true when they are enough.
///
/// # Errors
/// A catalog with errors, or without the numbers of the card; a measurement that cannot be read.
pub fn size(arguments: &SizeArguments) -> Result<bool, Failure> {
    let given = arguments.load.given()?;
    let sizing = Sizing {
        speed: card_speed(&arguments.catalogs)?,
        load: given.load(),
        busy_limit: arguments.busy_limit,
    };
    let choice = match arguments.cards {
        Some(cards) => Some(sizing.choice(cards.into())),
        None => sizing.needed(),
    };
    let answer = Answer { given, sizing, choice, software_mb_per_s: arguments.software_mb_per_s };
    print(&if arguments.json { format!("{}\n", answer.json()) } else { answer.text() })?;
    Ok(choice.is_some_and(|choice| choice.verdict == Verdict::Enough))
}

fn busy_limit(text: &str) -> Result<f64, String> {
    share(text, (0.01, 0.99), "1% to 99%, such as 80% or 0.8")
}

/// Answer to the question of how many cards.
struct Answer {
    given: GivenLoad,
    sizing: Sizing,
    /// The number that is needed or was given; `None` when none is enough.
    choice: Option<Choice>,
    software_mb_per_s: Option<f64>,
}

impl Answer {
    fn text(&self) -> String {
        let heads = [
            ("CARDS", Side::Right),
            ("BUSY %", Side::Right),
            ("QUEUE US", Side::Right),
            ("SW MB/S", Side::Right),
            ("UPDATE", Side::Right),
            ("BUSY %", Side::Right),
            ("QUEUE US", Side::Right),
            ("SW MB/S", Side::Right),
            ("SW CPUS", Side::Right),
            ("LOST TOO", Side::Right),
            ("SW MB/S", Side::Right),
            ("VERDICT", Side::Left),
        ];
        let rows: Vec<_> = self.sizing.choices().map(|choice| self.row(&choice)).collect();
        self.load_line() + &table(heads, &rows) + &self.verdict_lines()
    }

    fn load_line(&self) -> String {
        let GivenLoad { mb_per_s, request_bytes, partitions, ratio } = self.given;
        let shrunk = ratio.map(|ratio| format!(", {:.0} MB/s compressed", mb_per_s / ratio));
        format!(
            "load {mb_per_s:.0} MB/s{}, {partitions} partition{}; a card does requests of {request_bytes:.0} bytes \
             in {:.1} us, {:.0} MB/s\n",
            shrunk.unwrap_or_default(),
            if partitions == 1 { "" } else { "s" },
            self.sizing.service_us(),
            self.sizing.card_mb_per_s(),
        )
    }

    fn row(&self, choice: &Choice) -> [String; 12] {
        let (all, update, lost) = (&choice.all, &choice.update, &choice.update_and_loss);
        [
            all.cards.to_string(),
            percent(all),
            known(all.queue_us),
            format!("{:.0}", all.software_mb_per_s),
            update.cards.to_string(),
            percent(update),
            known(update.queue_us),
            format!("{:.0}", update.software_mb_per_s),
            known(self.processors(update)),
            lost.cards.to_string(),
            format!("{:.0}", lost.software_mb_per_s),
            words(choice.verdict).to_owned(),
        ]
    }

    /// Returns the processors that software takes in a situation, where its rate is known.
    fn processors(&self, situation: &Situation) -> Option<f64> {
        self.software_mb_per_s.map(|rate| situation.software_mb_per_s / rate)
    }

    fn verdict_lines(&self) -> String {
        let cards = self.choice.map(|choice| choice.all.cards);
        let mut text = match self.choice {
            Some(choice) => format!("{} cards: {}\n", choice.all.cards, words(choice.verdict)),
            None => format!("no number of cards to {CARDS_MAX}, the most of a machine, is enough\n"),
        };
        if cards.is_some_and(|cards| cards < CARDS_ADVISED_MIN) {
            text += &format!("warning: at least {CARDS_ADVISED_MIN} cards are advised\n");
        } else if cards.is_some_and(|cards| cards < CARDS_ADVISED) {
            text += &format!("for availability {CARDS_ADVISED} are advised\n");
        }
        text
    }

    fn json(&self) -> Value {
        let choices: Vec<Value> = self.sizing.choices().map(|choice| self.choice_json(&choice)).collect();
        json!({
            "load": self.given,
            "card": {
                "mb_per_s": self.sizing.speed.mb_per_s,
                "setup_us": self.sizing.speed.setup_us,
                "service_us": self.sizing.service_us(),
                "mb_per_s_of_load": self.sizing.card_mb_per_s(),
            },
            "busy_limit": self.sizing.busy_limit,
            "software_mb_per_s": self.software_mb_per_s,
            "cards": self.choice.map(|choice| choice.all.cards),
            "enough": self.choice.is_some_and(|choice| choice.verdict == Verdict::Enough),
            "advised_min": CARDS_ADVISED_MIN,
            "advised": CARDS_ADVISED,
            "choices": choices,
        })
    }

    fn choice_json(&self, choice: &Choice) -> Value {
        let situation = |one: &Situation| {
            json!({
                "cards": one.cards,
                "busy_percent": one.demand.map(|demand| demand * 100.0),
                "queue_us": one.queue_us,
                "response_us": one.response_us,
                "software_mb_per_s": one.software_mb_per_s,
                "software_processors": self.processors(one),
            })
        };
        json!({
            "all": situation(&choice.all),
            "update": situation(&choice.update),
            "update_and_loss": situation(&choice.update_and_loss),
            "partitions_max": partitions_max(choice.all.cards),
            "verdict": words(choice.verdict),
        })
    }
}

fn percent(situation: &Situation) -> String {
    known(situation.demand.map(|demand| demand * 100.0))
}

fn known(number: Option<f64>) -> String {
    number.map_or_else(|| "-".to_owned(), |number| format!("{number:.1}"))
}

const fn words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Enough => "enough",
        Verdict::ExceptInUpdate => "enough except in an update",
        Verdict::TooFew => "too few",
        Verdict::TooFewFunctions => "too few functions for the partitions",
    }
}
