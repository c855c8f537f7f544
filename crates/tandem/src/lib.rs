//! A closed tandem of stations through the engine and by hand, for comparing speeds; never reads a clock.
