/// A parser for the node identifiers that proxies use for clients and other proxies (RFC 7239, section 6).
enum ForwardedNode {
    /// Returns the address in a node identifier.
    ///
    /// The result is `nil` for `unknown`, for an obfuscated identifier and for any other text.
    ///
    /// Supported formats are `192.0.2.1`, `192.0.2.1:8080`, `[2001:db8::1]`, `[2001:db8::1]:443` and, because
    /// `X-Forwarded-For` uses it, `2001:db8::1`.
    static func address(in node: ArraySlice<UInt8>) -> IPAddress? {
        guard node.count <= 64 else { return nil }
        if node.first == UInt8(ascii: "[") {
            guard let end = node.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            let address = node[(node.startIndex + 1)..<end]
            guard isEmptyOrPort(node[(end + 1)...]), address.contains(UInt8(ascii: ":")) else { return nil }
            return parse(address)
        }
        let colons = node.count { $0 == UInt8(ascii: ":") }
        guard colons == 1, let colon = node.firstIndex(of: UInt8(ascii: ":")) else { return parse(node) }
        return isEmptyOrPort(node[colon...]) ? parse(node[..<colon]) : nil
    }

    private static func parse(_ address: ArraySlice<UInt8>) -> IPAddress? {
        IPAddress(String(decoding: address, as: UTF8.self))
    }

    /// Returns whether a string is either empty, a port (`:8080`) or an obfuscated port (`:_name`).
    private static func isEmptyOrPort(_ text: ArraySlice<UInt8>) -> Bool {
        guard let first = text.first else { return true }
        let port = text.dropFirst()
        guard first == UInt8(ascii: ":"), !port.isEmpty else { return false }
        if port.first == UInt8(ascii: "_") {
            return port.count > 1 && port.allSatisfy { isAlphanumeric($0) || "._-".utf8.contains($0) }
        }
        return port.count <= 5 && port.allSatisfy { (0x30...0x39).contains($0) }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }
}
