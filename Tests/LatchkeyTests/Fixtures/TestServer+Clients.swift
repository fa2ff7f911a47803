import Latchkey
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import Testing

@testable import LatchkeyAccounts

extension TestServer {
    /// The identifier of the person who logs in with a browser.
    static let person = "person@example.org"
    /// The id of the app's registration.
    static let clientID = "shop-app"

    /// Returns a server with a person and a first-party client with some redirect URIs.
    static func withBrowserLogin(
        to redirects: String...,
        own: String = TestServer.ownMembers
    ) async throws -> TestServer {
        var configuration = configuration()
        configuration.schemas.standard = "person"
        configuration.registration.schemas = ["person"]
        let server = try await TestServer(configuration: configuration)
        try await server.addPerson(
            email: person,
            phone: TestAccount.phone,
            password: TestAccount.passcode
        )
        let list = redirects.map { "\"\($0)\"" }.joined(separator: ", ")
        let json = """
            {"client_name": "Shop", "redirect_uris": [\(list)], "scope": "openid profile", \
            "grant_types": ["authorization_code"], "token_endpoint_auth_method": "none", \
            "id_token_signed_response_alg": "ES256", "latchkey": {\(own)}}
            """
        let client = OAuthClient(
            id: clientID,
            metadata: try ClientMetadata(
                JSONParser.parse(Array(json.utf8)),
                rules: ClientRules(schemas: ["person"])
            ),
            secrets: ClientSecrets(),
            createdAt: server.time.now,
            updatedAt: server.time.now
        )
        let database = try #require(server.database)
        let isNew = try await database.transaction { try ClientRepository.insert(client, in: $0) }
        #expect(isNew)
        return server
    }

    /// The number of sessions of the client that can be used.
    func liveSessions() async throws -> Int64 {
        let rows = try await #require(database).rows(
            "SELECT COUNT(*) FROM sessions WHERE client_id = $1 AND revoked_at IS NULL",
            .text(Self.clientID)
        )
        return try rows[0].integer(0)
    }

    /// The number of grants of the client that can be used.
    func liveGrants() async throws -> Int64 {
        let rows = try await #require(database).rows(
            "SELECT COUNT(*) FROM grants WHERE client_id = $1 AND ended_at IS NULL",
            .text(Self.clientID)
        )
        return try rows[0].integer(0)
    }

    /// The members of a client that may exchange its grants for sessions.
    static let ownMembers = #""first_party": true, "native_session": true"#

    /// Returns a client of the app on a device.
    func browserClient(
        redirectURIs: Set<String>,
        store: any SessionStore = MemoryStore(),
        over network: TestTransport? = nil
    ) throws -> LatchkeyClient {
        try LatchkeyClient(server: Self.url, app: "com.example.shop") {
            $0.store = store
            $0.client = ClientRegistration(id: Self.clientID, redirectURIs: redirectURIs)
            $0.transport = network ?? transport()
            $0.languages = []
            $0.time = DeviceClock(time)
        }
    }
}
