//! Request of a study, in the words of the command line.

use std::ops::Range;

use crate::block::Block;

/// Request of a study; a field that is `None` is chosen for the model.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Model of the processor complex, such as `Max200`, or its catalog id.
    pub model: String,
    /// FICON channels.
    pub channels: u32,
    /// Base devices.
    pub bases: u32,
    /// HyperPAV aliases.
    pub aliases: u32,
    /// Logical partitions.
    pub lpars: Option<u32>,
    /// Channel subsystems.
    pub css: Option<u32>,
    /// Catalog id of the channel cards.
    pub card: Option<String>,
    /// Length of each cable, km one way.
    pub km: f64,
    /// Load of the machine.
    pub load: Option<Load>,
    /// Block that every I/O reads.
    pub block: Block,
    /// Seed of every random stream.
    pub seed: u64,
}

/// Work of all partitions together, divided evenly among them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Load {
    /// Jobs, each with one I/O at a time and the next one as soon as it ends.
    Jobs(u32),
    /// I/Os that arrive in a second.
    Rate(f64),
}

impl Request {
    /// Returns the arguments of the request.
    pub fn line(&self) -> String {
        self.arguments().map(|(option, value)| format!("{option} {value}")).collect::<Vec<_>>().join(" ")
    }

    /// Returns the place of `option` and its value in [`line`](Self::line); the whole line where it is not given.
    pub(crate) fn span(&self, option: &str) -> Range<usize> {
        let mut at = 0;
        for (name, value) in self.arguments() {
            let end = at + name.len() + 1 + value.len();
            if name == option {
                return at..end;
            }
            at = end + 1;
        }
        0..at.saturating_sub(1)
    }

    fn arguments(&self) -> impl Iterator<Item = (&'static str, String)> {
        let load = self.load.map(|load| match load {
            Load::Jobs(jobs) => ("--jobs", jobs.to_string()),
            Load::Rate(rate) => ("--rate", rate.to_string()),
        });
        let required = [
            ("--model", self.model.clone()),
            ("--channels", self.channels.to_string()),
            ("--bases", self.bases.to_string()),
            ("--aliases", self.aliases.to_string()),
        ];
        let number = |option, value: Option<u32>| value.map(|value| (option, value.to_string()));
        let chosen = [
            number("--lpars", self.lpars),
            number("--css", self.css),
            self.card.clone().map(|card| ("--card", card)),
            Some(("--km", self.km.to_string())),
            load,
            Some(("--block", self.block.to_string())),
            Some(("--seed", self.seed.to_string())),
        ];
        required.into_iter().chain(chosen.into_iter().flatten())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_has_every_argument_where_its_span_says() {
        let request = Request {
            model: "Max39".to_owned(),
            channels: 37,
            bases: 5000,
            aliases: 0,
            lpars: Some(3),
            css: None,
            card: None,
            km: 0.5,
            load: Some(Load::Rate(1000.0)),
            block: Block::Named("4K"),
            seed: 1,
        };
        let line = request.line();
        assert_eq!(
            line,
            "--model Max39 --channels 37 --bases 5000 --aliases 0 --lpars 3 --km 0.5 --rate 1000 --block 4K --seed 1"
        );
        assert_eq!(&line[request.span("--lpars")], "--lpars 3");
        assert_eq!(&line[request.span("--seed")], "--seed 1");
        assert_eq!(line[request.span("--css")], line);
    }
}
