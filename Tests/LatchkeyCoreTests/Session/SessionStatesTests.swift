import LatchkeyCore
import Testing

@Suite(.timeLimit(.minutes(10))) struct `The states of a session` {
    @Test func `begin with nobody on a new device`() async throws {
        let device = try Device()
        var states = device.engine.keeper.states.makeAsyncIterator()

        guard case .signedOut = await states.next() else {
            Issue.record("The first state is another.")
            return
        }
        #expect(device.isClean)
    }

    @Test func `begin with the truth on disk after a restart without a network`() async throws {
        let device = try await Device.loggedIn()
        device.server.plan("GET /a/sessions/whoami", .fail(.unreachable))
        let restarted = try device.restarted()
        var states = restarted.engine.keeper.states.makeAsyncIterator()

        #expect(await states.next()?.session?.identity.schema == "customer")
        #expect(await outcome { try await restarted.engine.check() }.code == .unreachable)
        #expect(restarted.engine.keeper.state.session != nil)
        #expect(device.server.log == ["GET /a/sessions/whoami"])
    }

    @Test func `begin with the reason when the store cannot be read`() async throws {
        let store = WatchedStore()
        store.fail(.read, with: SessionStoreError(.locked, message: "Locked."))
        let device = try Device(store: store)
        var states = device.engine.keeper.states.makeAsyncIterator()

        guard case .unavailable(.store(let error)) = await states.next() else {
            Issue.record("The first state is another.")
            return
        }
        #expect(error.code == .locked)
        #expect(device.engine.keeper.state.session == nil)
    }

    @Test func `tell every change to everybody, in one order`() async throws {
        let device = try Device()
        var first = device.engine.keeper.states.makeAsyncIterator()
        var second = device.engine.keeper.states.makeAsyncIterator()

        _ = try await device.logIn()
        _ = device.engine.keeper.signOut()
        _ = try await device.logIn()

        var told: [[Bool]] = [[], []]
        for _ in 1...4 {
            told[0].append(await first.next()?.session != nil)
            told[1].append(await second.next()?.session != nil)
        }
        #expect(told == [[false, true, false, true], [false, true, false, true]])
    }

    @Test func `end when the client is gone`() async throws {
        var device: Device? = try await Device.loggedIn()
        var states = try #require(device).engine.keeper.states.makeAsyncIterator()
        #expect(await states.next()?.session != nil)

        device = nil

        #expect(await states.next() == nil)
    }
}
