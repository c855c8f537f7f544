//! Benchmarks of single parts of the product, run by `cargo bench -p halftrack-bench-components`; never part of a test.
