package import LatchkeyWire

/// The list of origins that may receive the session's credentials.
///
/// The list contains the identity server and the app's own servers.
package struct APIOrigins: Sendable {
    private var allowed: Set<String>

    /// Creates a list that only contains the identity server's origin.
    ///
    /// - Parameter server: The address of the identity server.
    package init(server: WebAddress) {
        allowed = [server.origin]
    }

    /// Creates a list that contains the identity server's origin and the given origins.
    ///
    /// - Parameters:
    ///   - server: The address of the identity server.
    ///   - origins: The origins to add, each consisting of a scheme, a host and a port.
    /// - Throws: ``LatchkeyError`` with the code ``LatchkeyError/Code/invalidInput`` if one of them isn't an
    ///   origin or doesn't use an encrypted connection.
    package init(server: WebAddress, adding origins: Set<String>) throws(LatchkeyError) {
        self.init(server: server)
        for origin in origins { allowed.insert(try Self.normalized(origin)) }
    }

    /// Normalizes an origin and checks that credentials may be sent to it.
    ///
    /// - Parameter text: The scheme, host and port.
    /// - Returns: The origin in lowercase, without the default port of its scheme.
    /// - Throws: ``LatchkeyError`` with the code ``LatchkeyError/Code/originNotAllowed`` if the app doesn't
    ///   list the origin, or ``LatchkeyError/Code/invalidInput`` if the text isn't an origin or doesn't use
    ///   an encrypted connection.
    package func origin(_ text: String) throws(LatchkeyError) -> String {
        // Apps keep sending requests to the same few origins, so we first check whether the origin is in the
        // list exactly as given.
        if text.utf8.count <= 300, allowed.contains(text) { return text }
        let origin = try Self.normalized(text)
        guard allowed.contains(origin) else {
            throw LatchkeyError(
                .originNotAllowed,
                message:
                    "The origin \(origin) is not listed in apiOrigins, so the session's credentials are not sent to it."
            )
        }
        return origin
    }

    /// Normalizes an origin and checks that it uses `https`, or `http` with a host on this machine.
    private static func normalized(_ text: String) throws(LatchkeyError) -> String {
        guard let address = WebAddress(text) else {
            throw LatchkeyError(
                .invalidInput,
                message:
                    "An origin must consist of a scheme, a host and an optional port, such as https://api.example.com."
            )
        }
        guard address.isOrigin else {
            throw LatchkeyError(
                .invalidInput,
                message: "An origin must not have a path or a trailing slash, as in \(address.origin). "
                    + "Include the path in the request instead."
            )
        }
        guard address.isConfidential else {
            throw LatchkeyError(
                .invalidInput,
                message: "Credentials are only sent to https:// URLs and to http:// URLs on this machine."
            )
        }
        return address.origin
    }
}
