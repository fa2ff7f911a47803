import LatchkeyWire

/// Validates proxy URLs, and describes proxies in error messages.
///
/// A proxy URL consists of a scheme that libcurl supports, optional user information, a host and a port.
///
/// The user information extends to the last `@` and is not parsed.
enum ProxyURL {
    /// The supported schemes in lowercase.
    ///
    /// Schemes are compared case-insensitively.
    private static let schemes: Set<String> = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]

    /// Returns whether a string is a valid proxy URL.
    ///
    /// URLs with a query or with a path other than `/` are rejected.
    static func isValid(_ text: String) -> Bool {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), let mark = text.firstRange(of: "://") else {
            return false
        }
        return schemes.contains(text[..<mark.lowerBound].lowercased())
            && address(of: text).map { $0.pathPrefix.isEmpty && $0.query == nil } ?? false
    }

    /// Returns a sentence that names the proxy, without its user information, for requests that failed.
    ///
    /// - Parameters:
    ///   - choice: The proxy setting.
    ///   - scheme: The scheme of the request's URL, such as `https`.
    ///   - environment: Returns the value of an environment variable.
    /// - Returns: The sentence, or `nil` if no proxy is configured.
    static func hint(
        for choice: ProxyChoice,
        scheme: String,
        environment: (String) -> String?
    ) -> String? {
        switch choice {
        case .none: return nil
        case .url(let text): return "The request goes through the proxy \(name(of: text))."
        case .system:
            // These are the variables that libcurl reads. It ignores `HTTP_PROXY`, which an HTTP client can
            // set in CGI programs.
            let names = scheme == "http" ? ["http_proxy"] : ["https_proxy", "HTTPS_PROXY"]
            for variable in names + ["all_proxy", "ALL_PROXY"] {
                guard let text = environment(variable) else { continue }
                // An empty variable turns the proxy off. We don't know whether `no_proxy` excludes the host,
                // so the sentence only says what the variable contains.
                return text.isEmpty ? nil : "The variable \(variable) names the proxy \(name(of: text))."
            }
            return nil
        }
    }

    private static func name(of text: String) -> String { address(of: text)?.authority ?? "(invalid)" }

    /// Returns the host and port of a proxy URL, which have the same syntax as in a web server's URL.
    private static func address(of text: String) -> WebAddress? {
        let rest = text.firstRange(of: "://").map { text[$0.upperBound...] } ?? text[...]
        let place = rest.lastIndex(of: "@").map { rest[rest.index(after: $0)...] } ?? rest
        return WebAddress("http://\(place)")
    }
}
