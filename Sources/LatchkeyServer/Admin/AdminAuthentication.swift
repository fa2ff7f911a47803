import LatchkeyServerKit
import LatchkeyWire

/// A middleware that authenticates requests to the admin listener and responds with status 415 to bodies that
/// are not JSON.
struct AdminAuthentication: HTTPHandler {
    private static let mediaTypes: Set = ["application/json", "application/json-patch+json"]

    private let handler: any HTTPHandler
    private let access: AdminAccess
    private let refusals: AdminRefusals

    /// Creates a middleware.
    ///
    /// - Parameters:
    ///   - handler: The next responder.
    ///   - access: The authorization rules.
    ///   - refusals: Records rejected requests and creates the delayed responses.
    init(_ handler: any HTTPHandler, access: AdminAccess, refusals: AdminRefusals) {
        self.handler = handler
        self.access = access
        self.refusals = refusals
    }

    /// Authenticates a request and passes it to the next responder.
    ///
    /// The media type is checked after the credentials. The response to an unsupported media type is not
    /// delayed.
    func respond(to request: HTTP.Request, from peer: PeerAddress) async -> HTTP.Response {
        if let refusal = access.refusal(of: request) {
            return await refusals.answer(refusal, to: request, from: peer)
        }
        guard request.body.isEmpty || Self.hasJSON(request) else {
            return ServerError(
                415,
                reason:
                    "The Content-Type of the body must be application/json or application/json-patch+json."
            )
            .response(echoing: nil)
        }
        return await handler.respond(to: request, from: peer)
    }

    /// Returns whether the request has exactly one `Content-Type` header, with one of the accepted types.
    private static func hasJSON(_ request: HTTP.Request) -> Bool {
        let types = request.headers.all("Content-Type")
        let words = types.first?.split(separator: ";").first?.split { $0 == " " || $0 == "\t" } ?? []
        guard types.count == 1, words.count == 1 else { return false }
        return mediaTypes.contains(words[0].lowercased())
    }
}
