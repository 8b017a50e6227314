//! Feature scaling fitted on training data.
