import LatchkeyWire

/// A redirect URI that a client has registered.
package struct RedirectURI: Hashable, Sendable {
    /// The way that a browser hands a redirect over to the client.
    package enum Kind: Hashable, Sendable {
        /// A web server or an app that has claimed the URL.
        case https
        /// A web server without TLS on another machine, for development.
        case http
        /// A web server on the user's own machine, with any port (RFC 8252, section 7.3).
        case loopback
        /// `http` and the name `localhost`, which could lead to another machine.
        case localhost
        /// A scheme that any app can register for itself (RFC 8252, section 7.1).
        case privateUse
    }

    /// The rules for redirect URIs of a client.
    package struct Rules: Hashable, Sendable {
        /// Whether `http://localhost` is allowed, with any port.
        package var isNative = false
        /// Whether private-use schemes without a dot are allowed.
        package var allowsShortSchemes = false
        /// Whether `http` is allowed for all hosts.
        package var allowsHTTP = false

        package init() {}
    }

    /// Thrown for a URI that can't be registered.
    package struct Refusal: Error, Hashable, Sendable {
        /// The rest of a sentence that begins with the name of the member.
        package let reason: String
    }

    /// The maximum length of a URI, in bytes.
    package static let byteLimit = 512

    /// The URI as it was registered.
    package let text: String
    package let kind: Kind

    /// Parses a URI that was registered earlier, when the rules may have been different.
    ///
    /// Returns `nil` if the text isn't a URI.
    init?(stored text: String) {
        guard let kind = try? Self.kind(of: text) else { return nil }
        (self.text, self.kind) = (text, kind)
    }

    /// Parses a URI and checks whether it can be registered.
    ///
    /// - Throws: ``Refusal``.
    package init(_ text: String, by rules: Rules) throws(Refusal) {
        guard text.utf8.count <= Self.byteLimit else {
            throw Refusal(reason: "must not be longer than \(Self.byteLimit) bytes.")
        }
        // Browsers and servers repair these characters in different ways.
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }) else {
            throw Refusal(reason: "must not contain white space, backslashes or non-ASCII characters.")
        }
        guard !text.contains("#") else { throw Refusal(reason: "must not have a fragment.") }
        guard !text.contains("*") else { throw Refusal(reason: "must not contain wildcards.") }
        let kind = try Self.kind(of: text)
        switch kind {
        case .https, .loopback: break
        case .localhost where rules.isNative || rules.allowsHTTP: break
        case .localhost:
            throw Refusal(
                reason: "must use https or the address 127.0.0.1; only native clients can use localhost."
            )
        case .http where rules.allowsHTTP: break
        case .http: throw Refusal(reason: "must use https, unless its host is 127.0.0.1 or [::1].")
        case .privateUse:
            let scheme = text.prefix { $0 != ":" }
            guard rules.allowsShortSchemes || scheme.contains(".") else {
                throw Refusal(
                    reason:
                        "must have a scheme that contains a dot, such as com.example.app (RFC 8252, section 7.1)."
                )
            }
        }
        (self.text, self.kind) = (text, kind)
    }

    /// Returns whether the redirect URI of an authorization request is this one.
    ///
    /// URIs are compared as strings, except that loopback redirects can have any port.
    package func matches(_ requested: String) -> Bool {
        if requested.hasSameBytes(as: text) { return true }
        guard kind == .loopback || kind == .localhost, requested.utf8.count <= Self.byteLimit + 6 else {
            return false
        }
        guard let own = Self.withoutPort(text), let other = Self.withoutPort(requested) else { return false }
        return own.hasSameBytes(as: other)
    }

    // MARK: Parts

    /// Schemes that are no addresses of a client: browsers treat them as code, data or files, or other
    /// programs handle them.
    private static let reserved: Set<String> = [
        "about", "blob", "chrome", "content", "data", "file", "filesystem", "ftp", "ftps", "intent",
        "javascript", "livescript", "mailto", "sms", "smsto", "tel", "urn", "vbscript", "view-source", "ws",
        "wss",
    ]

    private static func kind(of text: String) throws(Refusal) -> Kind {
        let scheme = text.prefix { $0 != ":" }.lowercased()
        guard scheme.utf8.count < text.utf8.count, isScheme(scheme) else {
            throw Refusal(reason: "must be an absolute URI.")
        }
        guard !reserved.contains(scheme) else {
            throw Refusal(reason: "must not use the scheme \(scheme).")
        }
        guard scheme == "https" || scheme == "http" else {
            try checkPrivate(text.dropFirst(scheme.count + 1))
            return .privateUse
        }
        let address: WebAddress
        do {
            address = try WebAddress(parsing: text)
        } catch {
            throw Refusal(
                reason: error == .userInformation
                    ? "must not contain user information." : "must be a valid \(scheme) URL."
            )
        }
        try checkPath(address.path[...])
        guard scheme == "http" else { return .https }
        switch address.authority.prefix(while: { $0 != "]" }).split(separator: ":").first {
        case "127.0.0.1"?: return .loopback
        case "localhost"?: return .localhost
        default: return address.authority.hasPrefix("[::1]") ? .loopback : .http
        }
    }

    /// Returns whether a text is a scheme in lower case (RFC 3986, section 3.1).
    private static func isScheme(_ text: String) -> Bool {
        guard let first = text.utf8.first, (0x61...0x7A).contains(first) else { return false }
        return text.utf8.allSatisfy {
            (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0)
        }
    }

    /// Checks the part of a private-use URI after its scheme and colon.
    private static func checkPrivate(_ rest: Substring) throws(Refusal) {
        guard rest.hasPrefix("/") else {
            throw Refusal(reason: "must have a slash after the scheme, such as com.example.app:/callback.")
        }
        let path = rest.prefix { $0 != "?" }
        let hasHost = path.hasPrefix("//")
        let host = hasHost ? path.dropFirst(2).prefix { $0 != "/" } : ""
        guard !host.contains("@") else { throw Refusal(reason: "must not contain user information.") }
        do {
            try WebAddress.check(rest.utf8)
        } catch {
            throw Refusal(reason: "must be a valid URI.")
        }
        try checkPath(path)
    }

    /// Checks that no program could resolve a path to another one.
    private static func checkPath(_ path: Substring) throws(Refusal) {
        let segments = path.lowercased().replacing("%2e", with: ".").split(separator: "/")
        guard !segments.contains(where: { $0 == "." || $0 == ".." }) else {
            throw Refusal(reason: "must not contain dot segments.")
        }
    }

    /// Returns a loopback URI without its port, or `nil` for any other URI or an invalid port.
    private static func withoutPort(_ text: String) -> String? {
        for host in ["http://127.0.0.1", "http://[::1]", "http://localhost"] where text.hasPrefix(host) {
            let rest = text.dropFirst(host.count)
            guard rest.hasPrefix(":") else {
                return rest.isEmpty || rest.hasPrefix("/") || rest.hasPrefix("?") ? text : nil
            }
            let port = rest.dropFirst().prefix { ("0"..."9").contains($0) }
            let end = rest.dropFirst(1 + port.count)
            guard
                !port.hasPrefix("0"), UInt16(port) != nil,
                end.isEmpty || end.hasPrefix("/") || end.hasPrefix("?")
            else { return nil }
            return host + end
        }
        return nil
    }
}
