package import LatchkeyWire

/// A route: its method, path, credentials, handler and OpenAPI description.
package struct Endpoint: Sendable {
    /// The prefix of a route's path.
    package enum Root: Sendable {
        /// The configured base path. The base path is used for the self-service API and its extensions.
        case base
        /// The root of the server, without a path prefix.
        case server
    }

    /// The format of a route's errors with status 400.
    package enum ErrorFormat: Sendable {
        /// The error envelope.
        case envelope
        /// The error body of OAuth (RFC 6749, section 5.2), with the code `invalid_request`.
        case oauth
        /// An HTML page, for errors with any status.
        case page
    }

    /// A closure that handles requests to a route and returns the responses.
    ///
    /// If the closure throws a ``ServerError``, the error is returned in the error envelope.
    package typealias Answer = @Sendable (RequestContext) async throws -> HTTP.Response

    /// The HTTP method of the route.
    ///
    /// A `GET` route also handles `HEAD` requests. The handler responds to both in the same way, but must not
    /// wait for events or create flows in response to `HEAD`.
    package let method: HTTP.Method
    /// The path without its prefix.
    ///
    /// Path parameters are written as `{}`.
    package let path: String
    /// The prefix that is added to the path.
    package let root: Root

    /// The credentials that the route accepts.
    package let credentials: RouteCredentials

    /// The format of the errors that the handler throws, and of those for requests that are refused before it
    /// is called.
    package let errorFormat: ErrorFormat

    /// The origins whose web pages can read the responses.
    package let cors: CORSPolicy

    /// The description of the route in the OpenAPI document.
    package let operation: APIOperation

    /// The handler.
    ///
    /// The handler may be called concurrently.
    package let answer: Answer

    /// Creates a route.
    ///
    /// - Parameters:
    ///   - method: The HTTP method of the route. A `GET` route also handles `HEAD` requests.
    ///   - path: The path. A `{}` segment matches any non-empty segment and makes its value available as one
    ///     of the context's parameters.
    ///   - root: The prefix of the path.
    ///   - credentials: The credentials that the route accepts.
    ///   - errorFormat: The format of the errors.
    ///   - cors: The origins whose web pages can read the responses.
    ///   - operation: The description of the route in the OpenAPI document.
    ///   - answer: The handler. If this closure throws a ``ServerError``, the error is returned in the error
    ///     envelope.
    package init(
        _ method: HTTP.Method,
        _ path: String,
        below root: Root = .base,
        accepts credentials: RouteCredentials,
        errors errorFormat: ErrorFormat = .envelope,
        cors: CORSPolicy = .none,
        operation: APIOperation,
        answer: @escaping Answer
    ) {
        self.credentials = credentials
        self.errorFormat = errorFormat
        self.cors = cors
        self.operation = operation
        self.method = method
        self.path = path
        self.root = root
        self.answer = answer
    }

    /// Returns the path as it appears in the OpenAPI document, including the prefix and the names of the path
    /// parameters.
    ///
    /// - Parameter basePath: The base path, without a trailing slash, for routes below ``Root/base``.
    /// - Returns: The path template, such as `/a/sessions/{id}`, which is also the route's label in metrics.
    func template(below basePath: String) -> String {
        var template = root == .base ? basePath + path : path
        for parameter in operation.parameters where parameter.place == .path {
            guard let place = template.firstRange(of: "{}") else { break }
            template.replaceSubrange(place, with: "{\(parameter.name)}")
        }
        return template
    }

    /// All documented responses, sorted by status.
    ///
    /// A general response is left out if the operation has its own response with the same status. A response
    /// with status 401 has a challenge.
    package var responses: [APIResponse] {
        var general = APIResponse.general
        if credentials.isAdministrative { general += APIResponse.administrative }
        if case .session(let session) = credentials, session.duties == .enforced {
            general.append(.dutyRequired)
        }
        let own = Set(operation.responses.map(\.status))
        return (operation.responses + general.filter { !own.contains($0.status) })
            .map { $0.status == 401 ? $0.with(.challenge) : $0 }
            .sorted { $0.status < $1.status }
    }
}
