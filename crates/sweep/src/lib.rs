//! Studies changed key by key, run in parallel and kept by content; never draws a conclusion and holds no formula of
//! the model.
