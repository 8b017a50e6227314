//! Vector passes and matrix tiles: the only place with SIMD and `unsafe`.
