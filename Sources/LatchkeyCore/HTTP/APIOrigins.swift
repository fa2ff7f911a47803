package import LatchkeyWire

/// The allow list of origins that may receive the session's credentials: the identity server's and the app's.
package struct APIOrigins: Sendable {
    private var allowed: Set<String>

    /// Creates a list with only the identity server's origin.
    ///
    /// - Parameter server: The address of the identity server.
    package init(server: WebAddress) {
        allowed = [server.origin]
    }

    /// Creates a list with the identity server's origin and others.
    ///
    /// - Parameters:
    ///   - server: The address of the identity server.
    ///   - origins: The other origins, each with scheme, host and port.
    /// - Throws: ``LatchkeyError`` with the code ``LatchkeyError/Code/invalidInput`` if one of them is not an
    ///   origin, or its connections would not be encrypted.
    package init(server: WebAddress, adding origins: Set<String>) throws(LatchkeyError) {
        self.init(server: server)
        for origin in origins { allowed.insert(try Self.normalized(origin)) }
    }

    /// Returns an origin in its normalized form, if credentials may be sent to it.
    ///
    /// - Parameter text: Scheme, host and port.
    /// - Returns: The origin in lower case, without the default port of its scheme.
    /// - Throws: ``LatchkeyError`` with the code ``LatchkeyError/Code/originNotAllowed`` if the app does not
    ///   list the origin, and ``LatchkeyError/Code/invalidInput`` if the text is not an origin, or its
    ///   connections would not be encrypted.
    package func origin(_ text: String) throws(LatchkeyError) -> String {
        // Fast path: apps repeatedly send to the same few origins, which are at most 300 bytes long.
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

    /// Returns the normalized form of an origin that uses `https`, or `http` to this machine.
    private static func normalized(_ text: String) throws(LatchkeyError) -> String {
        guard let address = WebAddress(text) else {
            throw LatchkeyError(
                .invalidInput,
                message:
                    "An origin must consist of scheme, host and optional port, such as https://api.example.com."
            )
        }
        guard address.isOrigin else {
            throw LatchkeyError(
                .invalidInput,
                message: "An origin must not have a path or a trailing slash, as in \(address.origin). "
                    + "Put the path into the request."
            )
        }
        guard address.isConfidential else {
            throw LatchkeyError(
                .invalidInput,
                message: "Credentials are sent only to https:// URLs, and to http:// URLs of this machine."
            )
        }
        return address.origin
    }
}
