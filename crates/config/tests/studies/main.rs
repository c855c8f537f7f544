//! Studies as a whole: what they become, what contradicts, what order and nonsense do.

mod arbitrary;
mod attachment;
mod bit_errors;
mod bridges;
mod caches;
mod configuration;
mod contradictions;
mod endpoint_security;
mod escon;
mod failures;
mod fcp;
mod fuzz_corpus;
mod interconnects;
mod islinks;
mod layouts_of_2002;
mod machines_of_2002;
mod messages;
mod operators;
mod order;
mod parallel;
mod processors;
mod several_machines;
mod site;
mod synchronous;
mod synchronous_links;
mod traces;
