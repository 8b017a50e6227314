//! CRC-32 (IEEE 802.3, reflected polynomial 0xEDB88320): finds every damage of up to 32
//! neighbouring bits.

/// Bytes that are looked up at a time: each has a table of its own, so that the lookups do not wait
/// for one another.
const STRIDE: usize = 16;

/// `TABLES[z][b]`: the remainder of byte `b` followed by `z` zero bytes.
static TABLES: [[u32; 256]; STRIDE] = tables();

const fn tables() -> [[u32; 256]; STRIDE] {
    let mut tables = [[0; 256]; STRIDE];
    let mut byte = 0;
    while byte < 256 {
        let mut remainder = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            remainder = if remainder & 1 == 1 {
                (remainder >> 1) ^ 0xedb8_8320
            } else {
                remainder >> 1
            };
            bit += 1;
        }
        tables[0][byte] = remainder;
        byte += 1;
    }
    let mut zeros = 1;
    while zeros < STRIDE {
        let mut byte = 0;
        while byte < 256 {
            let before = tables[zeros - 1][byte];
            tables[zeros][byte] = (before >> 8) ^ tables[0][(before & 0xff) as usize];
            byte += 1;
        }
        zeros += 1;
    }
    tables
}

/// Checksum of `bytes`.
pub(super) fn crc32(bytes: &[u8]) -> u32 {
    let (blocks, rest) = bytes.as_chunks::<STRIDE>();
    let crc = blocks.iter().fold(u32::MAX, |crc, block| {
        let carried = crc.to_le_bytes();
        let mut next = 0;
        for (at, &byte) in block.iter().enumerate() {
            let byte = if at < 4 { byte ^ carried[at] } else { byte };
            next ^= TABLES[STRIDE - 1 - at][usize::from(byte)];
        }
        next
    });
    !rest.iter().copied().fold(crc, one_byte)
}

fn one_byte(crc: u32, byte: u8) -> u32 {
    (crc >> 8) ^ TABLES[0][((crc ^ u32::from(byte)) & 0xff) as usize]
}

#[cfg(test)]
mod tests {
    use super::{crc32, one_byte};

    #[test]
    fn check_value_of_the_standard() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32(b""), 0);
    }

    #[test]
    fn blocks_and_single_bytes_agree() {
        let bytes: Vec<u8> = (0..1000u32).map(|i| (i * i / 7) as u8).collect();
        for length in [1, 15, 16, 17, 31, 32, 33, 1000] {
            let one_by_one = !bytes[..length].iter().copied().fold(u32::MAX, one_byte);
            assert_eq!(crc32(&bytes[..length]), one_by_one, "{length} bytes");
        }
    }
}
