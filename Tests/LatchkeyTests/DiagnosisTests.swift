import Latchkey
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import Testing

@Suite(.timeLimit(.minutes(10))) struct `A diagnosis` {
    @Test func `of a device that is well says so`() async throws {
        let handset = try await Handset.loggedIn()

        let diagnosis = await handset.client.diagnose()

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
    func `finds a clock that is wrong`(_ seconds: Int, _ side: String?) async throws {
        let shopper = try await Shopper.loggedIn(clockOff: .seconds(seconds))

        let diagnosis = await shopper.client.diagnose()

        #expect(try diagnosis.server.get().clockAhead == .seconds(seconds))
        let expected = side.map { ["This device's clock is \(abs(seconds)) s \($0) the server's."] } ?? []
        #expect(diagnosis.problems == expected)
    }

    @Test func `tells a server that cannot be reached, is in trouble, or is of another make`() async throws {
        let handset = try await Handset.loggedIn()
        handset.transport.inject(.unreachable, on: .get, "/version")
        #expect(await handset.client.diagnose().problems.count == 1)
        handset.transport.inject(.answer(503), on: .get, "/version")
        #expect(await handset.client.diagnose().problems.count == 1)
        handset.transport.inject(.answer(404), on: .get, "/version")
        let other = await handset.client.diagnose()
        #expect(other.problems == [])
        #expect(try other.server.get().contract == nil)
    }

    @Test func `tells a server of another contract`() async throws {
        let handset = try await Handset.loggedIn()
        let body = Array(#"{"version":"9.0.0","contract":2}"#.utf8)
        handset.transport.inject(.answer(HTTPResponse(200, body: body)), on: .get, "/version")

        #expect(await handset.client.diagnose().problems.map { $0.contains("contract 2") } == [true])
    }

    @Test func `tells a store that cannot be read, and ends nothing`() async throws {
        let shopper = try await Shopper.loggedIn()
        let restarted = try shopper.another()
        shopper.store.failReads(.locked)
        let unread = try shopper.another()

        #expect(await unread.client.diagnose().problems.map { $0.contains("cannot be read") } == [true])
        shopper.store.failReads(nil)
        #expect(await restarted.client.diagnose().problems == [])
        #expect(restarted.isLoggedIn)
    }

    @Test func `tells that changes by other processes are noticed late`() async throws {
        let handset = try Handset(try await TestServer(), store: Polled())

        #expect(await handset.client.diagnose().problems == [Polled.problem])
    }

    @Test func `tells a certificate that is over`() async throws {
        let handset = try await Handset.loggedIn(certificateLifespan: .seconds(3600))
        handset.server.time.advance(by: .seconds(3601))

        #expect(await handset.client.diagnose().problems.map { $0.contains("certificate expired") } == [true])
    }
}

/// A store whose changes are noticed late.
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
