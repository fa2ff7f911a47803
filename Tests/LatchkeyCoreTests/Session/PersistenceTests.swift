import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import Testing

@testable import LatchkeyCore

@Suite(.timeLimit(.minutes(10))) struct `Logins of one process` {
    @Test func `A login of one process is not stored, and a restart signs the user out`() async throws {
        let device = try TestEngine()

        let session = try await device.logIn(persistence: .process)

        #expect(device.engine.keeper.state == .signedIn(session))
        #expect(device.store.isEmpty)
        #expect(device.engine.keeper.storageReport.level == .memory)
        let restarted = try device.restarted()
        await restarted.engine.keeper.ready()
        #expect(restarted.engine.keeper.state == .signedOut)
    }

    @Test func `A login of one process removes the stored session and its key`() async throws {
        let device = try await TestEngine.loggedIn()

        _ = try await device.logIn(persistence: .process)

        #expect(device.store.isEmpty)
        #expect(device.keys.living == [2])
        #expect(device.engine.keeper.held?.stored.key.exposed == [2])
    }

    @Test func `Another process does not see the login, and its own login has no effect on it`() async throws
    {
        let device = try TestEngine()
        _ = try await device.logIn(persistence: .process)
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

    @Test func `Changes of the session remain in the process`() async throws {
        let device = try TestEngine()
        _ = try await device.logIn(persistence: .process)
        let held = try #require(device.engine.keeper.held)

        await device.engine.keeper.amend(held) { $0.session.id = "changed" }

        #expect(device.engine.keeper.state.session?.id == "changed")
        #expect(device.store.isEmpty)
    }

    @Test func `A sign-out ends the login of a process at once`() async throws {
        let device = try TestEngine()
        _ = try await device.logIn(persistence: .process)

        #expect(device.engine.keeper.signOut() == nil)
        await device.engine.keeper.ready(again: true)

        #expect(device.isClean)
    }

    @Test func `A verdict of the server ends the login of a process, not that of another one`() async throws {
        let device = try TestEngine()
        _ = try await device.logIn(persistence: .process)
        let other = try device.restarted()
        let session = try await other.logIn()
        device.server.plan("GET /a/sessions/whoami", .answer(.refusal(401, "session_inactive")))

        _ = try await device.engine.check()

        #expect(!device.store.isEmpty)
        // The session in the store is now that of both processes.
        #expect(device.engine.keeper.state.session == session)
    }

    @Test func `A stored login replaces the login of a process`() async throws {
        let device = try TestEngine()
        _ = try await device.logIn(persistence: .process)

        let session = try await device.logIn()

        #expect(!device.store.isEmpty)
        #expect(device.keys.living == [2])
        let restarted = try device.restarted()
        await restarted.engine.keeper.ready()
        #expect(restarted.engine.keeper.state == .signedIn(session))
    }

    @Test func `A login of one process fails if the stored session cannot be removed`() async throws {
        let device = try await TestEngine.loggedIn()
        let held = try #require(device.engine.keeper.held)
        device.store.failRemovals(.failed)

        let result = await outcome { try await device.logIn(persistence: .process) }

        #expect(result.code == .storageFailed)
        #expect(device.engine.keeper.held?.stored == held.stored)
        #expect(device.keys.living == [1])
    }

    @Test func `A sign-out while the stored session is removed stops the login of a process`() async throws {
        let device = try await TestEngine.loggedIn()
        device.store.during(.remove) { _ = device.engine.keeper.signOut() }

        let result = await outcome { try await device.logIn(persistence: .process) }

        #expect(result.code == .signedOut)
        #expect(device.isClean)
    }
}
