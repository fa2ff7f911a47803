package import LatchkeyWire

/// A route: its method, path and handler, and its description in the OpenAPI document.
package struct Endpoint: Sendable {
    /// The prefix that is prepended to the path of a route.
    package enum Root: Sendable {
        /// The configured base path, for the self-service API and its extensions.
        case base
        /// The root of the server, without a prefix.
        case server
    }

    /// The handler of a route.
    ///
    /// A ``ServerError`` that it throws is returned in the error envelope.
    package typealias Answer = @Sendable (RequestContext) async throws -> HTTP.Response

    /// The HTTP method of the route.
    ///
    /// A `GET` route also handles `HEAD`.
    package let method: HTTP.Method
    /// The path without its prefix, in which `{}` stands for a path parameter.
    package let path: String
    /// The prefix that is prepended to the path.
    package let root: Root

    /// The OpenAPI description of the route.
    package let operation: APIOperation

    /// The handler, which may be called concurrently.
    package let answer: Answer

    /// Creates a route.
    ///
    /// - Parameters:
    ///   - method: The HTTP method of the route. A `GET` route also handles `HEAD`.
    ///   - path: The path. A segment `{}` matches any non-empty segment, whose value becomes one of the
    ///     context's parameters.
    ///   - root: The prefix that is prepended to the path.
    ///   - operation: The description of the route in the OpenAPI document.
    ///   - answer: The handler. A ``ServerError`` that it throws is returned in the error envelope.
    package init(
        _ method: HTTP.Method,
        _ path: String,
        below root: Root = .base,
        operation: APIOperation,
        answer: @escaping Answer
    ) {
        self.operation = operation
        self.method = method
        self.path = path
        self.root = root
        self.answer = answer
    }

    /// Returns the path as it appears in the OpenAPI document, with its prefix and with named parameters
    /// instead of `{}`.
    ///
    /// - Parameter basePath: The prefix of ``Root/base``, without a trailing slash.
    /// - Returns: The path template, such as `/a/sessions/{id}`, which is also the route's label in metrics.
    func template(below basePath: String) -> String {
        var template = root == .base ? basePath + path : path
        for parameter in operation.parameters where parameter.place == .path {
            guard let place = template.firstRange(of: "{}") else { break }
            template.replaceSubrange(place, with: "{\(parameter.name)}")
        }
        return template
    }

    /// A copy of the route whose description requires the admin token.
    ///
    /// Only the description changes, because the admin listener enforces the token.
    package var forOperators: Endpoint {
        Endpoint(method, path, below: root, operation: operation.forOperators, answer: answer)
    }
}
