import LatchkeyWire

/// Removes secrets, phone numbers and e-mail addresses from exchanges.
///
/// All other bytes stay the same.
enum Redaction {
    /// Header fields that never contain secrets.
    private static let shownHeaders: Set<String> = [
        "accept", "accept-encoding", "accept-language", "accept-ranges", "age", "allow", "cache-control",
        "connection", "content-encoding", "content-language", "content-length", "content-range",
        "content-type",
        "date", "deprecation", "etag", "expires", "host", "if-match", "if-modified-since", "if-none-match",
        "keep-alive", "last-modified", "latchkey-device-certificate", "pragma", "ratelimit-limit",
        "ratelimit-remaining", "ratelimit-reset",
        "retry-after", "server", "strict-transport-security", "sunset", "transfer-encoding", "user-agent",
        "vary",
        "via", "www-authenticate", "x-content-type-options", "x-request-id",
    ]

    /// Header fields that contain a URL.
    private static let addressHeaders: Set<String> = ["content-location", "location"]

    /// Returns the header fields, with every value masked unless it is known to be harmless.
    ///
    /// URLs are redacted.
    static func headers(_ headers: HTTP.Headers) -> HTTP.Headers {
        var headers = headers
        for index in headers.fields.indices {
            let field = headers.fields[index]
            let name = field.name.lowercased()
            if addressHeaders.contains(name) {
                headers.fields[index].value = address(field.value)
            } else if !shownHeaders.contains(name) {
                headers.fields[index].value = SensitiveName.secret.mark
            }
        }
        return headers
    }

    /// Returns a copy of a body without secrets.
    ///
    /// Secrets are masked in JSON and forms; any other body is replaced with its size.
    static func body(_ body: [UInt8], of headers: HTTP.Headers) -> [UInt8] {
        guard !body.isEmpty else { return [] }
        let type = headers["Content-Type"]?.prefix { $0 != ";" && $0 != " " }.lowercased()
        if type == "application/x-www-form-urlencoded" {
            return Array(query(String(decoding: body, as: UTF8.self)).utf8)
        }
        return RedactedJSON.copy(of: body) ?? size(of: body)
    }

    /// Returns a placeholder that contains the size of a body.
    static func size(of body: [UInt8]) -> [UInt8] {
        body.isEmpty ? [] : Array("‹\(body.count) bytes›".utf8)
    }

    /// Returns a redacted path.
    ///
    /// Tokens are masked, as are segments that follow the name of a secret.
    static func path(_ path: String) -> String {
        Self.path(path[...], depth: 0)
    }

    /// Returns a redacted query or URL-encoded form.
    static func query(_ query: String) -> String {
        Self.query(query[...], depth: 0)
    }

    /// Returns a redacted URL, which may be absolute or relative.
    static func address(_ address: String) -> String {
        Self.address(address[...], depth: 0)
    }

    /// Returns a text with all URLs, phone numbers and e-mail addresses redacted.
    static func text(_ text: String) -> String {
        Self.text(text, depth: 0)
    }

    private static func path(_ path: Substring, depth: Int) -> String {
        var followsSecret = false
        return path.split(separator: "/", omittingEmptySubsequences: false).map { segment in
            defer { followsSecret = SensitiveName(decoded(segment)) == .secret }
            if segment.isEmpty { return "" }
            return followsSecret ? SensitiveName.secret.mark : shown(segment, depth: depth)
        }.joined(separator: "/")
    }

    private static func query(_ query: Substring, depth: Int) -> String {
        query.split(separator: "&", omittingEmptySubsequences: false)
            .map { shown($0, depth: depth) }.joined(separator: "&")
    }

    private static func address(_ address: Substring, depth: Int) -> String {
        let head = address.prefix { $0 != "?" && $0 != "#" }
        let authority = authority(of: head)
        var shown = authority.shown + path(head.dropFirst(authority.length), depth: depth)
        var rest = address[head.endIndex...]
        while let mark = rest.first {
            let part = rest.dropFirst().prefix { $0 != "?" && $0 != "#" }
            shown += String(mark) + query(part, depth: depth)
            rest = rest[part.endIndex...]
        }
        return shown
    }

    private static func text(_ text: String, depth: Int) -> String {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }) else {
            return ContactPattern.masked(text)
        }
        var shown = ""
        var rest = text[...]
        while !rest.isEmpty {
            let word = rest.prefix { !$0.isWhitespace }
            let isAddress = word.contains("://") || word.hasPrefix("/") || word.contains("?")
            shown += isAddress ? address(word, depth: depth) : String(word)
            rest = rest[word.endIndex...]
            let space = rest.prefix { $0.isWhitespace }
            shown += space
            rest = rest[space.endIndex...]
        }
        return ContactPattern.masked(shown)
    }

    /// Returns a redacted query item or path segment.
    private static func shown(_ item: Substring, depth: Int) -> String {
        let name = item.prefix { $0 != "=" }
        // If there are only equals signs after the prefix, the item is a value without a name, such as
        // Base64.
        guard item[name.endIndex...].contains(where: { $0 != "=" }) else {
            return isOpaque(decoded(item)) ? SensitiveName.secret.mark : shown(value: item, depth: depth)
        }
        let plainName = decoded(name)
        // The OAuth parameter `state` is masked because it ties a response to its request.
        let kind = plainName.utf8.elementsEqual("state".utf8) ? .secret : SensitiveName(plainName)
        if let kind { return "\(name)=\(kind.mark)" }
        return "\(name)=" + shown(value: item[name.endIndex...].dropFirst(), depth: depth)
    }

    /// Returns a redacted percent-encoded value.
    ///
    /// A value that doesn't contain any sensitive data is returned unchanged.
    private static func shown(value: Substring, depth: Int) -> String {
        // URLs can be nested inside URLs. We limit the depth and mask the whole value if there are too many
        // levels of encoding.
        guard depth < 4 else { return SensitiveName.secret.mark }
        let plain = decoded(value)
        let masked = text(plain, depth: depth + 1)
        // A value without secrets is returned as it was, because decoding would turn a plus sign in a path
        // into a space.
        return masked.hasSameBytes(as: plain) ? ContactPattern.masked(String(value)) : masked
    }

    /// Returns the scheme and authority of an absolute URL with the user info masked, or an empty string for
    /// other texts.
    private static func authority(of head: Substring) -> (shown: String, length: Int) {
        guard let mark = head.firstRange(of: "://") else { return ("", 0) }
        let authority = head[mark.upperBound...].prefix { $0 != "/" }
        let whole = head[..<authority.endIndex]
        guard let at = authority.lastIndex(of: "@") else { return (String(whole), whole.count) }
        return ("\(head[..<mark.upperBound])\(SensitiveName.secret.mark)\(authority[at...])", whole.count)
    }

    /// Returns whether a string looks like a token: it has at least 24 characters, contains no spaces, and is
    /// neither a word nor a UUID.
    private static func isOpaque(_ text: String) -> Bool {
        let bytes = text.utf8
        guard bytes.count >= 24, !isUUID(text) else { return false }
        var isMixed = false
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"): isMixed = true
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "."), UInt8(ascii: "~"), UInt8(ascii: "+"), UInt8(ascii: "="):
                continue
            default: return false
            }
        }
        return isMixed
    }

    private static func isUUID(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        return parts.map(\.utf8.count) == [8, 4, 4, 4, 12]
            && parts.allSatisfy {
                $0.utf8.allSatisfy { $0 < 0x80 && Character(UnicodeScalar($0)).isHexDigit }
            }
    }

    private static func decoded(_ text: Substring) -> String {
        // We parse the text as the value of an item so that equals signs in it are preserved.
        QueryItems("x=" + String(text).replacing("&", with: "%26"))["x"] ?? String(text)
    }
}
