import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServer
import LatchkeyServerKit
package import LatchkeyTestKit
import LatchkeyWire

extension TestServer {
    /// Registers the game as a client whose requests the store app can approve.
    ///
    /// Registering it again has no effect.
    ///
    /// - Parameters:
    ///   - id: The id of the client.
    ///   - name: The registered name of the game.
    ///   - redirectURI: The redirect URI of the game.
    ///   - own: The members of the client that are our own.
    /// - Throws: An error if the client can't be stored.
    package func registerGame(
        as id: String = "com.example.arcade",
        named name: String = "Arcade",
        returningTo redirectURI: String = "com.example.arcade://onside/login",
        own: String = #""first_party": true, "native_session": true, "app_to_app": true"#
    ) async throws {
        let json = """
            {"client_name": "\(name)", "redirect_uris": ["\(redirectURI)"], "scope": "openid profile", \
            "grant_types": ["authorization_code"], "token_endpoint_auth_method": "none", \
            "id_token_signed_response_alg": "ES256", "application_type": "native", "latchkey": {\(own)}}
            """
        let client = OAuthClient(
            id: id,
            metadata: try ClientMetadata(
                JSONParser.parse(Array(json.utf8)),
                rules: ClientRules(schemas: ["shopper"])
            ),
            secrets: ClientSecrets(),
            createdAt: time.now,
            updatedAt: time.now
        )
        _ = try await database?.transaction { transaction in
            try ClientRepository.insert(client, in: transaction)
        }
    }

    /// The number of sessions of the game that can be used.
    package func gameSessions() async throws -> Int64 {
        let rows = try await database?.rows(
            "SELECT COUNT(*) FROM sessions WHERE client_id = 'com.example.arcade' AND revoked_at IS NULL"
        )
        return try rows?.first?.integer(0) ?? 0
    }

    /// The number of sessions of all apps that can be used.
    package func liveSessions() async throws -> Int64 {
        let rows = try await database?.rows("SELECT COUNT(*) FROM sessions WHERE revoked_at IS NULL")
        return try rows?.first?.integer(0) ?? 0
    }

    /// The number of grants of the game whose code was redeemed, and that can still be used.
    package func gameGrants() async throws -> Int64 {
        let rows = try await database?.rows(
            """
            SELECT COUNT(*) FROM grants WHERE client_id = 'com.example.arcade' \
            AND redeemed_at IS NOT NULL AND ended_at IS NULL AND expires_at > $1
            """,
            .time(time.now)
        )
        return try rows?.first?.integer(0) ?? 0
    }

    /// The number of requests of the game that the store app can still answer.
    package func openRequests() async throws -> Int64 {
        let rows = try await database?.rows(
            """
            SELECT COUNT(*) FROM authorization_requests WHERE client_id = 'com.example.arcade' \
            AND answered_at IS NULL AND expires_at > $1
            """,
            .time(time.now)
        )
        return try rows?.first?.integer(0) ?? 0
    }

    /// The number of self-service flows of all apps.
    package func flows() async throws -> Int64 {
        let rows = try await database?.rows("SELECT COUNT(*) FROM flows")
        return try rows?.first?.integer(0) ?? 0
    }

    /// The number of requests of the game in the database, including those that have ended.
    package func storedRequests() async throws -> Int64 {
        let rows = try await database?.rows(
            "SELECT COUNT(*) FROM authorization_requests WHERE client_id = 'com.example.arcade'"
        )
        return try rows?.first?.integer(0) ?? 0
    }
}
