import LatchkeyServerKit
import LatchkeyWire

/// The public route that returns what apps need to know about an OAuth client.
struct ClientInfoEndpoints: Sendable {
    /// How long apps and proxies may use a response without asking again.
    private static let maxAge = 60

    let clients: ClientRegistry
    let limiter: Limiter
    let database: any Database

    var endpoints: [Endpoint] {
        [
            Endpoint(.get, Route.clients + "/{}", accepts: .none, operation: .getClientInfo, answer: show)
        ]
    }

    /// Handles `GET /clients/{client_id}`.
    ///
    /// A disabled client is answered like one that doesn't exist.
    private func show(_ context: RequestContext) async throws -> HTTP.Response {
        try await limiter.require(LimitedEvent.publicReads(from: context.peer), at: context.now, in: database)
        guard let client = try await clients.client(PercentEncoding.decode(context.parameter)) else {
            throw ServerError(404, reason: "The client does not exist.")
        }
        return .cacheable(
            body: try JSONCoding.encode(ClientInfoBody(client)),
            for: context.request,
            maxAge: Self.maxAge
        )
    }
}

extension ClientInfoBody {
    /// The public members of a client's registration.
    fileprivate init(_ client: OAuthClient) {
        let own = client.metadata.own
        self.init(
            clientID: client.id,
            clientName: client.metadata.name,
            merchant: own.merchant.map { Merchant(id: $0.id, name: $0.name, kind: $0.kind) },
            signUp: own.signUp,
            requiredFields: own.requiredFields.map { field in
                RequiredField(
                    name: field.name,
                    isRequired: field.isRequired,
                    minimumAge: field.minimumAge,
                    minimumLength: field.minimumLength,
                    maximumLength: field.maximumLength
                )
            }
        )
    }
}

extension APIOperation {
    /// The operation that returns the public information about a client.
    fileprivate static let getClientInfo = APIOperation(
        "getClientInfo",
        "Returns the public information about an OAuth client.",
        details:
            "The response can be cached for a minute. A disabled client is answered like an unknown one.",
        parameters: [.path("client_id", "The client's id.", .text), .ifNoneMatch],
        [
            APIResponse(200, "The information.", ClientInfoBody.schema, headers: [.entityTag]),
            APIResponse(304, "The information hasn't changed.", headers: [.entityTag]),
            .refusal(404, "The client does not exist."),
            .refusal(
                429,
                "The network has requested public information too often (`too_many_requests`).",
                headers: [.retryAfter]
            ),
        ]
    )
}
