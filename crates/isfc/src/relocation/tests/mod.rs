mod passes;
mod systems;
