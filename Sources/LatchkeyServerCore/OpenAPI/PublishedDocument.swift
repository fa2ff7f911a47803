import LatchkeyModel
import LatchkeyWire

/// Serves the document of a listener's places, its own among them.
package final class PublishedDocument: Sendable {
    private static let path = "/openapi.json"

    private let written = Locked<[UInt8]?>(nil)
    private let title: String
    private let summary: String
    private let server: String
    private let basePath: String
    private let places: [Endpoint]
    private let operation: APIOperation

    /// Creates a document.
    ///
    /// - Parameters:
    ///   - title: What the listener is for.
    ///   - summary: The same in more words.
    ///   - server: Its address.
    ///   - basePath: What stands before the paths of places below the base.
    ///   - credential: What callers show of themselves to read it.
    ///   - places: All its places but this one.
    package init(
        title: String,
        summary: String,
        server: String,
        basePath: String,
        credential: APIOperation.Credential = .none,
        _ places: [Endpoint]
    ) {
        operation = APIOperation(
            "getDocument",
            "This document.",
            credential: credential,
            [APIResponse(200, "OpenAPI 3.1.", .anyObject)]
        )
        self.title = title
        self.summary = summary
        self.server = server
        self.basePath = basePath
        self.places = places
    }

    /// All places of the listener.
    package var endpoints: [Endpoint] {
        places + [Endpoint(.get, Self.path, operation) { _ in self.answer }]
    }

    private var answer: HTTPResponse {
        // Written when somebody asks for the first time, which is mostly nobody.
        let json = written.withLock { written in
            let json = written ?? document.json
            written = json
            return json
        }
        var response = HTTPResponse.json(200, json)
        response.headers["Cache-Control"] = "public, max-age=300"
        return response
    }

    /// The document as it is now.
    package var document: OpenAPIDocument {
        OpenAPIDocument(title: title, summary: summary, server: server, basePath: basePath, endpoints)
    }
}
