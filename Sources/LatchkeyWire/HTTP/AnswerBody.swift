/// The body of a successful response of the identity server, which declares the format of the routes that return it.
///
/// A response with another status or media type isn't the server's answer, even if its status is 2xx.
package protocol AnswerBody: Sendable {
    /// The statuses of the responses with this body.
    static var statuses: Set<Int> { get }

    /// Whether the responses have an empty body, as opposed to a JSON value.
    static var isEmpty: Bool { get }
}

extension AnswerBody {
    package static var statuses: Set<Int> { [200] }
    package static var isEmpty: Bool { false }
}

/// The empty body of the responses to logouts and other deletions.
package enum NoContent: AnswerBody {
    package static let statuses: Set<Int> = [204]
    package static let isEmpty = true
}

extension Array: AnswerBody where Element: AnswerBody {}
