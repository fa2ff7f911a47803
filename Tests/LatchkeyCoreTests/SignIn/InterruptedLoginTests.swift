import LatchkeyModel
import LatchkeyTestKit
import Testing

@testable import LatchkeyCore

@Suite(.timeLimit(.minutes(10))) struct `Interrupted logins` {
    @Test(arguments: WayIn.interruptions)
    func `Cancelling a login never stores an incomplete session`(_ way: WayIn, _ place: Interruption)
        async throws
    {
        let device = try TestEngine()
        let running = Locked<Task<Result<UserSession, any Error>, Never>?>(nil)
        let cancel: @Sendable () -> Void = { running.withLock { $0 }?.cancel() }
        device.arrange(place, cancel)
        let (gate, opener) = AsyncStream<Void>.makeStream()
        let task = Task {
            for await _ in gate { break }
            return await way.run(on: device)
        }
        running.withLock { $0 = task }
        opener.yield()
        if place == .pause {
            await device.time.sleepers(atLeast: 1)
            cancel()
        }

        let result = await task.value

        if place == .written {
            // It is too late to cancel, because the login has already completed.
            #expect(result.error == nil)
            #expect(device.engine.keeper.held != nil && device.store.bytes != nil)
            #expect(device.keys.living == [1])
        } else {
            #expect(way.reason(for: result.error, at: place)?.code == .cancelled)
            #expect(device.isClean)
            #expect(device.keys.removals == [1])
            #expect(device.store.count(of: .write) == 0)
        }
    }

    @Test(arguments: WayIn.interruptions)
    func `A sign-out during a login stops the login and is reported`(_ way: WayIn, _ place: Interruption)
        async throws
    {
        let device = try TestEngine()
        let keeper = device.engine.keeper
        let requests = Locked<Int?>(nil)
        let logOut: @Sendable () -> Void = {
            requests.withLock { $0 = device.server.log.count }
            #expect(keeper.signOut() == nil)
        }
        device.arrange(place, logOut)
        let task = Task { await way.run(on: device) }
        if place == .pause {
            await device.time.sleepers(atLeast: 1)
            logOut()
        }

        let result = await task.value

        #expect(way.reason(for: result.error, at: place)?.code == .signedOut)
        #expect(device.server.log.count == requests.withLock { $0 })
        #expect(device.isClean)
        #expect(device.keys.removals == (place == .flow ? [] : [1]))
        #expect(keeper.state.session == nil)
    }

    @Test func `Signing out before the first request of a login prevents all of its requests`() async throws {
        let device = try TestEngine()
        let attempt = device.engine.keeper.beginAttempt()

        #expect(device.engine.keeper.signOut() == nil)
        let result = await outcome {
            try await device.engine.flows.signIn(TestAccount.phone, password: "000000", attempt: attempt)
        }

        #expect(result.code == .signedOut)
        #expect(device.server.log == [])
    }

    @Test func `Signing out doesn't prevent a later login`() async throws {
        let device = try TestEngine()
        device.server.during("POST /a/self-service/login") { _ = device.engine.keeper.signOut() }

        #expect(await outcome { try await device.logIn() }.code == .signedOut)
        #expect(await outcome { try await device.logIn() }.error == nil)
        #expect(device.store.bytes != nil)
    }
}
