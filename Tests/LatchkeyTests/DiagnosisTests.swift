import Latchkey
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Device diagnosis` {
    @Test func `Diagnosing a working device reports no problems`() async throws {
        let app = try await TestApp.loggedIn()

        let diagnosis = await app.client.diagnose()

        #expect(diagnosis.problems == [])
        #expect(diagnosis.storage.level == .memory)
        #expect(diagnosis.session.session != nil)
        let certificate = try #require(diagnosis.certificate)
        #expect(certificate.renewalDate < certificate.notAfter)
        let server = try diagnosis.server.get()
        #expect(server.contract == 1 && server.version != nil && server.clockAhead == .zero)
    }

    @Test(
        arguments: [(-3600, "behind"), (-61, "behind"), (0, nil), (59, nil), (7200, "ahead of")]
            as [(Int, String?)]
    )
    func `A wrong clock is reported`(_ seconds: Int, _ side: String?) async throws {
        let app = try await TestApp.withAccessTokens(clockSkew: .seconds(seconds))

        let diagnosis = await app.client.diagnose()

        #expect(try diagnosis.server.get().clockAhead == .seconds(seconds))
        let expected = side.map { ["This device's clock is \(abs(seconds)) s \($0) the server's."] } ?? []
        #expect(diagnosis.problems == expected)
    }

    @Test func `A server that is down, failing or not an identity server is reported`() async throws {
        let app = try await TestApp.loggedIn()
        app.network.inject(.unreachable, on: .get, "/version")
        #expect(await app.client.diagnose().problems.count == 1)
        app.network.inject(.respond(503), on: .get, "/version")
        #expect(await app.client.diagnose().problems.count == 1)
        app.network.inject(.respond(404), on: .get, "/version")
        let other = await app.client.diagnose()
        #expect(other.problems == [])
        #expect(try other.server.get().contract == nil)
    }

    @Test func `A server with a different contract version is reported`() async throws {
        let app = try await TestApp.loggedIn()
        app.network.inject(
            .respond(.json(200, #"{"version":"9.0.0","contract":2}"#)),
            on: .get,
            "/version"
        )

        #expect(await app.client.diagnose().problems.map { $0.contains("contract 2") } == [true])
    }

    @Test func `An unreadable store is reported and does not end the session`() async throws {
        let app = try await TestApp.withAccessTokens()
        let restarted = try app.restarted()
        app.store.failReads(.locked)
        let unread = try app.restarted()

        #expect(await unread.client.diagnose().problems.map { $0.contains("cannot be read") } == [true])
        app.store.failReads(nil)
        #expect(await restarted.client.diagnose().problems == [])
        #expect(restarted.isLoggedIn)
    }

    @Test func `A store that detects changes only by polling is reported`() async throws {
        let app = try TestApp(try await TestServer(), store: Polled())

        #expect(await app.client.diagnose().problems == [Polled.problem])
    }

    @Test func `An expired certificate is reported`() async throws {
        let app = try await TestApp.loggedIn(certificateLifespan: .seconds(3600))
        app.server.time.advance(by: .seconds(3601))

        #expect(await app.client.diagnose().problems.map { $0.contains("certificate expired") } == [true])
    }
}

/// A store whose changes are detected with a delay.
private struct Polled: SessionStore {
    static let problem = "The system has no watches left."

    private let memory = MemoryStore()

    func read() -> StoredRecord { memory.read() }

    func write(_ bytes: [UInt8], basedOn generation: UInt64) throws(SessionStoreError) -> UInt64 {
        try memory.write(bytes, basedOn: generation)
    }

    func remove() throws(SessionStoreError) {
        try memory.remove()
    }

    func remove(basedOn generation: UInt64) throws(SessionStoreError) {
        try memory.remove(basedOn: generation)
    }

    func watch(_ onChange: @escaping @Sendable () -> Void) -> StoreWatch? {
        StoreWatch(problem: Self.problem) {}
    }
}
