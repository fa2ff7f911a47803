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

    package let method: HTTPMethod
    package let path: String
    package let root: Root

    /// What it takes and answers.
    package let operation: APIOperation

    let answer: Answer

    /// Creates an endpoint.
    ///
    /// - Parameters:
    ///   - method: The method; `HEAD` comes with `GET`.
    ///   - path: The path; a part `{}` takes any one part, as one of the exchange's parameters.
    ///   - root: What the path stands below.
    ///   - operation: What it takes and answers, for the published document.
    ///   - answer: Answers; a ``ServerError`` that it throws becomes the error envelope.
    package init(
        _ method: HTTPMethod,
        _ path: String,
        below root: Root = .base,
        _ operation: APIOperation,
        answer: @escaping Answer
    ) {
        self.operation = operation
        self.method = method
        self.path = path
        self.root = root
        self.answer = answer
    }

    /// The path with what stands before it, and the names of its parameters in their places.
    func template(below basePath: String) -> String {
        var template = root == .base ? basePath + path : path
        for parameter in operation.parameters where parameter.place == .path {
            guard let place = template.firstRange(of: "{}") else { break }
            template.replaceSubrange(place, with: "{\(parameter.name)}")
        }
        return template
    }

    /// The same place, for operators alone.
    package var forOperators: Endpoint {
        Endpoint(method, path, below: root, operation.forOperators, answer: answer)
    }
}
