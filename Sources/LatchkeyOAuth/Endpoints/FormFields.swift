package import LatchkeyServerKit
package import LatchkeyWire

/// The parameters of a request to an OAuth endpoint (RFC 6749, section 3.2), parsed strictly.
///
/// Repeated parameters and malformed escapes are rejected, because other parsers may interpret them
/// differently. A parameter with an empty value is treated as omitted.
package struct FormFields: Sendable {
    /// The maximum size of a body in bytes; larger bodies are rejected with status 413.
    private static let byteLimit = 16_384
    /// The required media type, which is compared ignoring case and parameters.
    private static let mediaType = "application/x-www-form-urlencoded"

    /// The parameters that RFC 8693 allows a client to repeat.
    private static let repeatable: Set<String> = ["audience", "resource"]

    /// The values in the order of the body, keyed by parameter name; only repeatable parameters can have
    /// several values.
    private var values: [String: [String]] = [:]

    /// Parses the body of a request, which must not exceed 16,384 bytes.
    ///
    /// The `Content-Type` must be `application/x-www-form-urlencoded`; its parameters, such as `charset`, are
    /// ignored.
    ///
    /// The length of names is limited to 128 bytes, and values may contain only a limited number of
    /// consecutive combining marks.
    ///
    /// - Throws: ``OAuthError`` with the code `invalidRequest`; its status is 413 if the body is too large.
    package init(_ request: HTTP.Request) throws(OAuthError) {
        guard Self.isForm(request.headers["Content-Type"]) else {
            throw OAuthError(.invalidRequest, reason: "The Content-Type must be \(Self.mediaType).")
        }
        guard request.body.count <= Self.byteLimit else {
            throw OAuthError(
                .invalidRequest,
                reason: "The request body is larger than \(Self.byteLimit) bytes.",
                status: 413
            )
        }
        guard let fields = FormDecoder(.strict).decode(request.body) else {
            throw OAuthError(
                .invalidRequest,
                reason: "The body is not a form encoded in UTF-8, or contains U+0000."
            )
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

    /// The value of a parameter; `nil` if it is omitted or empty.
    ///
    /// For a parameter that can be repeated, it is the first value that is not empty.
    package subscript(name: String) -> String? {
        values[name]?.first { !$0.isEmpty }
    }

    /// Returns all non-empty values of a parameter that can be repeated.
    ///
    /// Only `audience` and `resource` can be repeated (RFC 8693, section 2.1). The values are in the order of
    /// the body.
    package func all(_ name: String) -> [String] {
        values[name]?.filter { !$0.isEmpty } ?? []
    }

    /// Returns the value of a parameter; throws if it is omitted or empty.
    ///
    /// - Throws: ``OAuthError`` with the code `invalidRequest` and a reason that contains the parameter's
    ///   name.
    func required(_ name: String) throws(OAuthError) -> String {
        guard let value = self[name] else {
            throw OAuthError(.invalidRequest, reason: "The parameter \(name) is missing.")
        }
        return value
    }

    /// Returns whether a `Content-Type` is the media type of forms; spaces before a semicolon are ignored.
    private static func isForm(_ contentType: String?) -> Bool {
        guard let contentType else { return false }
        if contentType == mediaType { return true }
        let type = contentType.prefix { $0 != ";" }
        return String(type.reversed().drop { $0 == " " }.reversed()).equalsIgnoringASCIICase(mediaType)
    }
}
