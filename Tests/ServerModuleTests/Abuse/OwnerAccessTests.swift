import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

/// For a week, an attacker deliberately fails to log in, trying to lock out the owner of the account.
@Suite(.onEachDatabase) struct `An account that is under attack for a week` {
    private static let email = "person1@example.org"
    private static let known = "192.0.2.1"

    @Test func `The owner can log in from a known network with every method`() async throws {
        let server = try await SelfServiceServer()
        try await server.register()
        try await server.confirmAll()
        var entries: [FlowKind: Int] = [:]
        for hour in 0..<(7 * 24) {
            try await attack(server, hour)
            switch hour % 24 {
            case 5, 11, 17, 23:
                #expect(try await server.login(from: Self.known).status == 200, "hour \(hour)")
            case 8: entries[.login, default: 0] += try await enter(.login, server) ? 1 : 0
            case 14: entries[.verification, default: 0] += try await enter(.verification, server) ? 1 : 0
            case 20: entries[.recovery, default: 0] += try await enter(.recovery, server) ? 1 : 0
            default: break
            }
            server.time.advance(by: .seconds(3600))
        }
        #expect(entries == [.login: 7, .verification: 7, .recovery: 7])
    }

    @Test func `The owner has to wait on a network that the account doesn't know`() async throws {
        let server = try await SelfServiceServer()
        try await server.register()
        try await server.confirmAll()
        for hour in 0..<20 {
            try await attack(server, hour)
            server.time.advance(by: .seconds(3600))
        }
        #expect(try await server.login(from: "203.0.113.1").status == 429)
        #expect(try await !enter(.recovery, server, from: "203.0.113.1"))
    }

    /// Submits wrong passwords and wrong codes in every flow.
    ///
    /// The attacker switches to another network every hour.
    private func attack(_ server: SelfServiceServer, _ hour: Int) async throws {
        for network in 0..<3 {
            let host = "198.51.100.\((hour * 3 + network) % 250)"
            for guess in 0..<3 { _ = try await server.login(Self.email, "wrong-\(guess)", from: host) }
            for kind in [FlowKind.login, .recovery, .verification] {
                guard let flow = try await server.flow(kind, sendingCodeTo: Self.email, from: host) else {
                    continue
                }
                for _ in 0..<2 {
                    _ = try await server.submitCode(kind, flow, ["code": "000000"], from: host)
                }
            }
            server.time.advance(by: .seconds(31))
        }
    }

    /// Requests a code and submits it.
    ///
    /// Returns whether the login succeeded.
    private func enter(
        _ kind: FlowKind,
        _ server: SelfServiceServer,
        from host: String = known
    ) async throws -> Bool {
        guard let flow = try await server.flow(kind, sendingCodeTo: Self.email, from: host) else {
            return false
        }
        let code = try await server.code(for: Self.email)
        return try await server.submitCode(kind, flow, ["code": .string(code)], from: host).status == 200
    }
}
