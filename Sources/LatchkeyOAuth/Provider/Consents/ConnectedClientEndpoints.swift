import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The routes on which users and operators list the clients that have access to an account, and end it.
struct ConnectedClientEndpoints: Sendable {
    private let connected: ConnectedClients
    private let clients: ClientRegistry
    private let authenticator: SessionAuthenticator

    init(_ environment: ServerEnvironment, accounts: AccountsModule) {
        connected = ConnectedClients(environment, audit: accounts.audit)
        clients = accounts.clients
        authenticator = accounts.authenticator
    }

    /// The user's own routes.
    var endpoints: [Endpoint] {
        [
            Endpoint(
                .get,
                Route.connectedClients,
                accepts: .sessionOrCookie,
                operation: .listConnectedClients
            ) { context in
                let found = try await authenticator.requiredSession(of: context)
                return try await list(of: found.identity.id, in: context)
            },
            Endpoint(
                .delete,
                Route.connectedClients + "/{}",
                accepts: .sessionOrCookie,
                operation: .disconnectClient
            ) { context in
                let found = try await authenticator.requiredSession(of: context)
                return try await disconnect(from: found.identity.id, by: .user, in: context)
            },
        ]
    }

    /// The routes of the admin listener.
    var operatorEndpoints: [Endpoint] {
        let path = "/admin/identities/{}/clients"
        return [
            Endpoint(
                .get,
                path,
                below: .server,
                accepts: .adminToken,
                operation: .listClientsOfIdentity
            ) { context in
                try await list(of: try context.id(), in: context)
            },
            Endpoint(
                .delete,
                path + "/{}",
                below: .server,
                accepts: .adminToken,
                operation: .disconnectClientOfIdentity
            ) { context in
                try await disconnect(from: try context.id(), by: .operator, in: context)
            },
        ]
    }

    private func list(of identity: Identifier, in context: RequestContext) async throws -> HTTP.Response {
        var found: [(ConnectedClient, OAuthClient?)] = []
        for client in try await connected.all(of: identity, at: context.now) {
            found.append((client, try await clients.client(client.id)))
        }
        var writer = JSONWriter(reserving: 512)
        writer.array { writer in
            for (connected, client) in found { writer.connectedClient(connected, registered: client) }
        }
        return .json(200, body: writer.bytes)
    }

    private func disconnect(
        from identity: Identifier,
        by actor: AuditEvent.Actor,
        in context: RequestContext
    ) async throws -> HTTP.Response {
        guard let client = context.parameters.last.flatMap({ try? PercentEncoding.decode($0) }),
            try await connected.disconnect(client, from: identity, by: actor, in: context)
        else { throw ServerError(404, reason: "The client has no access to the account.") }
        return HTTP.Response(204)
    }
}

extension JSONWriter {
    fileprivate mutating func connectedClient(_ connected: ConnectedClient, registered client: OAuthClient?) {
        object { writer in
            writer.name("client_id")
            writer.string(connected.id)
            func write(_ name: StaticString, as text: String?) {
                guard let text, !text.isEmpty else { return }
                writer.name(name)
                writer.string(text)
            }
            write("client_name", as: client?.metadata.name)
            write("client_uri", as: client?.metadata.uri)
            write("logo_uri", as: client?.metadata.logoURI)
            write("scope", as: connected.scopes.scopeText)
            writer.name("created_at")
            writer.time(connected.since)
            writer.name("used_at")
            writer.time(connected.lastUsed)
        }
    }
}

extension APIOperation {
    fileprivate static let listConnectedClients = list(
        "listMyClients",
        "Lists the OAuth clients that have access to the user's account."
    )
    fileprivate static let disconnectClient = disconnect(
        "disconnectMyClient",
        "Ends the access of an OAuth client to the user's account.",
        [.path("client_id", "The client's id.", .text)]
    )
    fileprivate static let listClientsOfIdentity = list(
        "listIdentityClients",
        "Lists the OAuth clients that have access to an account.",
        [.path("id", "The identity's id.", .uuid)]
    )
    fileprivate static let disconnectClientOfIdentity = disconnect(
        "disconnectIdentityClient",
        "Ends the access of an OAuth client to an account.",
        [.path("id", "The identity's id.", .uuid), .path("client_id", "The client's id.", .text)]
    )

    private static func list(
        _ id: String,
        _ summary: String,
        _ parameters: [APIParameter] = []
    ) -> APIOperation {
        // Only operators name an account.
        let missing = APIResponse(404, "The id in the path isn't a UUID.", .error)
        return APIOperation(
            id,
            summary,
            parameters: parameters,
            [
                APIResponse(
                    200,
                    "The clients, the one that was used last first.",
                    .array(
                        .object([
                            .required("client_id", .text), .optional("client_name", .text),
                            .optional("client_uri", .text), .optional("logo_uri", .text),
                            .optional("scope", .text), .required("created_at", .time),
                            .required("used_at", .time),
                        ])
                    )
                ), unauthorized,
            ] + (parameters.isEmpty ? [] : [missing])
        )
    }

    private static func disconnect(
        _ id: String,
        _ summary: String,
        _ parameters: [APIParameter]
    ) -> APIOperation {
        APIOperation(
            id,
            summary,
            details: "Its grants end, and it must ask for consent again.",
            parameters: parameters,
            [
                APIResponse(204, "The client no longer has access."),
                APIResponse(404, "The client had no access.", .error), unauthorized,
            ]
        )
    }

    private static let unauthorized = APIResponse(401, "There is no valid credential.", .error)
}
