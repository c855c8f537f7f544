mod ends;
mod loss;
mod rig;
