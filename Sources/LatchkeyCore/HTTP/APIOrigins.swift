/// The origins that the credentials of a session may be sent to: the identity server's, and those that the app lists.
package struct APIOrigins: Sendable {
    private var allowed: Set<String>

    /// Allows the identity server's origin alone.
    ///
    /// - Parameter server: Where the identity server is.
    package init(server: WebAddress) {
        allowed = [server.origin]
    }

    /// Allows the identity server's origin and some more.
    ///
    /// - Parameters:
    ///   - server: Where the identity server is.
    ///   - origins: Scheme, host and port of each of the others.
    /// - Throws: ``LatchkeyError`` with the code ``LatchkeyError/Code/invalidInput`` if one of them is not an origin, or
    ///   is not confidential.
    package init(server: WebAddress, adding origins: Set<String>) throws(LatchkeyError) {
        self.init(server: server)
        for origin in origins { allowed.insert(try Self.normalized(origin)) }
    }

    /// Returns an origin in its normalized form, if credentials may be sent to it.
    ///
    /// - Parameter text: Scheme, host and port.
    /// - Returns: The origin in lower case, without the default port of its scheme.
    /// - Throws: ``LatchkeyError`` with the code ``LatchkeyError/Code/originNotAllowed`` if the app does not list the
    ///   origin, and ``LatchkeyError/Code/invalidInput`` if the text is not an origin, or is not confidential.
    package func origin(_ text: String) throws(LatchkeyError) -> String {
        // Apps send to the same few origins again and again. Longer texts cannot be among them.
        if text.utf8.count <= 300, allowed.contains(text) { return text }
        let origin = try Self.normalized(text)
        guard allowed.contains(origin) else {
            throw LatchkeyError(
                .originNotAllowed,
                "The origin \(origin) is not in apiOrigins, so the session's credentials are not sent to it."
            )
        }
        return origin
    }

    private static func normalized(_ text: String) throws(LatchkeyError) -> String {
        guard let address = WebAddress(text) else {
            throw LatchkeyError(
                .invalidInput,
                "An origin is scheme, host and port, such as https://api.example.com."
            )
        }
        guard address.isOrigin else {
            throw LatchkeyError(
                .invalidInput,
                "An origin has no path and no slash at its end: \(address.origin) is one. "
                    + "The path belongs into the request."
            )
        }
        guard address.isConfidential else {
            throw LatchkeyError(
                .invalidInput,
                "Credentials are sent to https:// addresses only, and to http:// addresses of this machine."
            )
        }
        return address.origin
    }
}
