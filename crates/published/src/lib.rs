//! Published figures, the experiments that answer them, and the scoreboard; never tunes anything.
