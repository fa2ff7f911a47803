import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Limit on stored forms` {
    private func server() async throws -> SelfServiceServer {
        try await SelfServiceServer {
            $0.registration.style = .profileFirst
            $0.limits.formsPerAddress = [Rate(3, per: .seconds(3600))]
        }
    }

    /// Submissions that are rejected before any other limit applies.
    static let rejected: [(kind: FlowKind, body: JSONValue)] = [
        (.registration, ["method": "password", "traits": ["email": "not an address"], "password": "x"]),
        (.registration, ["method": "profile", "traits": ["email": "not an address"]]),
        (.registration, ["method": "profile", "traits": ["email": "person1@example.org"]]),
        (.recovery, ["method": "code", "email": "not an address"]),
        (.verification, ["method": "code", "email": "not an address"]),
        (.login, ["method": "code"]),
        // There is no code yet, so no guess is counted.
        (.verification, ["method": "code", "code": "000000"]),
        (.login, ["method": "code", "identifier": "x"]),
    ]

    private struct EveryPassword: BreachedPasswords {
        func occurrences(of password: Secret) async throws -> Int { 1 }
    }

    @Test(arguments: rejected.indices)
    func `A network can have a limited number of forms stored`(index: Int) async throws {
        let server = try await server()
        let (kind, body) = Self.rejected[index]
        for _ in 0..<3 {
            #expect(try await server.submit(kind, await server.begin(kind), body).status != 429)
        }
        let before = try await server.count("flows")
        let refused = try await server.submit(kind, await server.begin(kind), body)
        #expect(refused.status == 429)
        #expect(refused.response.headers["Retry-After"] == "3600")
        #expect(try await server.count("flows") == before)
        // Other networks, and submissions without errors, aren't affected.
        let other = try await server.submit(kind, await server.begin(kind), body, from: "203.0.113.1")
        #expect(other.status != 429)
        let valid = JSONValue.object([
            "method": "password", "password": .string(SelfServiceServer.password),
            "traits": SelfServiceServer.traits(7),
        ])
        let registered = try await server.submit(.registration, await server.begin(.registration), valid)
        #expect(registered.status != 429)
    }

    @Test func `A registration with a breached password counts as a registration`() async throws {
        let server = try await SelfServiceServer(breaches: EveryPassword()) {
            $0.limits.registrationsPerAddress = [Rate(3, per: .seconds(3600))]
        }
        for _ in 0..<3 { #expect(try await server.register().status == 400) }
        let before = try await server.count("flows")
        #expect(try await server.register().status == 429)
        #expect(try await server.count("flows") == before)
    }

    @Test(arguments: [FlowKind.login, .registration, .recovery, .verification])
    func `The replacements of expired flows count`(kind: FlowKind) async throws {
        let server = try await server()
        let flow = await server.begin(kind)
        server.time.advance(by: .seconds(86_400))
        let body: JSONValue = ["method": "code"]
        for _ in 0..<3 { #expect(try await server.submit(kind, flow, body).status != 429) }
        let before = try await server.count("flows")
        #expect(try await server.submit(kind, flow, body).status == 429)
        #expect(try await server.count("flows") == before)
    }

    @Test(arguments: [FlowKind.login, .recovery, .verification])
    func `A guess at a code that has expired counts as a form`(kind: FlowKind) async throws {
        let server = try await SelfServiceServer {
            $0.flows.lifespan = .seconds(86_400)
            $0.limits.formsPerAddress = [Rate(3, per: .seconds(3600))]
        }
        let flow = await server.begin(kind)
        _ = try await server.sendCode(kind, flow, to: "person1@example.org")
        server.time.advance(by: .seconds(7200))
        for _ in 0..<3 {
            #expect(try await server.submitCode(kind, flow, ["code": "000000"]).status != 429)
        }
        #expect(try await server.submitCode(kind, flow, ["code": "000000"]).status == 429)
    }

    /// Requests a registration code and returns the flow and the submission of a code.
    private func codeRegistration(
        on server: SelfServiceServer
    ) async throws -> (flow: String, guess: [String: JSONValue]) {
        let flow = await server.begin(.registration)
        let traits: [String: JSONValue] = ["traits": SelfServiceServer.traits()]
        _ = try await server.submitCode(.registration, flow, traits)
        let code = try await server.code(for: "person1@example.org")
        return (flow, traits.merging(["code": .string(code)]) { own, _ in own })
    }

    @Test func `A guess at a registration code that has expired counts as a form`() async throws {
        let server = try await SelfServiceServer {
            $0.flows.lifespan = .seconds(86_400)
            $0.limits.formsPerAddress = [Rate(3, per: .seconds(3600))]
        }
        let (flow, guess) = try await codeRegistration(on: server)
        server.time.advance(by: .seconds(7200))
        for _ in 0..<3 { #expect(try await server.submitCode(.registration, flow, guess).status == 400) }
        #expect(try await server.submitCode(.registration, flow, guess).status == 429)
    }

    @Test func `A sign-up with a code to a proven address counts as a form`() async throws {
        let server = try await SelfServiceServer {
            $0.limits.formsPerAddress = [Rate(3, per: .seconds(3600))]
        }
        try await server.register()
        try await server.confirmAll()
        let (flow, guess) = try await codeRegistration(on: server)
        for _ in 0..<3 { #expect(try await server.submitCode(.registration, flow, guess).status == 400) }
        #expect(try await server.submitCode(.registration, flow, guess).status == 429)
    }

    @Test(arguments: [FlowKind.login, .recovery, .verification])
    func `A wrong code that counts as a guess doesn't count as a form`(kind: FlowKind) async throws {
        let server = try await SelfServiceServer {
            $0.limits.formsPerAddress = [Rate(1, per: .seconds(3600))]
        }
        let flow = await server.begin(kind)
        _ = try await server.sendCode(kind, flow, to: "person1@example.org")
        for _ in 0..<4 {
            #expect(try await server.submitCode(kind, flow, ["code": "000000"]).status != 429)
        }
    }

    @Test func `The forms of a user with a session don't count`() async throws {
        let server = try await server()
        let token = try #require(try await server.register().sessionToken)
        for _ in 0..<5 {
            let body: JSONValue = ["method": "profile", "traits": ["email": "not an address"]]
            let answer = try await server.submit(
                .settings,
                await server.begin(.settings, token: token),
                body,
                token: token
            )
            #expect(answer.status == 400)
        }
    }
}
