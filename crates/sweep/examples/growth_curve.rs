//! Draws what a simulated I/O costs against the size of the machine, from the table that `benches/curve.sh` collects.
//!
//! usage: growth_curve TABLE.csv DIR

use std::error::Error;
use std::fs;
use std::path::Path;

use halftrack_sweep::chart::{Axis, Chart, Series};

/// Columns of the table: channels, then what is drawn, with its file and the words for its axis.
const DRAWN: [(&str, &str, &str); 2] = [
    ("ns_per_io", "growth-ns.svg", "processor time of a simulated I/O (ns)"),
    ("instructions_per_io", "growth-instructions.svg", "instructions of a simulated I/O"),
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(table), Some(directory)) = (arguments.next(), arguments.next()) else {
        return Err("usage: growth_curve TABLE.csv DIR".into());
    };
    let text = fs::read_to_string(&table)?;
    for (column, file, label) in DRAWN {
        let points = points(&text, column)?;
        // Where there is no valgrind, no instructions were counted.
        if !points.is_empty() {
            fs::write(Path::new(&directory).join(file), chart(points, label).svg())?;
        }
    }
    Ok(())
}

/// Returns channels and the number in `column` of every row that has one.
fn points(text: &str, column: &str) -> Result<Vec<(f64, f64)>, Box<dyn Error>> {
    let mut rows = text.lines();
    let names: Vec<_> = rows.next().unwrap_or_default().split(',').collect();
    let at = |name| names.iter().position(|found| *found == name).ok_or(format!("no column {name}"));
    let (x, y) = (at("channels")?, at(column)?);
    let mut points = Vec::new();
    for row in rows {
        let fields: Vec<_> = row.split(',').collect();
        if let (Some(channels), Some(value)) =
            (fields.get(x), fields.get(y).filter(|field| !field.is_empty()))
        {
            points.push((channels.parse()?, value.parse()?));
        }
    }
    Ok(points)
}

fn chart(points: Vec<(f64, f64)>, label: &str) -> Chart {
    let most = points.iter().fold(0.0, |most: f64, (_, y)| most.max(*y));
    Chart {
        title: "From one channel to the whole machine".to_owned(),
        x: Axis::log("channels"),
        y: Axis::linear(label).between(0.0, most * 1.1),
        curves: vec![Series { name: label.to_owned(), points }],
        bars: Vec::new(),
        side_by_side: false,
        marks: Vec::new(),
        guidelines: Vec::new(),
    }
}
