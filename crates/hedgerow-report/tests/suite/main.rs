//! All tests of charts from outside, in one program: each would be linked with the whole library.

mod hostile;
mod structure;
