import LatchkeyCore
import LatchkeyTestKit
import LatchkeyWire
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Session states` {
    @Test func `On a new device, the first state is signedOut`() async throws {
        let device = try TestEngine()
        var states = device.engine.keeper.states.makeAsyncIterator()

        guard case .signedOut = await states.next() else {
            Issue.record("The first state isn't signedOut.")
            return
        }
        #expect(device.isClean)
    }

    @Test func `The first state after an offline restart contains the stored session`() async throws {
        let device = try await TestEngine.loggedIn()
        device.server.plan("GET /a/sessions/whoami", .fail(.unreachable))
        let restarted = try device.restarted()
        var states = restarted.engine.keeper.states.makeAsyncIterator()

        #expect(await states.next()?.session?.identity.schema == "customer")
        #expect(await outcome { try await restarted.engine.check() }.code == .unreachable)
        #expect(restarted.engine.keeper.state.session != nil)
        #expect(device.server.log == ["GET /a/sessions/whoami"])
    }

    @Test func `The first state is the error if the store can't be read`() async throws {
        let store = FaultInjectingStore()
        store.fail(.read, with: SessionStoreError(.locked, message: "Locked."))
        let device = try TestEngine(store: store)
        var states = device.engine.keeper.states.makeAsyncIterator()

        guard case .unavailable(.store(let error)) = await states.next() else {
            Issue.record("The first state isn't unavailable.")
            return
        }
        #expect(error.code == .locked)
        #expect(device.engine.keeper.state.session == nil)
    }

    @Test func `All subscribers receive the same states in the same order`() async throws {
        let device = try TestEngine()
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

    @Test func `The sequence of states ends when the client is deallocated`() async throws {
        var device: TestEngine? = try await TestEngine.loggedIn()
        var states = try #require(device).engine.keeper.states.makeAsyncIterator()
        #expect(await states.next()?.session != nil)

        device = nil

        #expect(await states.next() == nil)
    }
}
