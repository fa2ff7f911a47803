import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyOAuth

@Suite(.onEachDatabase) struct `Client authentication` {
    private let server: ClientServer

    init() async throws {
        server = try await ClientServer()
    }

    private func refusal(_ credentials: ClientCredentials) async throws -> HTTP.Response {
        let error = await #expect(throws: OAuthError.self) {
            try await server.authenticator.client(credentials, in: server.context())
        }
        return try #require(error).response
    }

    private func basic(_ id: String, secret: String) throws -> ClientCredentials {
        let encoded = Base64URL.encode(Array("\(id):\(secret)".utf8)).replacing("-", with: "+")
            .replacing("_", with: "/")
        return try ClientCredentials(
            headers: ["Authorization": "Basic \(encoded)"],
            clientID: nil,
            secret: nil
        )
    }

    @Test func `A client authenticates with the secret of the registration`() async throws {
        let secret = try await server.create()

        #expect(try await server.accepts(secret))
        for wrong in ["", secret + "x", String(secret.dropLast()), "lk_cs_", "other"] {
            #expect(try await !server.accepts(wrong), "\(wrong)")
        }
        #expect(server.admin.people.hasher.work == 0)
    }

    @Test func `A public client needs no secret, and can't use one`() async throws {
        _ = await server.admin.send(
            .post,
            "/admin/clients",
            #"{"client_id": "shop", "token_endpoint_auth_method": "none"}"#
        )

        #expect(try await server.accepts(nil))
        #expect(try await !server.accepts("secret"))
    }

    @Test func `Each failure gets the same response, with a challenge only for the scheme Basic`()
        async throws
    {
        let secret = try await server.create()
        let post = try ClientCredentials(headers: [:], clientID: "shop", secret: "wrong")
        let unknown = try ClientCredentials(headers: [:], clientID: "other", secret: secret)
        let missing = try ClientCredentials(headers: [:], clientID: "shop", secret: nil)

        let answers = [try await refusal(post), try await refusal(unknown), try await refusal(missing)]
        let challenged = [
            try await refusal(basic("shop", secret: secret)),
            try await refusal(basic("shop", secret: "wrong")),
            try await refusal(basic("other", secret: secret)),
        ]

        for answer in answers + challenged {
            #expect(answer.status == 401)
            #expect(answer.body == answers[0].body)
        }
        #expect(answers.allSatisfy { $0.headers["WWW-Authenticate"] == nil })
        #expect(
            challenged.allSatisfy { $0.headers["WWW-Authenticate"] == #"Basic realm="Latchkey clients""# }
        )
        #expect(String(decoding: answers[0].body, as: UTF8.self).contains(#""error":"invalid_client""#))
    }

    @Test func `A disabled client can't authenticate until it is enabled again`() async throws {
        let secret = try await server.create()
        func disable(_ isDisabled: Bool) async {
            let patch = #"[{"op": "add", "path": "/latchkey/disabled", "value": \#(isDisabled)}]"#
            #expect(await server.admin.send(.patch, "/admin/clients/shop", patch).status == 200)
        }
        #expect(try await server.accepts(secret))

        await disable(true)
        #expect(try await !server.accepts(secret))
        await disable(false)
        #expect(try await server.accepts(secret))
    }

    @Test(arguments: [nil, "correct horse"])
    func `A client that fails 20 times a minute is limited on this network only`(chosen: String?) async throws
    {
        let secret = try await server.create(chosen.map { #", "client_secret": "\#($0)""# } ?? "")
        for _ in 0..<20 { #expect(try await server.status(secret: "wrong one") == 401) }

        #expect(try await server.status(secret: "wrong one") == 429)
        // A generated secret can't be the result of guesses.
        #expect(try await server.status(secret: secret) == (chosen == nil ? 200 : 429))
        #expect(try await server.status(secret: secret, from: "192.0.2.2") == 200)
        #expect(try await server.status("other", secret: secret) == 401)
        server.time.advance(by: .seconds(60))
        #expect(try await server.status(secret: "wrong one") == 401)
        #expect(try await server.status(secret: secret) == 200)
    }

    @Test func `Unknown clients are limited in the same way`() async throws {
        for _ in 0..<20 { #expect(try await server.status("other", secret: "x") == 401) }

        #expect(try await server.status("other", secret: "x") == 429)
        #expect(try await server.status("another", secret: "x") == 401)
    }

    @Test func `An IPv6 network is limited by its prefixes`() async throws {
        _ = try await server.create()
        for number in 0..<20 {
            #expect(try await server.status(secret: "x", from: "2001:db8:0:1::\(number + 1)") == 401)
        }

        #expect(try await server.status(secret: "x", from: "2001:db8:0:1::99") == 429)
        #expect(try await server.status(secret: "x", from: "2001:db8:0:2::1") == 401)
    }

    @Test func `Concurrent guesses can't exceed the limit`() async throws {
        let secret = try await server.create(#", "client_secret": "correct horse""#)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<60 { group.addTask { try await server.status(secret: "wrong one") } }
            return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }

        #expect(statuses == [401: 20, 429: 40])
        #expect(server.admin.people.hasher.work == 21)
        #expect(try await server.status(secret: secret) == 429)
    }

    @Test func `Successes aren't counted`() async throws {
        let secret = try await server.create(#", "client_secret": "correct horse""#)
        for _ in 0..<30 { #expect(try await server.accepts(secret)) }

        for _ in 0..<20 { #expect(try await server.status(secret: "wrong one") == 401) }
        #expect(try await server.status(secret: "wrong one") == 429)
    }

    @Test func `A chosen secret is hashed once per process, whatever is guessed`() async throws {
        let secret = try await server.create(#", "client_secret": "correct horse""#)
        let hasher = server.admin.people.hasher
        #expect(hasher.work == 1)

        #expect(try await server.status(secret: "wrong one") == 401)
        #expect(hasher.work == 2)
        for _ in 0..<3 { #expect(try await server.accepts(secret)) }
        #expect(hasher.work == 3)
        #expect(try await server.status(secret: "wrong one") == 401)
        #expect(hasher.work == 3)
        let restarted = ClientServer.authenticator(of: server.admin)
        #expect(try await server.status(secret: secret, by: restarted) == 200)
        #expect(hasher.work == 4)
        // A remembered secret isn't accepted after it was replaced.
        let patch = #"[{"op": "replace", "path": "/client_secret", "value": "battery staple"}]"#
        _ = await server.admin.send(.patch, "/admin/clients/shop", patch)
        #expect(try await server.status(secret: secret) == 401)
        #expect(try await server.status(secret: "battery staple") == 200)
    }

    @Test func `An attempt that couldn't be compared isn't counted`() async throws {
        let secret = try await server.create(#", "client_secret": "correct horse""#)
        let hasher = server.admin.people.hasher
        hasher.fail(with: .overloaded(retryAfter: 1))
        for _ in 0..<25 { #expect(try await server.status(secret: "wrong one") == 503) }
        hasher.fail(with: nil)

        #expect(try await server.status(secret: secret) == 200)
    }

    @Test func `An unknown client takes the same statements as a wrong secret`() async throws {
        _ = try await server.create()
        let database = server.admin.people.database
        func work(_ id: String) async throws -> [String] {
            try await database.work {
                let status = try await server.status(id, secret: "x")
                #expect(status == 401)
            }
        }

        // The client isn't cached yet.
        let known = try await work("shop")
        let unknown = try await work("other")
        #expect(known == unknown)
        #expect(server.admin.people.hasher.work == 0)
    }

    @Test func `The limit is a setting`() async throws {
        let server = try await ClientServer { $0.limits.failuresPerClient = [Rate(1, per: .seconds(60))] }

        #expect(try await server.status(secret: "x") == 401)
        #expect(try await server.status(secret: "x") == 429)
    }
}

@Suite struct `Remembered client secrets` {
    private let secrets = VerifiedSecrets(random: SystemRandom())

    @Test func `Only the right secret of a remembered hash matches`() {
        #expect(secrets.matches("a", hash: "h") == nil)
        secrets.remember("a", for: "h")
        #expect(secrets.matches("a", hash: "h") == true)
        #expect(secrets.matches("b", hash: "h") == false)
        #expect(secrets.matches("a", hash: "other") == nil)
    }

    @Test func `The memory is bounded`() {
        for number in 0..<(VerifiedSecrets.mostEntries + 10) { secrets.remember("a", for: "\(number)") }

        #expect(secrets.count == VerifiedSecrets.mostEntries)
        #expect(secrets.matches("a", hash: "\(VerifiedSecrets.mostEntries + 9)") == true)
    }
}
