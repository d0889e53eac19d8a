//! A small generator: the same seed, the same draws, on every machine.

/// Splitmix64.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// A generator of its own for these keys.
    pub(crate) fn of(keys: &[u64]) -> Self {
        let mut random = Self(0);
        for key in keys {
            random.0 = random.next() ^ key;
        }
        random
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: u32) -> u32 {
        u32::try_from(self.next() % u64::from(limit)).unwrap()
    }

    /// Whether it comes to pass, so many times in a thousand.
    pub(crate) fn permille(&mut self, times: u32) -> bool {
        self.below(1000) < times
    }
}
