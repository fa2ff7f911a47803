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
    ]

    @Test(arguments: rejected.indices)
    func `A network can have a limited number of forms stored`(index: Int) async throws {
        let server = try await server()
        let (kind, body) = Self.rejected[index]
        for _ in 0..<3 {
            #expect(try await server.submit(kind, await server.begin(kind), body).status == 400)
        }
        let before = try await server.count("flows")
        let refused = try await server.submit(kind, await server.begin(kind), body)
        #expect(refused.status == 429)
        #expect(refused.response.headers["Retry-After"] == "3600")
        #expect(try await server.count("flows") == before)
        // Other networks, and submissions without errors, aren't affected.
        let other = try await server.submit(kind, await server.begin(kind), body, from: "203.0.113.1")
        #expect(other.status == 400)
        let valid = JSONValue.object([
            "method": "password", "password": .string(SelfServiceServer.password),
            "traits": SelfServiceServer.traits(7),
        ])
        let registered = try await server.submit(.registration, await server.begin(.registration), valid)
        #expect(registered.status != 429)
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
