//! How random a text looks.

/// Returns the entropy of Shannon of the bytes of a text, in bits per byte.
///
/// `aaaa` has 0 bits, a random text of hexadecimal digits has nearly 4, and a random text of base64 nearly 6.
#[expect(clippy::cast_precision_loss, reason = "a count of bytes in a secret is small")]
pub(super) fn entropy(text: &str) -> f64 {
    let mut counts = [0_usize; 256];
    text.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    let all = text.len() as f64;
    let of_byte = |count: &usize| {
        let share = *count as f64 / all;
        -share * share.log2()
    };
    counts.iter().filter(|count| **count > 0).map(of_byte).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_entropy_follows_from_the_shares_of_the_characters() {
        let table =
            [("", 0.0), ("aaaa", 0.0), ("ab", 1.0), ("abcd", 2.0), ("0123456789abcdef", 4.0), ("aab", 0.918_295_8)];
        for (text, expected) in table {
            assert!((entropy(text) - expected).abs() < 1e-6, "{text}: {}", entropy(text));
        }
    }
}
