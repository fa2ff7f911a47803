import Dispatch
import LatchkeyModel
import LatchkeyTestKit
import Testing

@testable import LatchkeyCore

@Suite(.timeLimit(.minutes(5))) struct `Unavailable store` {
    private let locked = SessionStoreError(.locked, message: "Locked.")

    private func lockedStore() -> FaultInjectingStore {
        let store = FaultInjectingStore()
        store.fail(.read, with: locked)
        return store
    }

    @Test func `A hundred waiting requests read the store at most twice`() async throws {
        let store = lockedStore()
        let device = try TestEngine(store: store)
        let keeper = device.engine.keeper
        await keeper.ready()
        let before = store.count(of: .read)
        let gate = DispatchSemaphore(value: 0)
        store.during(.read) { gate.wait() }

        let codes = try await withThrowingTaskGroup { group in
            for _ in 1...100 {
                group.addTask { await outcome { try await keeper.access() }.code }
            }
            defer { gate.signal() }
            while keeper.keeperState.withLock({ $0.machine.waiters.count }) < 100 {
                try Task.checkCancellation()
                await Task.yield()
            }
            gate.signal()
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(codes == Array(repeating: .storageUnavailable, count: 100))
        await keeper.ready(again: true)
        // One of these reads was caused by the call above.
        #expect(store.count(of: .read) - before <= 3)
    }

    @Test func `The delay before a store is read again doubles up to a maximum of 30 seconds`() async throws {
        let device = try TestEngine(store: lockedStore())

        for pause in [1, 2, 4, 8, 16, 24, 24] {
            await device.time.sleepers(atLeast: 1)
            let wait = try #require(device.time.untilNextWake)
            #expect(wait >= .seconds(pause) && wait <= .seconds(pause) * 5 / 4 && wait <= .seconds(30))
            device.time.advance(by: wait)
        }
    }

    @Test func `The session is loaded within 30 seconds after the store is unlocked`()
        async throws
    {
        let former = try await TestEngine.loggedIn()
        former.store.fail(.read, with: locked)
        let device = try former.restarted()
        var states = device.engine.keeper.states.makeAsyncIterator()
        guard case .unavailable(.store) = await states.next() else {
            Issue.record("The first state isn't unavailable.")
            return
        }
        for _ in 1...10 {
            await device.time.sleepers(atLeast: 1)
            device.time.advance(by: .seconds(30))
        }
        await device.time.sleepers(atLeast: 1)

        device.store.fail(.read, with: nil)
        device.time.advance(by: .seconds(30))

        #expect(await states.next()?.session != nil)
    }

    @Test(arguments: [true, false])
    func `Periodic reads stop once the store is readable or the user signs out`(isUnlocked: Bool) async throws
    {
        let device = try TestEngine(store: lockedStore())
        let keeper = device.engine.keeper
        await device.time.sleepers(atLeast: 1)

        if isUnlocked {
            device.store.fail(.read, with: nil)
            await keeper.ready(again: true)
        } else {
            #expect(keeper.signOut() == nil)
        }

        await keeper.queue.run {}
        #expect(device.time.untilNextWake == nil)
        let reads = device.store.count(of: .read)
        device.time.advance(by: .seconds(3600))
        await keeper.queue.run {}
        #expect(device.store.count(of: .read) == reads)
    }

    @Test func `Periodic reads stop when the client is deallocated`() async throws {
        var device: TestEngine? = try TestEngine(store: lockedStore())
        let time = try #require(device).time
        await time.sleepers(atLeast: 1)

        device = nil

        while time.untilNextWake != nil {
            try Task.checkCancellation()
            await Task.yield()
        }
    }
}
