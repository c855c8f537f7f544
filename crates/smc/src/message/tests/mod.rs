mod anything;
mod captured;
mod vectors;
