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
    ///   - redirectURI: The redirect URI of the game.
    ///   - own: The members of the client that are our own.
    /// - Throws: An error if the client can't be stored.
    package func registerGame(
        returningTo redirectURI: String = "com.example.arcade://onside/login",
        own: String = #""first_party": true, "native_session": true, "app_to_app": true"#
    ) async throws {
        let json = """
            {"client_name": "Arcade", "redirect_uris": ["\(redirectURI)"], "scope": "openid profile", \
            "grant_types": ["authorization_code"], "token_endpoint_auth_method": "none", \
            "id_token_signed_response_alg": "ES256", "application_type": "native", "latchkey": {\(own)}}
            """
        let client = OAuthClient(
            id: "com.example.arcade",
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
}
