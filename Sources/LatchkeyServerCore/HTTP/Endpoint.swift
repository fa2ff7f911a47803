package import LatchkeyWire

/// A place of the server: a method, a path, and what answers there.
package struct Endpoint: Sendable {
    /// Where a path begins.
    package enum Root: Sendable {
        /// Below the configured base path: the self-service API and what belongs to it.
        case base
        /// At the root of the server.
        case server
    }

    package typealias Answer = @Sendable (Exchange) async throws -> HTTPResponse

    let method: HTTPMethod
    let path: String
    let root: Root
    let answer: Answer

    /// Creates an endpoint.
    ///
    /// - Parameters:
    ///   - method: The method; `HEAD` comes with `GET`.
    ///   - path: The path; a part `{}` takes any one part, as one of the exchange's parameters.
    ///   - root: What the path stands below.
    ///   - answer: Answers; a ``ServerError`` that it throws becomes the error envelope.
    package init(_ method: HTTPMethod, _ path: String, below root: Root = .base, answer: @escaping Answer) {
        self.method = method
        self.path = path
        self.root = root
        self.answer = answer
    }
}
