/// The list of URLs that a flow may send the user to, which prevents open redirects.
///
/// An entry is an origin, optionally with a path: `https://app.example.com/in` allows this path and the paths
/// below it. The host `*.example.com` stands for exactly one label. The scheme and the host of an app's URL,
/// such as `com.example.app://done`, are compared as a whole. The server's own origin is always allowed.
package struct ReturnURLs: Sendable {
    private let entries: [ReturnURL]
    private let wildcards: [ReturnURL]
    private let own: ReturnURL?

    /// Creates the list.
    ///
    /// - Parameters:
    ///   - addresses: The entries. Entries that cannot be parsed are ignored.
    ///   - own: The server's own URL, which paths are resolved against.
    package init(_ addresses: [String], own: String? = nil) {
        entries = addresses.compactMap { ReturnURL($0) }
        wildcards = addresses.compactMap { address in
            guard address.contains("://*.") else { return nil }
            return ReturnURL(address.replacing("://*.", with: "://", maxReplacements: 1))
        }
        self.own = own.flatMap { ReturnURL($0) }
    }

    /// Returns the normalized form of a URL, or `nil` if it isn't allowed.
    ///
    /// Queries and fragments are not compared. Paths are case-sensitive. `/a` allows `/a/b` but not `/ab`.
    ///
    /// - Parameter address: A URL, or a path on this server.
    /// - Returns: The only form that may be stored or sent to a browser.
    package func normalized(_ address: String) -> String? {
        guard let url = ReturnURL(address, relativeTo: own) else { return nil }
        let isAllowed =
            url.origin == own?.origin
            || entries.contains { $0.origin == url.origin && Self.leads($0.path, to: url.path) }
            || wildcards.contains { Self.hasOneLabel(url, before: $0) && Self.leads($0.path, to: url.path) }
        return isAllowed ? url.text : nil
    }

    /// Returns whether a URL's host is one label below that of a wildcard.
    private static func hasOneLabel(_ url: ReturnURL, before wildcard: ReturnURL) -> Bool {
        guard url.scheme == wildcard.scheme, url.port == wildcard.port,
            url.host.hasSuffix("." + wildcard.host)
        else { return false }
        let label = url.host.dropLast(wildcard.host.count + 1)
        return !label.isEmpty && !label.contains(".")
    }

    /// Returns whether `path` is equal to `start` or below it.
    private static func leads(_ start: String, to path: String) -> Bool {
        path == start || path.hasPrefix(start.hasSuffix("/") ? start : start + "/")
    }
}
