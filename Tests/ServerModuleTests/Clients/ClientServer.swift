import LatchkeyAccounts
import LatchkeyModel
import LatchkeyOAuth
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import Testing

/// A server with the admin routes, and an authenticator for its clients.
struct ClientServer: Sendable {
    let admin: AdminServer
    let authenticator: ClientAuthenticator

    init(_ change: (inout ServerConfiguration) -> Void = { _ in }) async throws {
        admin = try await AdminServer(change)
        authenticator = Self.authenticator(of: admin)
    }

    /// Returns a new authenticator, which has no memory of the other one, as after a restart.
    static func authenticator(of admin: AdminServer) -> ClientAuthenticator {
        let resources = admin.people.resources
        return ClientAuthenticator(
            ServerEnvironment(
                urls: ServerURLs(base: SelfServiceServer.url, basePath: "/a"),
                database: resources.database,
                secrets: resources.secrets,
                time: resources.time,
                random: resources.random
            ),
            accounts: admin.people.assembly.accounts
        )
    }

    var time: VirtualTime { admin.people.time }

    /// Creates the client `shop`, and returns its secret.
    func create(_ members: String = "") async throws -> String {
        let body = #"{"client_id": "shop", "token_endpoint_auth_method": "client_secret_post"\#(members)}"#
        let answer = await admin.send(.post, "/admin/clients", body)
        #expect(answer.status == 201, "\(answer.reason)")
        // The key for the client's ID tokens is generated in the background.
        await admin.people.assembly.tokens.keys.stop()
        return answer["client_secret"]?.text ?? ""
    }

    /// Authenticates a client with a secret in the body of the request.
    func authenticate(
        _ id: String = "shop",
        secret: String?,
        from host: String = "192.0.2.1",
        by authenticator: ClientAuthenticator? = nil
    ) async throws -> OAuthClient {
        let credentials = try ClientCredentials(headers: [:], clientID: id, secret: secret)
        return try await (authenticator ?? self.authenticator).client(credentials, in: context(from: host))
    }

    func context(from host: String = "192.0.2.1") -> RequestContext {
        RequestContext(HTTP.Request(.post, "/"), from: PeerAddress(host: host, port: 40_000), at: time.now)
    }

    /// Returns whether the client `shop` can authenticate with a secret.
    func accepts(_ secret: String?) async throws -> Bool {
        do {
            return try await authenticate(secret: secret).id == "shop"
        } catch is OAuthError {
            return false
        }
    }

    /// Returns for each secret whether the client `shop` can authenticate with it.
    func accepted(_ secrets: String...) async throws -> [Bool] {
        var accepted: [Bool] = []
        for secret in secrets { accepted.append(try await accepts(secret)) }
        return accepted
    }

    /// Returns the status of the error for a failed authentication, or 200.
    func status(
        _ id: String = "shop",
        secret: String?,
        from host: String = "192.0.2.1",
        by authenticator: ClientAuthenticator? = nil
    ) async throws -> Int {
        do {
            _ = try await authenticate(id, secret: secret, from: host, by: authenticator)
            return 200
        } catch let error as OAuthError {
            return error.status
        } catch let error as any ServerErrorConvertible {
            return error.serverError.status
        } catch let error as ServerError {
            return error.status
        }
    }

    /// The actions on clients in the audit log, oldest first.
    func actions() async throws -> [String] {
        try await AuditLog.events(of: .nilUUID, limit: 100, in: admin.database)
            .map(\.action.rawValue).reversed()
    }
}
