import LatchkeyWire

/// A URL that a page may contain in `href`, `action` or `formaction`.
///
/// No value of this type runs a script when the user follows it.
package struct LinkURL: Hashable, Sendable {
    package let text: String

    /// Accepts an `https` or `http` URL with a host, or a path of this server.
    package init?(_ text: String) {
        guard Self.isPrintable(text), Self.isPath(text) || Self.isWeb(text) else { return nil }
        self.text = text
    }

    /// Accepts the registered redirect URI of a client, whose scheme may be private.
    ///
    /// Schemes that browsers run, read or resolve inside of the page's origin are rejected.
    package init?(redirect text: String) {
        guard Self.isPrintable(text), let scheme = Self.scheme(of: text) else { return nil }
        switch scheme {
        case "https", "http": guard Self.isWeb(text) else { return nil }
        case _ where Self.forbiddenSchemes.contains(scheme): return nil
        default: break
        }
        self.text = text
    }

    /// Joins a base URL of this server with a route and a query.
    init(base: LinkURL, path: String, query: [(name: String, value: String?)]) {
        var text = base.text + path
        var separator = "?"
        for case (let name, let value?) in query {
            text += "\(separator)\(name)=\(QueryItems.encode(value))"
            separator = "&"
        }
        self.text = text
    }

    private init(checked text: String) {
        self.text = text
    }

    /// The server's own root.
    package static let root = LinkURL(checked: "/")

    /// Returns the URL with another query item at its end.
    func adding(_ name: String, value: String) -> LinkURL {
        LinkURL(checked: "\(text)\(text.contains("?") ? "&" : "?")\(name)=\(QueryItems.encode(value))")
    }

    private static let forbiddenSchemes: Set<String> = [
        "javascript", "vbscript", "data", "blob", "file", "filesystem", "about", "view-source",
    ]

    /// Browsers remove tabs and line breaks from URLs, which would hide a scheme.
    private static func isPrintable(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }
    }

    private static func isPath(_ text: String) -> Bool {
        text.hasPrefix("/") && !text.hasPrefix("//")
    }

    private static func isWeb(_ text: String) -> Bool {
        guard let scheme = scheme(of: text), scheme == "https" || scheme == "http" else { return false }
        let rest = text.utf8.dropFirst(scheme.utf8.count)
        guard rest.starts(with: "://".utf8) else { return false }
        let authority = rest.dropFirst(3).prefix { !"/?#".utf8.contains($0) }
        return !authority.isEmpty && !authority.contains(UInt8(ascii: "@"))
    }

    /// Returns the scheme in lower case (RFC 3986, section 3.1).
    private static func scheme(of text: String) -> String? {
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let scheme = text[..<colon].lowercased()
        guard let first = scheme.utf8.first, (0x61...0x7A).contains(first) else { return nil }
        let isScheme = scheme.utf8.allSatisfy {
            (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0)
        }
        return isScheme ? scheme : nil
    }
}

/// The URL of a client's logo.
package struct LogoURL: Hashable, Sendable {
    let text: String

    /// Accepts an `https` URL only, because the page's policy for content loads no other images of clients.
    package init?(_ text: String) {
        guard let url = LinkURL(text), url.text.lowercased().hasPrefix("https://") else { return nil }
        self.text = url.text
    }
}
