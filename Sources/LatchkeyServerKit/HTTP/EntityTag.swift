import LatchkeyModel
package import LatchkeyWire

/// The entity tag of a response, which is the hash of its body (RFC 9110, section 8.8.3).
///
/// The tag is the same on all nodes and after a restart, so caches don't fetch an unchanged body again.
package struct EntityTag: Sendable {
    /// The value of the header field `ETag`.
    package let value: String

    /// Creates the tag of a body.
    package init(of body: [UInt8]) {
        value = "\"" + Base64URL.encode(SHA256Hash.hash(body)) + "\""
    }

    /// Returns whether the client already has the body, according to its `If-None-Match` header fields.
    ///
    /// Tags are compared weakly, because a proxy that compresses responses makes their tags weak (RFC 9110,
    /// section 13.1.2).
    package func isKnown(to request: HTTP.Request) -> Bool {
        request.headers.all("If-None-Match").contains { field in
            field.utf8.split(separator: UInt8(ascii: ",")).contains { element in
                var tag = element.drop { $0 == 0x20 || $0 == 0x09 }
                while tag.last == 0x20 || tag.last == 0x09 { tag.removeLast() }
                if tag.starts(with: "W/".utf8) { tag.removeFirst(2) }
                return tag.elementsEqual(value.utf8) || tag.elementsEqual("*".utf8)
            }
        }
    }
}

extension HTTP.Response {
    /// Returns a JSON response that all caches may store, or a 304 if the client already has the body.
    ///
    /// The response must be the same for all clients, except for header fields that `Vary` names.
    ///
    /// - Parameters:
    ///   - body: The JSON, whose bytes must only depend on what it says.
    ///   - request: The request.
    ///   - seconds: How long caches may answer without asking the server.
    /// - Returns: The response, with its entity tag.
    package static func cacheable(
        body: [UInt8],
        for request: HTTP.Request,
        maxAge seconds: Int
    ) -> HTTP.Response {
        let tag = EntityTag(of: body)
        var response = tag.isKnown(to: request) ? HTTP.Response(304) : .json(200, body: body)
        response.headers["Cache-Control"] = "public, max-age=\(seconds)"
        response.headers["ETag"] = tag.value
        return response
    }
}

extension APIParameter {
    /// The entity tags of the bodies that the client has stored (RFC 9110, section 13.1.2).
    package static let ifNoneMatch = APIParameter.header(
        "If-None-Match",
        "The `ETag` of an earlier response. If the body hasn't changed, the response is a 304 without a body."
    )
}

extension APIResponse.Header {
    /// The entity tag of the body (RFC 9110, section 8.8.3).
    package static let entityTag = APIResponse.Header(
        name: "ETag",
        summary: "The entity tag of the body, for `If-None-Match`.",
        schema: .text,
        isRequired: true
    )
}
