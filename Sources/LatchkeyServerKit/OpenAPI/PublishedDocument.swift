import LatchkeyModel
import LatchkeyWire

/// Serves the OpenAPI document of a listener.
///
/// The document also describes the route that it is served from.
package final class PublishedDocument: Sendable {
    private static let path = "/openapi.json"

    private let written = Locked<[UInt8]?>(nil)
    private let title: String
    private let summary: String
    private let server: String
    private let sessionCookie: String?
    private let basePath: String
    private let places: [Endpoint]
    private let credentials: RouteCredentials

    /// Creates a document.
    ///
    /// - Parameters:
    ///   - title: The title, such as the name of the API.
    ///   - summary: The description of the API.
    ///   - server: The URL of the listener.
    ///   - sessionCookie: The name of the session cookie, or `nil` for the default name.
    ///   - basePath: The prefix of routes below ``Endpoint/Root/base``.
    ///   - credentials: The credentials required to read the document.
    ///   - places: All other routes of the listener.
    package init(
        title: String,
        summary: String,
        server: String,
        sessionCookie: String? = nil,
        basePath: String,
        credentials: RouteCredentials = .none,
        _ places: [Endpoint]
    ) {
        self.credentials = credentials
        self.title = title
        self.summary = summary
        self.server = server
        self.sessionCookie = sessionCookie
        self.basePath = basePath
        self.places = places
    }

    /// All routes of the listener, including the one that serves the document.
    package var endpoints: [Endpoint] {
        places
            + [
                Endpoint(.get, Self.path, accepts: credentials, operation: Self.operation) { _ in self.answer
                }
            ]
    }

    private static let operation = APIOperation(
        "getDocument",
        "Returns this OpenAPI document.",
        [APIResponse(200, "The OpenAPI 3.1 document.", .anyObject)]
    )

    private var answer: HTTP.Response {
        // Most servers are never asked for this document, so we only render it on the first request.
        let json = written.withLock { written in
            let json = written ?? document.json
            written = json
            return json
        }
        var response = HTTP.Response.json(200, body: json)
        response.headers["Cache-Control"] = "public, max-age=300"
        return response
    }

    /// The document before it is converted to JSON.
    package var document: OpenAPIDocument {
        OpenAPIDocument(
            title: title,
            summary: summary,
            server: server,
            sessionCookie: sessionCookie,
            basePath: basePath,
            endpoints
        )
    }
}
