//! Checksums of numbers of people, cards and accounts.

/// Returns the digits of a text.
pub(super) fn digits(text: &str) -> impl DoubleEndedIterator<Item = u32> {
    text.bytes().filter(u8::is_ascii_digit).map(|byte| u32::from(byte - b'0'))
}

/// The formula of Luhn: of cards, and of the Canadian and Swedish numbers of people.
pub(super) fn luhn(text: &str) -> bool {
    let doubled = |(place, digit): (usize, u32)| if place % 2 == 0 { digit } else { digit * 2 / 10 + digit * 2 % 10 };
    digits(text).rev().enumerate().map(doubled).sum::<u32>() % 10 == 0
}

/// Whether the weighted sum of the digits has this remainder.
fn weighted(text: &str, weights: &[u32], modulus: u32) -> u32 {
    digits(text).zip(weights).map(|(digit, weight)| digit * weight).sum::<u32>() % modulus
}

/// ISO 7064, mod 97-10: of an IBAN. The first four characters go to the end, and letters are numbers from 10.
pub(super) fn mod_97(text: &str) -> bool {
    let letters: Vec<char> = text.chars().filter(char::is_ascii_alphanumeric).collect();
    let Some((first, rest)) = letters.split_at_checked(4) else { return false };
    let remainder = rest.iter().chain(first).filter_map(|letter| letter.to_digit(36)).fold(0, |remainder, value| {
        let shift = if value > 9 { 100 } else { 10 };
        (remainder * shift + value) % 97
    });
    remainder == 1
}

/// Verhoeff's formula: of the Indian Aadhaar.
pub(super) fn verhoeff(text: &str) -> bool {
    const PERMUTATION: [usize; 10] = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];
    let multiply = |one: usize, other: usize| match (one < 5, other < 5) {
        (true, true) => (one + other) % 5,
        (true, false) => 5 + (one + other - 5) % 5,
        (false, true) => 5 + (one - 5 + 5 - other) % 5,
        (false, false) => (one + 5 - other) % 5,
    };
    let check = digits(text).rev().enumerate().fold(0, |check, (place, digit)| {
        let permuted = (0..place % 8).fold(digit as usize, |digit, _| PERMUTATION[digit]);
        multiply(check, permuted)
    });
    check == 0
}

/// The British number of the National Health Service: eleven minus a weighted sum.
pub(super) fn nhs(text: &str) -> bool {
    let check = (11 - weighted(text, &[10, 9, 8, 7, 6, 5, 4, 3, 2], 11)) % 11;
    check < 10 && digits(text).nth(9) == Some(check) && varies(text)
}

/// The Spanish DNI and NIE: a letter for the remainder of 23.
pub(super) fn spanish(text: &str) -> bool {
    const LETTERS: &[u8] = b"TRWAGMYFPDXBNJZSQVHLCKE";
    let text: Vec<u8> = text.bytes().filter(u8::is_ascii_alphanumeric).map(|byte| byte.to_ascii_uppercase()).collect();
    let Some((last, number)) = text.split_last() else { return false };
    let number = number.iter().fold(0_u32, |sum, byte| {
        let digit = match byte {
            b'X' => 0,
            b'Y' => 1,
            b'Z' => 2,
            digit => u32::from(digit.saturating_sub(b'0')),
        };
        sum.saturating_mul(10).saturating_add(digit)
    });
    LETTERS.get(number as usize % 23) == Some(last)
}

/// The Polish PESEL.
pub(super) fn pesel(text: &str) -> bool {
    let check = (10 - weighted(text, &[1, 3, 7, 9, 1, 3, 7, 9, 1, 3], 10)) % 10;
    let all: Vec<u32> = digits(text).collect();
    // The month has the century in it.
    let day = all.get(4..6).map_or(0, |day| day[0] * 10 + day[1]);
    let month = all.get(2..4).map_or(0, |month| (month[0] * 10 + month[1]) % 20);
    all.get(10) == Some(&check) && (1..=31).contains(&day) && (1..=12).contains(&month)
}

/// The Brazilian CPF: two checks with falling weights.
pub(super) fn cpf(text: &str) -> bool {
    let check = |weights: &[u32]| weighted(text, weights, 11) * 10 % 11 % 10;
    let first = check(&[10, 9, 8, 7, 6, 5, 4, 3, 2]);
    let second = check(&[11, 10, 9, 8, 7, 6, 5, 4, 3, 2]);
    digits(text).nth(9) == Some(first) && digits(text).nth(10) == Some(second) && varies(text)
}

/// The German tax id: ISO 7064, mod 11-10, and exactly one digit that occurs more than once in the first ten.
pub(super) fn german_tax_id(text: &str) -> bool {
    let all: Vec<u32> = digits(text).collect();
    let Some((last, first)) = all.split_last() else { return false };
    let product = first.iter().fold(10, |product, digit| {
        let sum = (digit + product) % 10;
        (if sum == 0 { 10 } else { sum }) * 2 % 11
    });
    let mut counts = [0; 10];
    for digit in first {
        counts[*digit as usize] += 1;
    }
    let repeated: Vec<_> = counts.iter().filter(|count| **count > 1).collect();
    (11 - product) % 10 == *last && repeated.len() == 1 && *repeated[0] <= 3 && all[0] != 0
}

/// The Australian tax file number.
pub(super) fn tfn(text: &str) -> bool {
    weighted(text, &[1, 4, 3, 7, 5, 8, 6, 9, 10], 11) == 0 && varies(text)
}

/// The Italian codice fiscale: values of odd and even places.
pub(super) fn codice_fiscale(text: &str) -> bool {
    const ODD: [u32; 26] =
        [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];
    let value = |letter: u8| u32::from(if letter.is_ascii_digit() { letter - b'0' } else { letter - b'A' });
    let text = text.to_ascii_uppercase();
    let Some((last, first)) = text.as_bytes().split_last() else { return false };
    let sum: u32 = first
        .iter()
        .enumerate()
        .map(|(place, letter)| if place % 2 == 0 { ODD[value(*letter) as usize % 26] } else { value(*letter) })
        .sum();
    u32::from(*last) == u32::from(b'A') + sum % 26
}

/// The Finnish personal identity code: a letter for the remainder of 31.
pub(super) fn finnish(text: &str) -> bool {
    const LETTERS: &[u8] = b"0123456789ABCDEFHJKLMNPRSTUVWXY";
    let number = digits(&text[..text.len().saturating_sub(1)]).fold(0, |number, digit| number * 10 + digit);
    LETTERS.get(number as usize % 31).copied() == text.bytes().last().map(|byte| byte.to_ascii_uppercase())
}

/// Whether the digits are not all the same.
pub(super) fn varies(text: &str) -> bool {
    let first = digits(text).next();
    digits(text).any(|digit| Some(digit) != first)
}

/// The checksum of Bech32 and Bech32m: of addresses such as `bc1…`.
pub(super) fn bech32(text: &str) -> bool {
    const LETTERS: &str = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
    const GENERATOR: [u32; 5] = [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3];
    let text = text.to_ascii_lowercase();
    let Some((prefix, data)) = text.split_once('1') else { return false };
    let values = data.chars().map(|letter| LETTERS.find(letter).and_then(|value| u32::try_from(value).ok()));
    let Some(values) = values.collect::<Option<Vec<_>>>() else { return false };
    let high = prefix.bytes().map(|byte| u32::from(byte >> 5));
    let low = prefix.bytes().map(|byte| u32::from(byte & 31));
    let check = high.chain([0]).chain(low).chain(values).fold(1_u32, |check, value| {
        let top = check >> 25;
        let shifted = ((check & 0x01ff_ffff) << 5) ^ value;
        GENERATOR.iter().enumerate().fold(
            shifted,
            |sum, (bit, generator)| {
                if top >> bit & 1 == 1 { sum ^ generator } else { sum }
            },
        )
    });
    matches!(check, 1 | 0x2bc8_30a3)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every formula refuses a number in which one digit is wrong.
    #[test]
    fn each_checksum_detects_one_wrong_digit() {
        type Formula = fn(&str) -> bool;
        let table: [(Formula, &str); 12] = [
            (luhn, "4111 1111 1111 1111"),
            (luhn, "378282246310005"),
            (mod_97, "DE89 3704 0044 0532 0130 00"),
            (mod_97, "GB82 WEST 1234 5698 7654 32"),
            (verhoeff, "2341 2341 2346"),
            (nhs, "943 476 5919"),
            (spanish, "12345678Z"),
            (pesel, "44051401359"),
            (cpf, "529.982.247-25"),
            (german_tax_id, "86095742719"),
            (tfn, "123 456 782"),
            (finnish, "131052-308T"),
        ];
        for (formula, number) in table {
            assert!(formula(number), "{number}");
            for (place, old) in number.char_indices().filter(|(_, letter)| letter.is_ascii_digit()) {
                for new in ('0'..='9').filter(|new| *new != old) {
                    let mut wrong = number.to_owned();
                    wrong.replace_range(place..=place, &new.to_string());
                    assert!(!formula(&wrong), "{wrong}");
                }
            }
        }
        let address = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";
        assert!(bech32(address) && !bech32(&address.replace("w508", "w509")));
        assert!(codice_fiscale("RSSMRA85T10A562S") && !codice_fiscale("RSSMRA85T10A562T"));
        assert!(spanish("X1234567L") && !spanish("X1234567M"));
    }
}
