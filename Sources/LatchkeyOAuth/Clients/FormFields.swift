package import LatchkeyServerKit
package import LatchkeyWire

/// The parameters of a request to an OAuth endpoint (RFC 6749, section 3.2).
///
/// Repeated parameters and malformed escapes are rejected, because other parsers might interpret them
/// differently. Parameters with an empty value are treated as missing.
package struct FormFields: Sendable {
    /// The maximum size of a request body, in bytes.
    ///
    /// Larger bodies are rejected with status 413.
    private static let byteLimit = 16_384
    /// The required media type.
    private static let mediaType = "application/x-www-form-urlencoded"

    /// The parameters that may be repeated according to RFC 8693.
    private static let repeatable: Set<String> = ["audience", "resource"]

    /// The values of each parameter, in the order of the body.
    ///
    /// Only repeatable parameters can have more than one value.
    private var values: [String: [String]] = [:]

    /// Parses the body of a request.
    ///
    /// The body must not be larger than 16,384 bytes, and its `Content-Type` must be
    /// `application/x-www-form-urlencoded`. Media type parameters, such as `charset`, are ignored.
    ///
    /// Names must not be longer than 128 bytes, and the number of consecutive combining marks in a value is
    /// limited.
    ///
    /// - Throws: ``OAuthError`` with the code `invalidRequest`, and with status 413 if the body is too large.
    package init(_ request: HTTP.Request) throws(OAuthError) {
        guard request.mediaType == Self.mediaType else {
            throw OAuthError(.invalidRequest, reason: "The Content-Type must be \(Self.mediaType).")
        }
        guard request.body.count <= Self.byteLimit else {
            throw OAuthError(
                .invalidRequest,
                reason: "The request body is larger than \(Self.byteLimit) bytes.",
                status: 413
            )
        }
        let fields: [FormDecoder.Field]
        do {
            fields = try FormDecoder(.strict).decode(request.body)
        } catch {
            throw OAuthError(.invalidRequest, reason: "The body is \(error).")
        }
        for field in fields {
            let (name, value) = (field.name, field.value)
            guard name.utf8.count <= JSONParser.nameLimit, CombiningMarks.areFew(in: value) else {
                throw OAuthError(.invalidRequest, reason: "The body contains a value that is not allowed.")
            }
            guard values[name] == nil || Self.repeatable.contains(name) else {
                throw OAuthError(.invalidRequest, reason: "The body contains a parameter more than once.")
            }
            values[name, default: []].append(value)
        }
    }

    /// The value of a parameter, or `nil` if the parameter is missing or empty.
    ///
    /// If the parameter is repeated, this is the first value that isn't empty.
    package subscript(name: String) -> String? {
        values[name]?.first { !$0.isEmpty }
    }

    /// Returns all values of a parameter that may be repeated, except empty ones.
    ///
    /// Only `audience` and `resource` may be repeated (RFC 8693, section 2.1). The values have the same order
    /// as in the body.
    package func all(_ name: String) -> [String] {
        values[name]?.filter { !$0.isEmpty } ?? []
    }

    /// Returns the value of a required parameter.
    ///
    /// - Throws: ``OAuthError`` with the code `invalidRequest` if the parameter is missing or empty. The
    ///   reason contains the name of the parameter.
    func required(_ name: String) throws(OAuthError) -> String {
        guard let value = self[name] else {
            throw OAuthError(.invalidRequest, reason: "The parameter \(name) is missing.")
        }
        return value
    }
}
