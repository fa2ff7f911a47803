import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyCrypto
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import Testing

@testable import LatchkeyOAuth

/// A server on which apps sign users up with mailed links.
struct LinkServer: Sendable {
    static let mail = "person1@example.org"
    static let redirect = "com.example.news:/callback"
    static let own = #""first_party": true, "native_session": true, "sign_up": "link""#
    static let native = #""application_type": "native", "skip_consent": true"#

    let server: ProviderServer
    let news: RelyingParty
    let key: SigningKey

    init(_ change: (inout ServerConfiguration) -> Void = { _ in }) async throws {
        server = try await ProviderServer { configuration in
            configuration.codes.isLoginEnabled = true
            configuration.registration.schemas.append("reader")
            change(&configuration)
        }
        key = try SigningKey.generate()
        news = try await Self.client("news", at: server)
    }

    init(_ other: LinkServer, at server: ProviderServer) {
        (self.server, key, news) = (server, other.key, other.news.connected(to: server))
    }

    static func client(
        _ id: String,
        at server: ProviderServer,
        redirect: String = redirect,
        own: String = own,
        members: String = native
    ) async throws -> RelyingParty {
        try await server.client(id, secret: nil, redirect: redirect, own: own, members)
    }

    var people: SelfServiceServer { server.people }

    /// Returns the query that starts a flow with a link, in which a parameter that is `nil` is left out.
    func query(_ changes: [String: String?] = [:], of client: RelyingParty? = nil) -> String {
        let changes = changes.merging(["response_type": nil, "identity_schema": "reader"]) { own, _ in own }
        return String((client ?? news).address(changes).dropFirst(Route.authorization.count))
    }

    func begin(_ kind: FlowKind = .registration, _ query: String? = nil) async -> Answer {
        await people.get("/self-service/\(kind.rawValue)/api" + (query ?? self.query()))
    }

    func submit(
        _ flow: Answer,
        password: String = SelfServiceServer.password,
        code: String? = nil
    ) async throws -> Answer {
        var body: [String: JSONValue] = [
            "method": "password", "password": .string(password),
            "traits": .object(["email": .string(Self.mail)]),
        ]
        body["code"] = code.map { .string($0) }
        return try await people.submit(.registration, flow.flowID ?? "none", .object(body))
    }

    /// Signs up, and returns the account with the link in its mail.
    func signUp(_ query: String? = nil) async throws -> LinkSignUp {
        let created = try await submit(await begin(.registration, query))
        #expect(created.status == 200, "\(created.body)")
        #expect(created.sessionToken == nil)
        #expect(created.actions == ["show_verification_ui"])
        return LinkSignUp(
            server: self,
            account: try #require(created["identity"]?["id"]?.text.flatMap { Identifier($0) }),
            flow: try #require(created.steps.first?["flow"]?["id"]?.text),
            link: try await link()
        )
    }

    /// Returns the link in the latest mail.
    func link(to mail: String = mail) async throws -> String {
        _ = try await people.code(for: mail)
        let message = try #require(people.inbox.messages(for: mail).last)
        return String(try #require(message.body.exposed.firstMatch(of: #/https:\S+/#)).output)
    }

    func proof() throws -> String {
        let proof = DPoPProof(
            method: .post,
            url: ProviderServer.issuer + Route.token,
            id: Identifier().description,
            issuedAt: server.time.now
        )
        return try proof.signed(jwk: key.publicKey.jwk) { try key.rawSignature(for: $0) }
    }

    /// Redeems a code with the app's verifier and key.
    func redeem(_ code: String, with fields: [String: String?] = [:]) async throws -> Answer {
        await news.redeem(code, with: fields, proof: try proof())
    }

    /// Exchanges tokens for a session.
    func exchange(_ tokens: Answer) async throws -> Answer {
        await news.send(
            [
                "grant_type": TokenRequest.Grant.tokenExchange.rawValue,
                "subject_token": tokens.accessToken,
                "subject_token_type": TokenType.accessToken.rawValue,
                "requested_token_type": TokenType.session.rawValue,
            ],
            proof: try proof()
        )
    }
}

/// An account whose sign-up waits for the link in a mail.
struct LinkSignUp: Sendable {
    let server: LinkServer
    let account: Identifier
    /// The id of the verification flow, which only the app knows.
    let flow: String
    let link: String

    var code: String { String(link.split(separator: "code=")[1].prefix(6)) }

    /// Opens the link in a new browser.
    func opened(_ link: String? = nil) async throws -> PageVisitor {
        let visitor = PageVisitor(server.people)
        try await visitor.open(link ?? self.link)
        return visitor
    }

    /// Opens the link in a new browser, and presses "Confirm".
    func confirmed(_ link: String? = nil) async throws -> PageVisitor {
        let visitor = try await opened(link)
        try await visitor.confirm()
        return visitor
    }

    /// Confirms the link, and returns the code that the browser brings to the app.
    func returned() async throws -> String {
        let visitor = try await confirmed()
        try await visitor.openApp()
        return try server.news.code(of: visitor)
    }

    /// The account after the steps of a test.
    struct Standing: Equatable, CustomStringConvertible {
        var password: Bool
        var isProven: Bool
        var isConfirmed: Bool

        /// The value of `email_verified` for clients.
        var emailVerified: Bool { isProven && isConfirmed }

        var description: String {
            "password: \(password), proven: \(isProven), email_verified: \(emailVerified)"
        }
    }

    /// Returns the standing of the account, without changing it.
    func standing() async throws -> Standing {
        let identity = try await server.people.identity(account)
        let login = try await server.people.login(LinkServer.mail)
        let address = ContactAddress(via: .email, value: LinkServer.mail)
        return Standing(
            password: login.sessionToken != nil && login["session"]?["identity"]?["id"]?.text == "\(account)",
            isProven: identity.isProven(address),
            isConfirmed: identity.confirmedAt != nil
        )
    }
}

extension PageVisitor {
    /// Presses the button of a mailed link's page.
    func confirm() async throws { try await submit(["method": "code"]) }

    /// Presses the button that leads back to the app.
    func openApp() async throws { try await submit(["action": "open"]) }

    /// Presses the button "This was not me".
    func disown() async throws {
        let address = try #require(text.firstMatch(of: #/formaction="([^"]*)"/#), "\(summary)").output.1
        try await submit(["method": "code"], to: String(address))
    }
}
