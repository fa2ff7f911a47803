/// A URL that a flow may send the user to, parsed once.
///
/// Comparisons use the parsed parts, and ``text`` is the only form that is stored or returned. A URL is
/// rejected if browsers and servers might parse it differently, so that no page that follows it ends
/// elsewhere (WHATWG URL and RFC 3986 differ in what they repair).
package struct ReturnURL: Sendable {
    /// The maximum length of a return URL in bytes, as it was received and in its normalized form.
    ///
    /// URLs are limited because they are stored with the flow.
    static let byteLimit = 512

    /// The scheme in lower case.
    package let scheme: String
    /// The host in lower case.
    package let host: String
    /// The port, or `nil` if it is the scheme's default.
    package let port: Int?
    /// The path, in which only characters that need it are percent-encoded.
    package let path: String
    /// The query and the fragment with their first characters, or an empty string.
    private let rest: String

    /// Parses an absolute URL such as `https://app.example.com/done?from=login`, or the URL of an app such as
    /// `com.example.app://done`.
    ///
    /// - Parameters:
    ///   - text: The URL. If it starts with a single slash, it is resolved against `base`.
    ///   - base: The URL whose origin a path is resolved against, or `nil` to reject paths.
    package init?(_ text: String, relativeTo base: ReturnURL? = nil) {
        guard text.utf8.count <= Self.byteLimit, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            return nil
        }
        let remainder: Substring
        if let base, text.hasPrefix("/"), !text.hasPrefix("//") {
            (scheme, host, port) = (base.scheme, base.host, base.port)
            remainder = text[...]
        } else {
            guard let mark = text.firstRange(of: "://"),
                let scheme = Self.scheme(text[..<mark.lowerBound])
            else { return nil }
            let end = text[mark.upperBound...].firstIndex { "/?#".contains($0) } ?? text.endIndex
            guard let authority = Self.authority(text[mark.upperBound..<end], scheme: scheme) else {
                return nil
            }
            self.scheme = scheme
            (host, port) = authority
            remainder = text[end...]
        }
        let path = remainder.prefix { $0 != "?" && $0 != "#" }
        guard let normalized = Self.path(path) else { return nil }
        self.path = normalized.isEmpty && Self.isWeb(scheme) ? "/" : normalized
        rest = Self.encoded(remainder[path.endIndex...])
        guard self.text.utf8.count <= Self.byteLimit else { return nil }
    }

    /// The normalized URL.
    package var text: String { origin + path + rest }

    /// The scheme, host and port, such as `https://app.example.com:8443`.
    package var origin: String { "\(scheme)://\(host)\(port.map { ":\($0)" } ?? "")" }

    // MARK: Parts

    private static func isWeb(_ scheme: String) -> Bool { scheme == "https" || scheme == "http" }

    /// Schemes that browsers treat as code, as data or as files.
    private static let forbiddenSchemes: Set<String> = [
        "javascript", "vbscript", "data", "blob", "file", "filesystem", "about", "view-source",
    ]

    /// Returns a scheme in lower case (RFC 3986, section 3.1).
    private static func scheme(_ text: Substring) -> String? {
        let scheme = text.lowercased()
        guard let first = scheme.first, first.isLetter, !forbiddenSchemes.contains(scheme) else { return nil }
        return scheme.allSatisfy { $0.isLetter || $0.isNumber || "+-.".contains($0) } ? scheme : nil
    }

    /// Returns a host in lower case and a port that isn't the default.
    ///
    /// User information and backslashes are rejected with all other characters that a host can't have, and only
    /// web addresses can have a port.
    private static func authority(_ text: Substring, scheme: String) -> (host: String, port: Int?)? {
        let text = text.lowercased()
        let isIPv6 = text.hasPrefix("[")
        guard
            let end = isIPv6
                ? text.firstIndex(of: "]").map(text.index(after:)) : text.firstIndex(of: ":") ?? text.endIndex
        else { return nil }
        let (host, suffix) = (text[..<end], text[end...])
        let allowed = isIPv6 ? "0123456789abcdef:.[]" : "abcdefghijklmnopqrstuvwxyz0123456789-._"
        guard !host.isEmpty, host.allSatisfy(allowed.contains) else { return nil }
        guard let first = suffix.first else { return (String(host), nil) }
        let digits = suffix.dropFirst()
        guard isWeb(scheme), first == ":", (1...5).contains(digits.count), !digits.hasPrefix("0"),
            digits.allSatisfy(\.isNumber), let port = Int(digits)
        else { return nil }
        return (String(host), port == (scheme == "https" ? 443 : 80) ? nil : port)
    }

    /// Returns a normalized path, or `nil` if it has a backslash, an invalid escape or a dot segment in any
    /// encoding.
    private static func path(_ text: Substring) -> String? {
        guard !text.contains("\\"), let path = normalized(text) else { return nil }
        return path.split(separator: "/").contains(where: climbs) ? nil : encoded(path[...])
    }

    /// Returns whether a server could treat a segment as `.` or `..`, after it has decoded the segment several
    /// times, has removed parameters or has split it at an encoded slash or backslash.
    private static func climbs(_ segment: Substring) -> Bool {
        var segment = String(segment)
        for _ in 0..<4 {
            let parts = segment.split { $0 == "/" || $0 == "\\" }
            if parts.contains(where: { [".", ".."].contains($0.prefix { $0 != ";" }) }) { return true }
            let decoded = decodedOnce(segment)
            guard decoded != segment else { return false }
            segment = decoded
        }
        return true
    }

    /// Decodes the escapes that are relevant to dot segments, one level of each.
    private static func decodedOnce(_ segment: String) -> String {
        var decoded = segment.lowercased()
        // The percent sign comes last, so that only one level is decoded.
        for (escape, text) in [("%2e", "."), ("%2f", "/"), ("%5c", "\\"), ("%3b", ";"), ("%25", "%")] {
            decoded.replace(escape, with: text)
        }
        return decoded
    }

    /// Returns a path whose escapes are in upper case, and that contains no escapes of unreserved characters
    /// (RFC 3986, section 6.2.2).
    private static func normalized(_ text: Substring) -> String? {
        var bytes = Array(text.utf8)[...]
        var result: [UInt8] = []
        while let byte = bytes.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                result.append(byte)
                continue
            }
            let digits = String(decoding: bytes.prefix(2), as: UTF8.self).uppercased()
            guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit),
                let value = UInt8(digits, radix: 16)
            else { return nil }
            bytes = bytes.dropFirst(2)
            if isUnreserved(value) { result.append(value) } else { result += Array("%\(digits)".utf8) }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~".utf8.contains(byte)
        }
    }

    /// Percent-encodes characters that a URL must not contain and that HTML and some parsers treat specially.
    private static func encoded(_ text: Substring) -> String {
        text.utf8.map { byte in
            "\"<>\\^`{|}".utf8.contains(byte)
                ? "%" + String(byte, radix: 16, uppercase: true)
                : String(UnicodeScalar(byte))
        }.joined()
    }
}
