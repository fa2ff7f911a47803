import LatchkeyModel
import LatchkeyTestKit
import Testing

@testable import LatchkeyCore

@Suite(.timeLimit(.minutes(10))) struct `Superseded logins` {
    @Test(arguments: WayIn.interruptions.filter { $0.1 != .written })
    func `A login fails with the code superseded if another login begins`(
        _ way: WayIn,
        _ place: Interruption
    ) async throws {
        let device = try TestEngine()
        let requests = Locked<Int?>(nil)
        let begin: @Sendable () -> Void = {
            requests.withLock { $0 = device.server.log.count }
            _ = device.engine.keeper.beginAttempt()
        }
        device.arrange(place, begin)
        let task = Task { await way.run(on: device) }
        if place == .pause {
            await device.time.sleepers(atLeast: 1)
            begin()
        }

        let result = await task.value

        #expect(way.reason(for: result.error, at: place)?.code == .superseded)
        #expect(device.server.log.count == requests.withLock { $0 })
        #expect(device.isClean)
        #expect(device.keys.removals == (place == .flow ? [] : [1]))
        #expect(device.store.count(of: .write) == 0)
    }

    @Test(arguments: WayIn.allCases)
    func `A login succeeds if it was stored before another login begins`(_ way: WayIn) async throws {
        let device = try TestEngine()
        device.arrange(.written) { _ = device.engine.keeper.beginAttempt() }

        #expect(await way.run(on: device).error == nil)

        #expect(device.engine.keeper.held != nil && device.store.bytes != nil)
    }

    @Test func `A superseded login can't store its session`() async throws {
        let former = try await TestEngine.loggedIn()
        let stored = try #require(former.engine.keeper.held).stored
        let device = try TestEngine()
        let keeper = device.engine.keeper
        let older = keeper.beginAttempt()
        let newer = keeper.beginAttempt()

        #expect(await outcome { try await keeper.commit(stored, of: older) }.code == .superseded)
        #expect(keeper.held == nil && device.store.bytes == nil)

        #expect(await outcome { try await keeper.commit(stored, of: newer) }.error == nil)
        #expect(keeper.held?.stored == stored && device.store.bytes != nil)
    }

    @Test func `A login that is superseded before its first request sends no requests`() async throws {
        let device = try TestEngine()
        let older = device.engine.keeper.beginAttempt()
        _ = device.engine.keeper.beginAttempt()

        let result = await outcome {
            try await device.engine.flows.signIn(TestAccount.phone, password: "000000", attempt: older)
        }

        #expect(result.code == .superseded)
        #expect(device.server.log == [])
    }

    @Test func `A sign-out takes precedence over a newer login`() async throws {
        let device = try TestEngine()
        let keeper = device.engine.keeper
        let older = keeper.beginAttempt()
        _ = keeper.signOut()
        _ = keeper.beginAttempt()

        let result = await outcome {
            try await device.engine.flows.signIn(TestAccount.phone, password: "000000", attempt: older)
        }

        #expect(result.code == .signedOut)
    }

    /// Begins a login, and then one that no caller waits for.
    private func attempts(
        of keeper: SessionKeeper
    ) async throws -> (explicit: LoginAttempt, background: LoginAttempt) {
        await keeper.ready()
        let explicit = keeper.beginAttempt()
        return (explicit, try #require(keeper.beginAttempt(replacing: nil, persistence: .device)))
    }

    @Test func `A login that no caller waits for isn't stored if a login that began earlier is stored first`()
        async throws
    {
        let stored = try #require(try await TestEngine.loggedIn().engine.keeper.held).stored
        let keeper = try TestEngine().engine.keeper
        let (explicit, background) = try await attempts(of: keeper)

        #expect(await outcome { try await keeper.commit(stored, of: explicit) }.error == nil)

        #expect(await outcome { try await keeper.commit(stored, of: background) }.code == .superseded)
        #expect(keeper.held?.stored == stored)
    }

    @Test func `A login that no caller waits for doesn't end a login that began earlier`() async throws {
        let stored = try #require(try await TestEngine.loggedIn().engine.keeper.held).stored
        let keeper = try TestEngine().engine.keeper
        let (explicit, background) = try await attempts(of: keeper)

        #expect(await outcome { try await keeper.commit(stored, of: background) }.error == nil)
        #expect(await outcome { try await keeper.commit(stored, of: explicit) }.error == nil)
    }

    @Test func `A login that begins ends one that no caller waits for`() async throws {
        let stored = try #require(try await TestEngine.loggedIn().engine.keeper.held).stored
        let device = try TestEngine()
        let keeper = device.engine.keeper
        let background = try #require(keeper.beginAttempt(replacing: nil, persistence: .device))
        _ = keeper.beginAttempt()

        #expect(await outcome { try await keeper.commit(stored, of: background) }.code == .superseded)
    }
}
