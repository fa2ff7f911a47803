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
        do throws(WebAddressError) {
            let address = try WebAddress(origin: text)
            guard address.isConfidential else { throw .notConfidential }
            return address.origin
        } catch {
            throw LatchkeyError(error, about: "An origin")
        }
    }
}
