import LatchkeyServerKit
import LatchkeyWire

/// A middleware that authenticates requests to the admin listener.
///
/// The middleware also rejects request bodies that aren't JSON, with status 415.
struct AdminAuthentication: HTTPHandler {
    private static let mediaTypes: Set = ["application/json", "application/json-patch+json"]

    private let handler: any HTTPHandler
    private let access: AdminAccess
    private let refusals: AdminRefusals

    /// Creates a middleware.
    ///
    /// - Parameters:
    ///   - handler: The next responder in the chain.
    ///   - access: Decides whether a request is accepted.
    ///   - refusals: Records rejected requests, and delays the responses to them.
    init(_ handler: any HTTPHandler, access: AdminAccess, refusals: AdminRefusals) {
        self.handler = handler
        self.access = access
        self.refusals = refusals
    }

    /// Authenticates a request and, if that succeeds, passes the request to the next responder.
    ///
    /// The media type is checked only after the request has been authenticated, and the response to an
    /// unsupported media type is not delayed.
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

    /// Returns whether the request has exactly one `Content-Type` header and its media type is supported.
    private static func hasJSON(_ request: HTTP.Request) -> Bool {
        let types = request.headers.all("Content-Type")
        let words =
            types.first?.utf8.split(separator: UInt8(ascii: ";")).first?.split { $0 == 0x20 || $0 == 0x09 }
            ?? []
        guard types.count == 1, words.count == 1 else { return false }
        return mediaTypes.contains(String(decoding: words[0], as: UTF8.self).lowercased())
    }
}
