import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

/// A wait that wrong passwords have caused protects the password.
///
/// It ends when the password is replaced, or when the user shows that they need no guess.
@Suite(.onEachDatabase) struct `Waits after wrong passwords` {
    private static let email = "person1@example.org"
    private static let home = "198.51.100.1"
    private static let away = "203.0.113.1"
    private static let fresh = "another-Horse-7-battery"

    /// A server on which wrong passwords keep the user waiting on two networks.
    private func server(
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) async throws -> SelfServiceServer {
        let server = try await SelfServiceServer(change)
        try await server.register()
        try await server.confirmAll()
        try await server.forgetKnownNetworks()
        for host in [Self.home, Self.away] {
            for _ in 0..<6 { _ = try await server.login(Self.email, "wrong", from: host) }
            #expect(try await server.login(from: host).status == 429)
        }
        return server
    }

    /// Enters a code from the home network.
    private func enter(_ kind: FlowKind, on server: SelfServiceServer) async throws -> Answer {
        let flow = try #require(try await server.flow(kind, sendingCodeTo: Self.email, from: Self.home))
        let code = JSONValue.string(try await server.code(for: Self.email))
        return try await server.submitCode(kind, flow, ["code": code], from: Self.home)
    }

    @Test func `A recovery ends the waits on all networks`() async throws {
        let server = try await server()
        let recovered = try await enter(.recovery, on: server)
        #expect(recovered.sessionToken != nil)
        for host in [Self.home, Self.away] { #expect(try await server.login(from: host).status == 200) }
    }

    @Test func `A second recovery on the same day ends the waits again`() async throws {
        let server = try await server()
        for round in 1...2 {
            if round == 2 {
                server.time.advance(by: .seconds(60))
                for _ in 0..<6 { _ = try await server.login(Self.email, "wrong", from: Self.away) }
                #expect(try await server.login(from: Self.away).status == 429)
            }
            #expect(try await enter(.recovery, on: server).sessionToken != nil)
            #expect(try await server.login(from: Self.away).status == 200)
        }
    }

    @Test func `Wrong passwords lead to waits again even if the clock was set back after a recovery`()
        async throws
    {
        let server = try await server()
        #expect(try await enter(.recovery, on: server).sessionToken != nil)
        server.time.stepWallClock(by: .seconds(-7200))
        var statuses: [Int] = []
        for _ in 0..<8 {
            server.time.advance(by: .seconds(1))
            statuses.append(try await server.login(Self.email, "wrong", from: "198.51.100.9").status)
            // The corrected time of the recovery is stored in the background.
            await server.assembly.accounts.limiter.finish()
        }
        #expect(statuses.last == 429, "\(statuses)")
    }

    @Test func `A new password ends the waits on all networks`() async throws {
        let server = try await server()
        let token = try #require(try await server.login(from: "192.0.2.77").sessionToken)
        #expect(try await server.change(password: Self.fresh, token: token).status == 200)
        for host in [Self.home, Self.away] {
            #expect(try await server.login(Self.email, Self.fresh, from: host).status == 200)
        }
    }

    @Test func `A login by code ends the wait on its network only`() async throws {
        let server = try await server()
        #expect(try await enter(.login, on: server).status == 200)
        #expect(try await server.login(from: Self.home).status == 200)
        #expect(try await server.login(from: Self.away).status == 429)
    }

    @Test func `A sign-up that logs in to the existing account ends the wait on its network only`()
        async throws
    {
        let server = try await server { $0.registration.existingAccount = .logIn }
        let flow = await server.begin(.registration)
        let traits: [String: JSONValue] = ["traits": SelfServiceServer.traits()]
        _ = try await server.submitCode(.registration, flow, traits, from: Self.home)
        let code = JSONValue.string(try await server.code(for: Self.email))
        let body = traits.merging(["code": code]) { own, _ in own }
        let entered = try await server.submitCode(.registration, flow, body, from: Self.home)
        #expect(entered.sessionToken != nil, "\(entered.body)")
        #expect(try await server.login(from: Self.home).status == 200)
        #expect(try await server.login(from: Self.away).status == 429)
    }

    @Test func `A new wait begins after as many wrong passwords as before`() async throws {
        let server = try await server()
        _ = try await enter(.recovery, on: server)
        server.time.advance(by: .seconds(1))
        for _ in 0..<5 { #expect(try await server.login(Self.email, "wrong", from: Self.away).status == 400) }
        #expect(try await server.login(Self.email, "wrong", from: Self.away).status == 429)
    }

    @Test func `The daily limit stays after a recovery`() async throws {
        let server = try await server()
        // Ten failures were counted for the account so far.
        for number in 10..<60 {
            let host = "10.0.\(number).1"
            #expect(try await server.login(Self.email, "wrong", from: host).status == 400)
        }
        _ = try await enter(.recovery, on: server)
        #expect(try await server.login(from: Self.home).status == 200)
        #expect(try await server.login(from: Self.away).status == 429)
    }

    @Test func `A client that only requests codes ends no waits`() async throws {
        let server = try await server()
        for kind in [FlowKind.recovery, .login] {
            let flow = try #require(try await server.flow(kind, sendingCodeTo: Self.email, from: Self.home))
            _ = try await server.submitCode(kind, flow, ["code": "000000"], from: Self.home)
            server.time.advance(by: .seconds(1))
            #expect(try await server.login(from: Self.home).status == 429)
            server.time.advance(by: .seconds(30))
        }
    }
}
