//! Addresses that are not public.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{Ipv4Net, Ipv6Net};

const fn v4(a: u8, b: u8, c: u8, d: u8, length: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), length)
}

const fn v6(segments: [u16; 8], length: u8) -> Ipv6Net {
    let [s0, s1, s2, s3, s4, s5, s6, s7] = segments;
    Ipv6Net::new_assert(Ipv6Addr::new(s0, s1, s2, s3, s4, s5, s6, s7), length)
}

/// The special ranges of IPv4. The first row that matches counts.
///
/// Sources: the [IANA registry of special-purpose addresses][iana], and the documentation of cloud providers for their
/// metadata services.
///
/// [iana]: https://www.iana.org/assignments/iana-ipv4-special-registry
const IPV4: [(Ipv4Net, &str); 22] = [
    (v4(169, 254, 169, 254, 32), "metadata"),
    (v4(169, 254, 170, 2, 32), "metadata"),
    (v4(100, 100, 100, 200, 32), "metadata"),
    (v4(168, 63, 129, 16, 32), "metadata"),
    (v4(192, 0, 0, 192, 32), "metadata"),
    (v4(0, 0, 0, 0, 8), "this-network"),
    (v4(10, 0, 0, 0, 8), "private"),
    (v4(100, 64, 0, 0, 10), "carrier-grade-nat"),
    (v4(127, 0, 0, 0, 8), "loopback"),
    (v4(169, 254, 0, 0, 16), "link-local"),
    (v4(172, 16, 0, 0, 12), "private"),
    (v4(192, 0, 0, 0, 24), "reserved"),
    (v4(192, 0, 2, 0, 24), "documentation"),
    (v4(192, 88, 99, 0, 24), "reserved"),
    (v4(192, 168, 0, 0, 16), "private"),
    (v4(198, 18, 0, 0, 15), "benchmarking"),
    (v4(198, 51, 100, 0, 24), "documentation"),
    (v4(203, 0, 113, 0, 24), "documentation"),
    (v4(224, 0, 0, 0, 4), "multicast"),
    (v4(255, 255, 255, 255, 32), "broadcast"),
    (v4(240, 0, 0, 0, 4), "reserved"),
    (v4(192, 31, 196, 0, 24), "reserved"),
];

/// The special ranges of IPv6. The first row that matches counts.
///
/// Source: the [IANA registry of special-purpose addresses](https://www.iana.org/assignments/iana-ipv6-special-registry).
const IPV6: [(Ipv6Net, &str); 16] = [
    (v6([0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254], 128), "metadata"),
    (v6([0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23], 128), "metadata"),
    (v6([0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254], 128), "metadata"),
    (v6([0, 0, 0, 0, 0, 0, 0, 0], 128), "unspecified"),
    (v6([0, 0, 0, 0, 0, 0, 0, 1], 128), "loopback"),
    (v6([0, 0, 0, 0, 0, 0, 0, 0], 96), "ipv4-compatible"),
    (v6([0x64, 0xff9b, 1, 0, 0, 0, 0, 0], 48), "local-nat64"),
    (v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 32), "teredo"),
    (v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 23), "reserved"),
    (v6([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32), "documentation"),
    (v6([0x2002, 0, 0, 0, 0, 0, 0, 0], 16), "6to4"),
    (v6([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20), "documentation"),
    (v6([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7), "unique-local"),
    (v6([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10), "link-local"),
    (v6([0xfec0, 0, 0, 0, 0, 0, 0, 0], 10), "site-local"),
    (v6([0xff00, 0, 0, 0, 0, 0, 0, 0], 8), "multicast"),
];

/// The addresses that IANA assigns to hosts.
const GLOBAL_UNICAST: Ipv6Net = v6([0x2000, 0, 0, 0, 0, 0, 0, 0], 3);
/// Addresses that stand for an IPv4 address in their last 32 bits: mapped, translated, and NAT64.
const EMBEDS_IPV4: [Ipv6Net; 3] = [
    v6([0, 0, 0, 0, 0, 0xffff, 0, 0], 96),
    v6([0, 0, 0, 0, 0xffff, 0, 0, 0], 96),
    v6([0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 96),
];

/// Returns the name of the special range that an address is in, or `None` for a public address.
///
/// An IPv6 address that stands for an IPv4 address is as special as that one. Tunnels (6to4 and Teredo) are always special.
///
/// ```
/// use exo_rails_guards::urls::special_range;
///
/// assert_eq!(special_range("169.254.169.254".parse()?), Some("metadata"));
/// assert_eq!(special_range("::ffff:10.0.0.1".parse()?), Some("private"));
/// assert_eq!(special_range("64:ff9b::127.0.0.1".parse()?), Some("loopback"));
/// assert_eq!(special_range("1.1.1.1".parse()?), None);
/// # Ok::<(), std::net::AddrParseError>(())
/// ```
#[must_use]
pub fn special_range(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => special_v4(address),
        IpAddr::V6(address) => match embedded(address) {
            Some(inner) => special_v4(inner),
            None => special_v6(address),
        },
    }
}

fn special_v4(address: Ipv4Addr) -> Option<&'static str> {
    IPV4.iter().find(|(range, _)| range.contains(&address)).map(|(_, name)| *name)
}

fn special_v6(address: Ipv6Addr) -> Option<&'static str> {
    if let Some((_, name)) = IPV6.iter().find(|(range, _)| range.contains(&address)) {
        return Some(name);
    }
    if !GLOBAL_UNICAST.contains(&address) {
        return Some("reserved");
    }
    // ISATAP: a tunnel to the IPv4 address in the last 32 bits.
    let is_isatap = matches!(address.segments(), [_, _, _, _, 0 | 0x200, 0x5efe, _, _]);
    is_isatap.then(|| special_v4(last_32_bits(address))).flatten()
}

/// Returns the IPv4 address that an IPv6 address stands for.
pub(super) fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    EMBEDS_IPV4.iter().any(|range| range.contains(&address)).then(|| last_32_bits(address))
}

fn last_32_bits(address: Ipv6Addr) -> Ipv4Addr {
    let [.., a, b, c, d] = address.octets();
    Ipv4Addr::new(a, b, c, d)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may panic")]
mod tests {
    use super::*;

    #[test]
    fn each_special_address_is_in_its_range() {
        let table = [
            ("0.0.0.0", "this-network"),
            ("0.255.255.255", "this-network"),
            ("10.0.0.0", "private"),
            ("10.255.255.255", "private"),
            ("100.64.0.0", "carrier-grade-nat"),
            ("100.127.255.255", "carrier-grade-nat"),
            ("100.100.100.200", "metadata"),
            ("127.0.0.1", "loopback"),
            ("127.255.255.255", "loopback"),
            ("168.63.129.16", "metadata"),
            ("169.254.0.1", "link-local"),
            ("169.254.169.254", "metadata"),
            ("172.16.0.0", "private"),
            ("172.31.255.255", "private"),
            ("192.0.0.192", "metadata"),
            ("192.0.0.8", "reserved"),
            ("192.0.2.1", "documentation"),
            ("192.88.99.1", "reserved"),
            ("192.168.0.0", "private"),
            ("192.168.255.255", "private"),
            ("198.18.0.1", "benchmarking"),
            ("198.19.255.255", "benchmarking"),
            ("198.51.100.7", "documentation"),
            ("203.0.113.7", "documentation"),
            ("224.0.0.1", "multicast"),
            ("239.255.255.255", "multicast"),
            ("240.0.0.1", "reserved"),
            ("255.255.255.255", "broadcast"),
            ("::", "unspecified"),
            ("::1", "loopback"),
            ("::7f00:1", "ipv4-compatible"),
            ("::808:808", "ipv4-compatible"),
            ("::ffff:127.0.0.1", "loopback"),
            ("::ffff:169.254.169.254", "metadata"),
            ("::ffff:0:127.0.0.1", "loopback"),
            ("64:ff9b::10.0.0.1", "private"),
            ("64:ff9b:1::8.8.8.8", "local-nat64"),
            ("100::1", "reserved"),
            ("2001::1", "teredo"),
            ("2001:2::1", "reserved"),
            ("2001:20::1", "reserved"),
            ("2001:db8::1", "documentation"),
            ("2002:7f00:1::", "6to4"),
            ("2002:808:808::", "6to4"),
            ("3fff::1", "documentation"),
            ("4000::1", "reserved"),
            ("5f00::1", "reserved"),
            ("fc00::1", "unique-local"),
            ("fd00:ec2::254", "metadata"),
            ("fd20:ce::254", "metadata"),
            ("fe80::1", "link-local"),
            ("febf::1", "link-local"),
            ("fec0::1", "site-local"),
            ("ff02::1", "multicast"),
            ("2606:4700::5efe:10.0.0.1", "private"),
            ("2606:4700::200:5efe:192.168.0.1", "private"),
        ];
        for (address, range) in table {
            assert_eq!(special_range(address.parse().unwrap()), Some(range), "{address}");
        }
    }

    #[test]
    fn public_addresses_are_in_no_special_range() {
        for address in [
            "1.1.1.1",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "169.253.255.255",
            "169.255.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "::ffff:8.8.8.8",
            "64:ff9b::8.8.8.8",
            "2001:4860:4860::8888",
            "2606:4700:4700::1111",
            "2a00:1450:4001:80e::200e",
        ] {
            assert_eq!(special_range(address.parse().unwrap()), None, "{address}");
        }
    }
}
