/// The response to a pushed authorization request (RFC 9126, section 2.2).
package struct PushedRequestBody: AnswerBody, Decodable {
    package static var statuses: Set<Int> { [200, 201] }

    /// The value of `request_uri`, which can be used once.
    package let requestURI: String

    private enum CodingKeys: String, CodingKey {
        case requestURI = "request_uri"
    }
}
