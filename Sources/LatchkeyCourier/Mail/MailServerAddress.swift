/// The address of a mail server as written in the configuration, such as `smtps://mail.example.com` or
/// `smtp://mail.example.com:587`.
package struct MailServerAddress: Hashable, Sendable {
    /// The host name or IP address in lower case.
    ///
    /// IPv6 addresses have no brackets.
    package let host: String
    /// The TCP port, between 1 and 65535.
    package let port: Int

    /// Whether the connection uses implicit TLS, that is, TLS from the first byte (`smtps`; RFC 8314, section
    /// 3.3).
    ///
    /// Otherwise the connection starts in plain text and can be upgraded with STARTTLS (RFC 3207).
    package let isImplicit: Bool

    /// Parses an address.
    ///
    /// Returns `nil` if the URL contains a user name or a path, or if the port is invalid.
    ///
    /// The default port is 465 for `smtps` and 587 for `smtp`.
    package init?(_ url: String) {
        let text = url.lowercased()
        guard let scheme = ["smtps://", "smtp://"].first(where: { text.hasPrefix($0) }) else { return nil }
        var rest = text.dropFirst(scheme.count)
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        isImplicit = scheme == "smtps://"
        let usual = isImplicit ? 465 : 587
        if rest.hasPrefix("[") {
            guard let close = rest.firstIndex(of: "]") else { return nil }
            host = String(rest[rest.index(after: rest.startIndex)..<close])
            rest = rest[rest.index(after: close)...]
            guard !host.isEmpty, host.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }) else {
                return nil
            }
        } else {
            host = String(rest.prefix { $0 != ":" })
            rest = rest.dropFirst(host.count)
            let isName = host.allSatisfy {
                $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == ".")
            }
            guard !host.isEmpty, isName else { return nil }
        }
        guard !rest.isEmpty else {
            port = usual
            return
        }
        guard rest.hasPrefix(":"), let number = UInt16(rest.dropFirst()), number > 0 else { return nil }
        port = Int(number)
    }
}
