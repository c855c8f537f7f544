mod anything;
mod flows;
mod hostile;
mod rig;
