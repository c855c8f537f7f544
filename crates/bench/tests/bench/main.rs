//! One model through the engine, by hand and in closed form.

mod mean_value_analysis;
mod same_departures;
