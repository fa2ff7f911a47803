import LatchkeyModel
import LatchkeyTestKit
import TestDatabases
import Testing

@Suite("Known networks without recent logins", .onEachDatabase)
struct ForgottenNetworkTests {
    private static let home = "192.0.2.1"

    /// Enters wrong passwords from different networks until the account is locked.
    private func lockOut(_ server: SelfServiceServer) async throws {
        for number in 1...250 {
            let answer = try await server.login(
                "person1@example.org",
                "guess-\(number)",
                from: "198.51.100.\(number)"
            )
            if answer.status == 429 { return }
        }
        Issue.record("The account was not locked.")
    }

    // We don't run the clean-up, so the network's row exists in both cases.
    @Test(arguments: [(89, 200), (91, 429)])
    func `A network stays known for ninety days after the last login`(_ days: Int, _ status: Int) async throws
    {
        let server = try await SelfServiceServer()
        try await server.register()
        #expect(try await server.login(from: Self.home).status == 200)
        server.time.advance(by: .seconds(days * 86_400))
        try await lockOut(server)
        #expect(try await server.login(from: Self.home).status == status)
    }

    @Test func `A login corrects a time that was stored before the clock was set back`() async throws {
        let server = try await SelfServiceServer()
        try await server.register()
        server.time.advance(by: .seconds(400 * 86_400))
        #expect(try await server.login(from: Self.home).status == 200)
        server.time.stepWallClock(by: .seconds(-400 * 86_400))
        #expect(try await server.login(from: Self.home).status == 200)
        server.time.advance(by: .seconds(91 * 86_400))
        try await lockOut(server)
        #expect(try await server.login(from: Self.home).status == 429)
    }
}
