import LatchkeyCrypto
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyAccounts
@testable import LatchkeyOAuth

/// A server with OAuth clients.
struct ProviderServer: Sendable {
    static let callback = "https://shop.example.com/callback"
    static let issuer = SelfServiceServer.url

    let people: SelfServiceServer

    init(
        over existing: (any Database)? = nil,
        dutySources: [any DutySource] = [],
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) async throws {
        people = try await SelfServiceServer(over: existing, dutySources: dutySources) { configuration in
            configuration.limits = .unlimited
            configuration.registration.sendsVerification = false
            change(&configuration)
        }
    }

    var time: VirtualTime { people.time }
    var database: any Database { people.database }

    /// Returns the same server after a restart, or another node.
    func another(_ change: (inout ServerConfiguration) -> Void = { _ in }) async throws -> ProviderServer {
        try await ProviderServer(over: people.resources.database, change)
    }

    /// Registers a client with members of its metadata, as JSON without braces.
    func client(
        _ id: String = "shop",
        name: String = "The Shop",
        secret: String? = "lk_cs_secret",
        redirect: String = ProviderServer.callback,
        scope: String = "openid profile email offline_access",
        own: String = "",
        _ members: String = ""
    ) async throws -> RelyingParty {
        let method = secret == nil ? "none" : "client_secret_post"
        let json = """
            {"client_name": "\(name)", "client_uri": "https://shop.example.com", "redirect_uris": ["\(redirect)"], \
            "grant_types": ["authorization_code", "refresh_token"], "scope": "\(scope)", \
            "token_endpoint_auth_method": "\(method)", "id_token_signed_response_alg": "ES256", \
            "latchkey": {\(own)}\(members.isEmpty ? "" : ", " + members)}
            """
        let metadata = try ClientMetadata(
            JSONParser.parse(Array(json.utf8)),
            rules: ClientRules(schemas: ["person", "customer"])
        )
        let hash = secret.map { ClientSecretHash.generated(SHA256.hash(Array($0.utf8))) }
        let client = OAuthClient(
            id: id,
            metadata: metadata,
            secrets: ClientSecrets(hash),
            createdAt: time.now,
            updatedAt: time.now
        )
        let isNew = try await database.transaction { try ClientRepository.insert(client, in: $0) }
        #expect(isNew)
        return RelyingParty(self, id: id, secret: secret, redirectURI: redirect, scope: scope)
    }

    /// Returns a browser whose user has signed up with a number.
    func signedUp(_ number: Int = 1) async throws -> PageVisitor {
        let visitor = PageVisitor(people)
        try await visitor.browser.register(number)
        #expect(visitor.browser.isLoggedIn)
        return visitor
    }

    /// The number of rows that a condition selects.
    func count(_ table: SQL, where condition: SQL = "1 = 1") async throws -> Int64 {
        try await database.rows("SELECT COUNT(*) FROM \(table) WHERE \(condition)")[0].integer(0)
    }
}

/// An OAuth client that logs users in.
struct RelyingParty: Sendable {
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

    let server: ProviderServer
    let id: String
    let secret: String?
    let redirectURI: String
    let scope: String

    init(_ server: ProviderServer, id: String, secret: String?, redirectURI: String, scope: String) {
        (self.server, self.id, self.secret, self.redirectURI, self.scope) =
            (server, id, secret, redirectURI, scope)
    }

    /// Returns the same client at another node.
    func connected(to server: ProviderServer) -> RelyingParty {
        RelyingParty(server, id: id, secret: secret, redirectURI: redirectURI, scope: scope)
    }

    /// Returns the address of an authorization request.
    ///
    /// A parameter that is `nil` is left out.
    func address(_ parameters: [String: String?] = [:]) -> String {
        var all: [String: String?] = [
            "client_id": id, "redirect_uri": redirectURI, "response_type": "code", "scope": scope,
            "state": "the state", "nonce": "the nonce",
            "code_challenge": CodeChallenge(verifier: Self.verifier)?.text, "code_challenge_method": "S256",
        ]
        all.merge(parameters) { $1 }
        let items = all.compactMap { name, value in value.map { name + "=" + QueryItems.encode($0) } }
        return Route.authorization + "?" + items.sorted().joined(separator: "&")
    }

    // MARK: Answers

    /// The parameters that a browser brings to the redirect URI, or `nil` if it was sent elsewhere.
    func parameters(of visitor: PageVisitor) -> [String: String]? {
        guard let location = visitor.location, location.hasPrefix(redirectURI) else { return nil }
        let texts = QueryItems(String(location.dropFirst(redirectURI.count + 1))).texts
        return Dictionary(
            stride(from: 0, to: texts.count, by: 2).map { (texts[$0], texts[$0 + 1]) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// Returns the code that a browser brings.
    func code(of visitor: PageVisitor) throws -> String {
        let parameters = try #require(self.parameters(of: visitor), "\(visitor.summary)")
        #expect(parameters["state"] == "the state")
        #expect(parameters["iss"] == ProviderServer.issuer)
        return try #require(parameters["code"], "\(parameters)")
    }

    /// Logs a user in who has a session, and returns the code.
    func authorize(_ visitor: PageVisitor, with parameters: [String: String?] = [:]) async throws -> String {
        try await visitor.open(address(parameters))
        if visitor.isQuestion { try await visitor.submit(["decision": "approve"]) }
        return try code(of: visitor)
    }

    // MARK: Tokens

    /// Sends a form to an endpoint, with the client's id and secret.
    func send(
        _ fields: [String: String?],
        to path: String = Route.token,
        proof: String? = nil,
        from host: String = "192.0.2.80"
    ) async -> Answer {
        var all: [String: String?] = ["client_id": id, "client_secret": secret]
        all.merge(fields) { $1 }
        var request = HTTP.Request(
            form: all.compactMap { name, value in value.map { (name, $0) } }.sorted { $0.0 < $1.0 },
            to: path
        )
        if let proof { request.headers[DPoPProof.header] = proof }
        return await server.people.send(request, from: host)
    }

    /// Redeems a code.
    func redeem(_ code: String, with fields: [String: String?] = [:], proof: String? = nil) async -> Answer {
        var all: [String: String?] = [
            "grant_type": "authorization_code", "code": code, "redirect_uri": redirectURI,
            "code_verifier": Self.verifier,
        ]
        all.merge(fields) { $1 }
        return await send(all, proof: proof)
    }

    func refresh(_ token: String, with fields: [String: String?] = [:], proof: String? = nil) async -> Answer
    {
        let own: [String: String?] = ["grant_type": "refresh_token", "refresh_token": token]
        return await send(own.merging(fields) { $1 }, proof: proof)
    }

    func userInfo(_ accessToken: String) async -> Answer {
        await server.people.send(
            HTTP.Request(.get, Route.userInfo, headers: ["Authorization": "Bearer " + accessToken])
        )
    }

    /// Logs a user in who has a session, and returns the tokens.
    func tokens(of visitor: PageVisitor, with parameters: [String: String?] = [:]) async throws -> Answer {
        let answer = await redeem(try await authorize(visitor, with: parameters))
        #expect(answer.status == 200, "\(answer.body)")
        return answer
    }
}

extension PageVisitor {
    /// Whether the page asks the user about a client.
    var isQuestion: Bool { path == "/consent" && location == nil }
}

extension Answer {
    var accessToken: String { self["access_token"]?.text ?? "" }
    var refreshToken: String? { self["refresh_token"]?.text }
    /// The code of an OAuth error.
    var oauthError: String? { self["error"]?.text }

    /// The claims of the ID token, without verifying it.
    var idClaims: JSONValue { claims(self["id_token"]?.text) }
    /// The claims of the access token, without verifying it.
    var accessClaims: JSONValue { claims(accessToken) }

    private func claims(_ token: String?) -> JSONValue {
        guard let token, let jws = CompactJWS(token) else { return .null }
        return (try? JSONCoding.decode(JSONValue.self, from: jws.payload)) ?? .null
    }
}
