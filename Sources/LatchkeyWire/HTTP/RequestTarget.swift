/// The URL of a request.
///
/// The URL is validated to make sure that the request can't be sent to a different host.
package struct RequestTarget: Sendable {
    /// The origin that the request is sent to.
    package let origin: WebAddress

    /// The absolute URL of the request.
    package let url: String

    /// Combines an origin with the path and query of a request.
    ///
    /// - Parameters:
    ///   - request: The request. The method and the header fields are also validated.
    ///   - origin: The scheme, host and port.
    /// - Throws: ``LatchkeyWire/TransportError`` with the code `invalidRequest` if the request or the origin
    ///   is invalid.
    package init(_ request: HTTP.Request, at origin: String) throws(TransportError) {
        do throws(WebAddressError) {
            self.origin = try WebAddress(origin: origin)
        } catch {
            throw .invalid(error.message(about: "An origin"))
        }
        try Self.check(request)
        url = self.origin.origin + request.path + (request.query.map { "?" + $0 } ?? "")
    }

    /// Validates everything in a request that could change its destination or smuggle in another request.
    ///
    /// - Parameter request: The request to validate.
    /// - Throws: ``LatchkeyWire/TransportError`` with the code `invalidRequest` if the request is invalid.
    package static func check(_ request: HTTP.Request) throws(TransportError) {
        // This code runs for every request, so we use bytes rather than characters.
        guard isToken(request.method.rawValue) else {
            throw .invalid("The request method must be a token, such as GET.")
        }
        let path = request.path.utf8
        guard path.first == UInt8(ascii: "/"), path.dropFirst().first != UInt8(ascii: "/") else {
            throw .invalid("The path of a request must start with exactly one slash, such as /orders.")
        }
        guard !path.contains(UInt8(ascii: "?")) else {
            throw .invalid("The path of a request must not contain \"?\". Pass the query separately.")
        }
        try check(path, of: "The path of a request")
        if let query = request.query { try check(query.utf8, of: "The query of a request") }
        for field in request.headers.fields {
            guard isToken(field.name) else { throw .invalid("The name of a header field must be a token.") }
            guard field.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
                throw .invalid("A header field must not contain a line break or another control character.")
            }
        }
    }

    private static func check(
        _ bytes: String.UTF8View,
        of subject: String
    ) throws(TransportError) {
        do throws(WebAddressError) {
            try WebAddress.check(bytes)
        } catch {
            throw .invalid(error.message(about: subject))
        }
    }

    /// Returns `true` if the string is a token (RFC 9110, section 5.6.2).
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(\.isTokenByte)
    }
}

extension HTTP.Request {
    /// Returns the request's URL at the given origin, after making sure that the request can't be sent to a
    /// different host.
    ///
    /// Transports must call this method instead of concatenating the origin and the path. Otherwise, a path
    /// such as `@evil.example/`, which may come from a link in a response, could turn
    /// `https://api.example.com` into the URL of a different host, and the credentials would be sent to the
    /// wrong host.
    ///
    /// The origin must consist of a scheme, a host and an optional port. The path must start with exactly one
    /// slash. The path and the query must be percent-encoded. The method and the names of header fields must
    /// be tokens (RFC 9110), and the values of header fields can't contain control characters other than
    /// tabs.
    ///
    /// - Parameter origin: The scheme, host and port, such as `https://id.example.com`.
    /// - Returns: The absolute URL.
    /// - Throws: ``LatchkeyWire/TransportError`` with the code `invalidRequest` if the request or the origin
    ///   is invalid.
    public func url(at origin: String) throws(TransportError) -> String {
        try RequestTarget(self, at: origin).url
    }
}

extension UInt8 {
    /// Whether this byte is allowed in a token (RFC 9110, section 5.6.2).
    package var isTokenByte: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}

extension TransportError {
    fileprivate static func invalid(_ message: String) -> TransportError {
        TransportError(.invalidRequest, message: message, neverSent: true)
    }
}
