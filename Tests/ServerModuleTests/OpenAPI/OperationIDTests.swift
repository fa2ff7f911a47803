import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import Testing

/// Thanks to these ids, clients that are generated from our documents have the same method names as those
/// generated for Kratos.
@Suite struct `Operation ids` {
    private static let flows = [
        ("login", "Login"), ("registration", "Registration"), ("recovery", "Recovery"),
        ("verification", "Verification"), ("settings", "Settings"),
    ].flatMap { path, name in
        [
            ("GET /self-service/\(path)/api", "createNative\(name)Flow"),
            ("GET /self-service/\(path)/flows", "get\(name)Flow"),
            ("POST /self-service/\(path)", "update\(name)Flow"),
        ]
    }

    /// The operations of Ory Kratos 26.2 and Ory Hydra that this server also supports.
    private static let operations =
        flows + [
            ("DELETE /self-service/logout/api", "performNativeLogout"),
            ("GET /sessions", "listMySessions"),
            ("DELETE /sessions", "disableMyOtherSessions"),
            ("DELETE /sessions/{}", "disableMySession"),
            ("GET /sessions/whoami", "toSession"),
            ("GET /schemas", "listIdentitySchemas"),
            ("GET /schemas/{}", "getIdentitySchema"),
            ("POST /oauth2/token", "oauth2TokenExchange"),
            ("POST /oauth2/revoke", "revokeOAuth2Token"),
            ("GET /.well-known/jwks.json", "discoverJsonWebKeys"),
            ("GET /health/alive", "isAlive"),
            ("GET /health/ready", "isReady"),
            ("GET /version", "getVersion"),
            ("GET /admin/clients", "listOAuth2Clients"),
            ("POST /admin/clients", "createOAuth2Client"),
            ("GET /admin/clients/{}", "getOAuth2Client"),
            ("PUT /admin/clients/{}", "setOAuth2Client"),
            ("PATCH /admin/clients/{}", "patchOAuth2Client"),
            ("DELETE /admin/clients/{}", "deleteOAuth2Client"),
            ("PUT /admin/clients/{}/lifespans", "setOAuth2ClientLifespans"),
            ("POST /admin/clients/{}/secrets/rotate", "rotateOAuth2ClientSecret"),
            ("DELETE /admin/clients/{}/secrets/rotate", "deleteRotatedOAuth2ClientSecrets"),
            ("GET /admin/courier/messages", "listCourierMessages"),
            ("GET /admin/courier/messages/{}", "getCourierMessage"),
            ("GET /admin/identities", "listIdentities"),
            ("POST /admin/identities", "createIdentity"),
            ("PATCH /admin/identities", "batchPatchIdentities"),
            ("GET /admin/identities/by/external/{}", "getIdentityByExternalID"),
            ("GET /admin/identities/{}", "getIdentity"),
            ("PUT /admin/identities/{}", "updateIdentity"),
            ("PATCH /admin/identities/{}", "patchIdentity"),
            ("DELETE /admin/identities/{}", "deleteIdentity"),
            ("DELETE /admin/identities/{}/credentials/{}", "deleteIdentityCredentials"),
            ("GET /admin/identities/{}/sessions", "listIdentitySessions"),
            ("DELETE /admin/identities/{}/sessions", "deleteIdentitySessions"),
            ("POST /admin/recovery/code", "createRecoveryCodeForIdentity"),
            ("GET /admin/sessions", "listSessions"),
            ("POST /admin/sessions", "manageSessions"),
            ("GET /admin/sessions/{}", "getSession"),
            ("DELETE /admin/sessions/{}", "disableSession"),
            ("PATCH /admin/sessions/{}/extend", "extendSession"),
        ]

    @Test func `Operations that also exist in Ory Kratos or Ory Hydra have the same ids`() async throws {
        var settings = TestServer.configuration()
        settings.basePath = ""
        let server = try await TestServer(configuration: settings)
        let assembly = try #require(server.assembly)
        let endpoints = assembly.document.document.endpoints + assembly.operatorRoutes
        let ids = Dictionary(
            endpoints.map { ("\($0.method.rawValue) \($0.path)", $0.operation.id) },
            uniquingKeysWith: { first, _ in first }
        )

        for (operation, id) in Self.operations { #expect(ids[operation] == id, "\(operation)") }
        await server.stop()
    }
}
