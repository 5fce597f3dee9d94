//! Mining whole sites: invented forums in many layouts, arbitrary input, and saved pages where there are some.

mod hostile;
mod invented;
mod layouts;
mod saved;
mod unseen;
mod zone;
