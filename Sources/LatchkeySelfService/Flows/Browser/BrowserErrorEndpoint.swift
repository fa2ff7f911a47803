import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The route that tells a page which error it has to show.
struct BrowserErrorEndpoint: Sendable {
    /// The id of an error that developers of pages use as an example, as in Kratos.
    private static let stub = "stub:500"

    let errors: BrowserErrors

    var endpoint: Endpoint {
        Endpoint(.get, Route.selfServiceErrors, accepts: .none, operation: .readError, answer: read)
    }

    /// Handles `GET /self-service/errors`.
    ///
    /// - Throws: ``ServerError`` with status 404 if the id is missing or unknown.
    private func read(_ context: RequestContext) throws -> HTTP.Response {
        let id = context.query["id"] ?? ""
        let (error, time): (ServerError, Timestamp)
        if id == Self.stub {
            (error, time) = (ServerError(500, reason: "This is an example."), context.now)
        } else if let found = Identifier(id).flatMap(errors.error) {
            (error, time) = (found.error.error, found.at)
        } else {
            throw ServerError.notFound
        }
        var writer = JSONWriter(reserving: 512)
        writer.object { writer in
            writer.name("id")
            writer.string(id)
            writer.name("error")
            error.write(echoing: nil, to: &writer)
            writer.name("created_at")
            writer.time(time)
            writer.name("updated_at")
            writer.time(time)
        }
        return .json(200, body: writer.bytes)
    }
}

extension APIOperation {
    fileprivate static let readError = APIOperation(
        "getFlowError",
        "Returns an error that a browser was redirected with.",
        details: "The id contains the error, so the server stores nothing. `stub:500` returns an example.",
        parameters: [.query("id", "The error's id.", isRequired: true)],
        [
            APIResponse(200, "The error.", .component(.flowError)),
            .refusal(404, "The id is missing or unknown."),
        ]
    )
}
