//! Exact support vector machines.
