import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Login with a password` {
    @Test(arguments: ["person1@example.org", " Person1@Example.ORG ", "+46701000001", "+46 70 100-00-01"])
    func `The correct password creates a session`(_ identifier: String) async throws {
        let server = try await SelfServiceServer()
        try await server.register()
        let answer = try await server.login(identifier)
        #expect(answer.status == 200)
        #expect(answer.response.headers["Content-Type"] == "application/json; charset=utf-8")
        #expect(
            answer.response.headers["Cache-Control"] == "private, no-cache, no-store, must-revalidate"
        )
        #expect(Set(answer.body.members?.keys ?? [:].keys) == ["session_token", "session", "continue_with"])
        #expect(answer["continue_with"] == .null)
        let token = try #require(answer["session_token"]?.text)
        #expect(token.hasPrefix("lk_st_"))
        #expect(token.utf8.count == 38)
        let whoami = await server.get("/sessions/whoami", token: token)
        #expect(whoami.body == answer["session"])
        #expect(server.reported.withLock { $0 } == [])
    }

    @Test(arguments: ["application/json", "application/x-www-form-urlencoded"])
    func `Spaces and upper case in a password matter`(_ type: String) async throws {
        let server = try await SelfServiceServer()
        let password = " Correct-Horse-7-battery"
        #expect(try await server.register(password: password).status == 200)
        func login(_ password: String) async throws -> Answer {
            if type == "application/json" { return try await server.login("person1@example.org", password) }
            let fields = [
                ("method", "password"), ("identifier", "person1@example.org"), ("password", password),
            ]
            var request = HTTP.Request(form: fields, to: "/a/self-service/login")
            request.query = "flow=" + (await server.begin(.login))
            return await server.send(request)
        }
        for other in [String(password.dropFirst()), password.lowercased()] {
            let refused = try await login(other)
            #expect(refused.status == 400)
            #expect(refused.messages == [.invalidCredentials])
        }
        #expect(try await login(password).status == 200)
    }

    @Test func `A password is still accepted after ten years`() async throws {
        let server = try await SelfServiceServer()
        try await server.register()
        await server.messagesAreSent()
        server.time.advance(by: .seconds(3653 * 86_400))
        let answer = try await server.login()
        #expect(answer.status == 200)
        // The user doesn't have to change the password before the session can be used.
        #expect(answer["continue_with"] == .null)
        #expect(await server.isAlive(answer.sessionToken))
    }

    @Test func `The shared type can decode the response`() async throws {
        let server = try await SelfServiceServer()
        try await server.register()
        let answer = try await server.login()
        let body = try JSONCoding.decode(AuthenticationBody.self, from: answer.response.body)
        let session = try #require(body.session)
        #expect(session.active)
        #expect(session.authenticationMethods?.map(\.method) == ["password"])
        #expect(session.identity?.schemaID == "person")
        #expect(session.identity?.verifiableAddresses?.map(\.via) == ["email", "sms"])
        #expect(session.identity?.recoveryAddresses?.map(\.value) == ["person1@example.org"])
        #expect(session.devices?.first?.ipAddress == "192.0.2.1:40000")
    }

    @Test(
        arguments: [
            (["method": "password"], ["identifier": [.missing], "password": [.missing]]),
            (["method": "password", "identifier": "a"], ["identifier": [], "password": [.missing]]),
            (
                ["method": "password", "identifier": "a", "password": ""],
                ["identifier": [], "password": [.missing]]
            ),
            (["method": "password", "password": "a"], ["identifier": [.missing], "password": []]),
            (
                ["method": "password", "identifier": .null, "password": .null],
                ["identifier": [.missing], "password": [.missing]]
            ),
            (
                ["method": "password", "identifier": .object([:]), "password": .integer(5)],
                ["identifier": [.wrongType], "password": [.wrongType]]
            ),
        ] as [([String: JSONValue], [String: [MessageID]])]
    ) func `Invalid fields are reported`(
        _ body: [String: JSONValue],
        _ refusals: [String: [MessageID]]
    ) async throws {
        let server = try await SelfServiceServer()
        let answer = try await server.submit(.login, await server.begin(.login), .object(body))
        #expect(answer.status == 400)
        #expect(answer.messages.isEmpty)
        for (field, numbers) in refusals { #expect(answer.messages(field) == numbers, "\(field)") }
        #expect(answer.value("identifier") == (body["identifier"] == "a" ? "a" : ""))
        #expect(answer.value("password") == nil)
    }

    @Test func `A wrong password and an unknown account are rejected in the same way`() async throws {
        let server = try await SelfServiceServer()
        try await server.register()
        func refused(_ identifier: String) async throws -> (Answer, CountingDatabase.Counts, Int) {
            let flow = await server.begin(.login)
            let before = server.hasher.work
            let answer = Locked<Answer?>(nil)
            let counts = try await server.database.counts {
                let given = try await server.submit(
                    .login,
                    flow,
                    .object([
                        "method": "password", "identifier": .string(identifier), "password": "wrong-password",
                    ])
                )
                answer.withLock { $0 = given }
            }
            return (try #require(answer.withLock { $0 }), counts, server.hasher.work - before)
        }
        let known = try await refused("person1@example.org")
        let unknown = try await refused("person2@example.org")
        for (answer, counts, work) in [known, unknown] {
            #expect(answer.status == 400)
            #expect(answer.messages == [.invalidCredentials])
            #expect(counts == CountingDatabase.Counts(reads: 2, transactions: 3))
            #expect(work == 1)
        }
        #expect(known.0.response.body.count == unknown.0.response.body.count)
        #expect(known.0["ui"]?["messages"] == unknown.0["ui"]?["messages"])
    }

    @Test func `An account without a password is rejected as if the password were wrong`() async throws {
        let server = try await SelfServiceServer()
        try await server.register()
        try await server.resources.database.transaction { _ = try $0.execute("DELETE FROM passwords") }
        #expect(try await server.login().messages == [.invalidCredentials])
    }

    @Test func `A disabled account is only reported if the password is correct`() async throws {
        let server = try await SelfServiceServer()
        try await server.register()
        try await server.resources.database.transaction {
            _ = try $0.execute("UPDATE identities SET state = 'inactive'")
        }
        #expect(try await server.login().messages == [.identityDisabled])
        #expect(
            try await server.login("person1@example.org", "wrong-password").messages == [.invalidCredentials]
        )
    }

    @Test func `The login delay grows with each failure after the fifth, even for unknown accounts`()
        async throws
    {
        for identifier in ["person1@example.org", "person9@example.org"] {
            let server = try await SelfServiceServer()
            try await server.register()
            for _ in 0..<5 {
                #expect(
                    try await server.login(identifier, "wrong-password").messages == [.invalidCredentials]
                )
            }
            // The correct password is also rejected until the delay has passed. Otherwise, the response would
            // reveal that the guess was correct.
            let work = server.hasher.work
            for password in ["wrong-password", SelfServiceServer.password] {
                let refused = try await server.login(identifier, password)
                #expect(refused.status == 429)
                #expect(refused.errorID == .tooManyRequests)
                #expect(refused.response.headers["Retry-After"] == "60")
                #expect(refused.response.headers["Content-Type"] == "application/json")
            }
            #expect(server.hasher.work == work)
            server.time.advance(by: .seconds(60))
            #expect(try await server.login(identifier, "wrong-password").messages == [.invalidCredentials])
            #expect(try await server.login(identifier).response.headers["Retry-After"] == "120")
        }
    }

    @Test func `A successful login resets the failed attempts from its network`() async throws {
        let server = try await SelfServiceServer()
        try await server.register()
        for _ in 0..<4 { _ = try await server.login("person1@example.org", "wrong-password") }
        for _ in 0..<3 { #expect(try await server.login().status == 200) }
        for _ in 0..<4 {
            #expect(try await server.login("+46701000001", "wrong-password").status == 400)
        }
        #expect(try await server.login("person1@example.org", "wrong-password").status == 400)
        #expect(try await server.login().status == 429)
    }

    @Test func `Logins are limited per network`() async throws {
        let server = try await SelfServiceServer()
        for number in 0..<100 { _ = try await server.login("person\(number % 10)@example.org", "x") }
        #expect(try await server.login("person1000@example.org", "x").status == 429)
        #expect(try await server.login("person1000@example.org", "x", from: "192.0.2.2").status == 400)
    }

    @Test func `Logins return 503 and aren't counted while the hasher is overloaded`() async throws {
        let server = try await SelfServiceServer()
        try await server.register()
        server.hasher.fail(with: .overloaded(retryAfter: 3))
        for _ in 0..<10 {
            let answer = try await server.login()
            #expect(answer.status == 503)
            #expect(answer.response.headers["Retry-After"] == "3")
        }
        server.hasher.fail(with: nil)
        #expect(try await server.login().status == 200)
    }

    @Test func `A successful login upgrades an outdated hash`() async throws {
        let server = try await SelfServiceServer()
        try await server.register()
        try await server.resources.database.transaction {
            _ = try $0.execute("UPDATE passwords SET hash = 'quick1:' || substr(hash, 8)")
        }
        func hash() async throws -> String {
            try await server.resources.database.rows("SELECT hash FROM passwords").first?.text(0) ?? ""
        }
        #expect(try await hash().hasPrefix("quick1:"))
        _ = try await server.login("person1@example.org", "wrong-password")
        #expect(try await hash().hasPrefix("quick1:"))
        #expect(try await server.login().status == 200)
        #expect(try await hash().hasPrefix("quick2:"))
        #expect(try await server.login().status == 200)
    }

    @Test func `Submitting the same flow concurrently creates only one session`() async throws {
        let server = try await SelfServiceServer()
        try await server.register()
        let flow = await server.begin(.login)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try await server.submit(
                        .login,
                        flow,
                        .object([
                            "method": "password", "identifier": "person1@example.org",
                            "password": .string(SelfServiceServer.password),
                        ]),
                        from: "192.0.2.\(Int.random(in: 1...200))"
                    ).status
                }
            }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(statuses.filter { $0 == 200 }.count == 1)
        // Concurrent attempts count as failures until they have been checked, so some of them have to wait.
        #expect(Set(statuses).isSubset(of: [200, 410, 429]))
        let sessions = try await server.resources.database.rows("SELECT COUNT(*) FROM sessions")
        #expect(try sessions.first?.integer(0) == 2)
    }

    @Test func `A login is rejected if the password, identifier or state changes during the request`()
        async throws
    {
        let server = try await SelfServiceServer()
        let registered = try await server.register()
        let text = try #require(registered["identity"]?["id"]?.text)
        let identity = try #require(Identifier(text))
        let (mail, hash) = ("person1@example.org", "quick2:" + String(SelfServiceServer.password.reversed()))
        let isConfirmed = try await server.resources.database.transaction { transaction in
            var answers: [Bool] = []
            for (identifier, hash, state) in [
                (mail, hash, "active"), (mail, "quick2:x", "active"), ("other@example.org", hash, "active"),
                (mail, hash, "inactive"),
            ] {
                _ = try transaction.execute("UPDATE identities SET state = $1", .text(state))
                let isConfirmed = try IdentityRepository.confirm(
                    identity,
                    identifier: identifier,
                    passwordHash: hash,
                    in: transaction
                )
                answers.append(isConfirmed)
            }
            return answers
        }
        #expect(isConfirmed == [true, false, false, false])
    }
}
