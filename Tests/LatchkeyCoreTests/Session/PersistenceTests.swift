import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import Testing

@testable import LatchkeyCore

@Suite(.timeLimit(.minutes(10))) struct `In-memory logins` {
    @Test func `An in-memory login isn't stored and ends when the app restarts`() async throws {
        let device = try TestEngine()

        let session = try await device.logIn(persistence: .memory)

        #expect(device.engine.keeper.state == .signedIn(session))
        #expect(device.store.isEmpty)
        #expect(device.engine.keeper.storageReport.level == .memory)
        let restarted = try device.restarted()
        await restarted.engine.keeper.ready()
        #expect(restarted.engine.keeper.state == .signedOut)
    }

    @Test func `An in-memory login removes the stored session and its key`() async throws {
        let device = try await TestEngine.loggedIn()

        _ = try await device.logIn(persistence: .memory)

        #expect(device.store.isEmpty)
        #expect(device.keys.living == [2])
        #expect(device.engine.keeper.held?.stored.key.exposed == [2])
    }

    @Test func `An in-memory login also removes a stored session that its store has repaired`() async throws {
        let stored = try #require(try await TestEngine.loggedIn().engine.keeper.held?.stored)
        let store = RepairingStore()
        _ = try store.memory.write(stored.encoded(), basedOn: 0)

        _ = try SessionRecord(store: store).replace(stored, guess: 0, persistence: .memory) { true }

        guard case .absent = store.memory.read() else {
            Issue.record("The earlier login is still stored.")
            return
        }
    }

    @Test func `An in-memory login and a login in another process don't affect each other`() async throws {
        let device = try TestEngine()
        _ = try await device.logIn(persistence: .memory)
        let held = try #require(device.engine.keeper.held)
        let other = try device.restarted()
        await other.engine.keeper.ready()
        #expect(other.engine.keeper.state == .signedOut)

        _ = try await other.logIn()
        await device.engine.keeper.ready(again: true)

        #expect(device.engine.keeper.held?.stored == held.stored)
        #expect(other.engine.keeper.held?.stored.login != held.stored.login)
        #expect(try await device.engine.check().session != nil)
        #expect(other.engine.keeper.held != nil)
    }

    @Test func `Changes to an in-memory session aren't stored`() async throws {
        let device = try TestEngine()
        _ = try await device.logIn(persistence: .memory)
        let held = try #require(device.engine.keeper.held)

        await device.engine.keeper.amend(held) { $0.session.id = "changed" }

        #expect(device.engine.keeper.state.session?.id == "changed")
        #expect(device.store.isEmpty)
    }

    @Test func `Signing out ends an in-memory login immediately`() async throws {
        let device = try TestEngine()
        _ = try await device.logIn(persistence: .memory)

        #expect(device.engine.keeper.signOut() == nil)
        await device.engine.keeper.ready(again: true)

        #expect(device.isClean)
    }

    @Test func `The stored session is kept if the server ends an in-memory session`() async throws {
        let device = try TestEngine()
        _ = try await device.logIn(persistence: .memory)
        let other = try device.restarted()
        let session = try await other.logIn()
        device.server.plan("GET /a/sessions/whoami", .respond(.refusal(401, "session_inactive")))

        _ = try await device.engine.check()

        #expect(!device.store.isEmpty)
        // Because the in-memory session has ended, both processes now use the stored session.
        #expect(device.engine.keeper.state.session == session)
    }

    @Test func `A stored login replaces an in-memory login`() async throws {
        let device = try TestEngine()
        _ = try await device.logIn(persistence: .memory)

        let session = try await device.logIn()

        #expect(!device.store.isEmpty)
        #expect(device.keys.living == [2])
        let restarted = try device.restarted()
        await restarted.engine.keeper.ready()
        #expect(restarted.engine.keeper.state == .signedIn(session))
    }

    @Test func `An in-memory login fails if the stored session can't be removed`() async throws {
        let device = try await TestEngine.loggedIn()
        let held = try #require(device.engine.keeper.held)
        device.store.failRemovals(.failed)

        let result = await outcome { try await device.logIn(persistence: .memory) }

        #expect(result.code == .storageFailed)
        #expect(device.engine.keeper.held?.stored == held.stored)
        #expect(device.keys.living == [1])
    }

    @Test func `Signing out while the stored session is being removed cancels the in-memory login`()
        async throws
    {
        let device = try await TestEngine.loggedIn()
        device.store.during(.remove) { _ = device.engine.keeper.signOut() }

        let result = await outcome { try await device.logIn(persistence: .memory) }

        #expect(result.code == .signedOut)
        #expect(device.isClean)
    }
}

/// A store whose record can't be read until it is repaired, which keeps the record.
private final class RepairingStore: SessionStore {
    let memory = MemoryStore()
    private let isDamaged = Locked(true)
    private static let damage = SessionStoreError(.unreadable, message: "The permissions are wrong.")

    func read() -> StoredRecord {
        isDamaged.withLock(\.self) ? .unavailable(Self.damage) : memory.read()
    }

    func write(_ bytes: [UInt8], basedOn generation: UInt64) throws(SessionStoreError) -> UInt64 {
        guard !isDamaged.withLock(\.self) else { throw Self.damage }
        return try memory.write(bytes, basedOn: generation)
    }

    func remove() throws(SessionStoreError) { try memory.remove() }

    func remove(basedOn generation: UInt64) throws(SessionStoreError) {
        try memory.remove(basedOn: generation)
    }

    func removeUnreadable() { isDamaged.withLock { $0 = false } }
}
