import LatchkeyWire

/// Whom the proxies in front of the server were called by, as they say in a header field.
enum ForwardedHops {
    /// The addresses in the order of the header, the client's own word first; what is no address stays as it is.
    static func hosts(in headers: HTTPHeaders, _ field: ServerConfiguration.ProxyHeader) -> [String] {
        switch field {
        case .xForwardedFor:
            headers.all("X-Forwarded-For").flatMap {
                $0.split(separator: ",", omittingEmptySubsequences: false)
            }
            .map { $0.filter { $0 != " " && $0 != "\t" } }
        case .forwarded:
            headers.all("Forwarded").flatMap(elements)
        }
    }

    /// The `for` of each element of a `Forwarded` field (RFC 7239, section 4).
    private static func elements(of field: String) -> [String] {
        split(field, at: ",").map { element in
            for pair in split(element, at: ";") {
                let halves = pair.split(separator: "=", maxSplits: 1)
                guard halves.count == 2, trimmed(halves[0]).lowercased() == "for" else { continue }
                return host(of: trimmed(halves[1]))
            }
            return ""
        }
    }

    /// Splits where a character stands outside quotes.
    private static func split(_ text: String, at separator: Character) -> [String] {
        var parts = [""]
        var isQuoted = false
        for character in text {
            if character == "\"" { isQuoted.toggle() }
            if character == separator, !isQuoted {
                parts.append("")
            } else {
                parts[parts.count - 1].append(character)
            }
        }
        return parts
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        var rest = Substring(text).drop { $0 == " " || $0 == "\t" }
        while rest.last == " " || rest.last == "\t" { rest.removeLast() }
        return String(rest)
    }

    /// The address of a node (RFC 7239, section 6): without quotes, brackets and port.
    private static func host(of node: String) -> String {
        var node = node[...]
        if node.count >= 2, node.first == "\"", node.last == "\"" { node = node.dropFirst().dropLast() }
        if node.first == "[" { return String(node.dropFirst().prefix { $0 != "]" }) }
        // A colon is the port's, unless there are more: then the address was written without its brackets.
        let colons = node.filter { $0 == ":" }.count
        return colons == 1 ? String(node.prefix { $0 != ":" }) : String(node)
    }
}
