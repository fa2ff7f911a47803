import Dispatch
import LatchkeyModel
import Testing

@testable import LatchkeyCore

@Suite(.timeLimit(.minutes(10))) struct `A logout` {
    @Test func `is done when it returns, and sends nothing`() async throws {
        let device = try await Device.loggedIn()

        #expect(device.engine.keeper.signOut() == nil)

        #expect(device.isClean)
        #expect(device.server.log == [])
    }

    @Test func `holds after a restart`() async throws {
        let device = try await Device.loggedIn()

        #expect(device.engine.keeper.signOut() == nil)

        let restarted = try device.restarted()
        await restarted.engine.keeper.ready()
        guard case .signedOut = restarted.engine.keeper.state else {
            Issue.record("Somebody is logged in.")
            return
        }
    }

    @Test func `removes a session that has not been read yet`() async throws {
        let former = try await Device.loggedIn()
        let store = former.store
        let (reading, signal) = AsyncStream<Void>.makeStream()
        store.during(.read) { signal.yield() }
        let device = try former.restarted()
        for await _ in reading { break }

        #expect(device.engine.keeper.signOut() == nil)

        await device.engine.keeper.ready(again: true)
        #expect(store.bytes == nil)
        #expect(device.engine.keeper.held == nil)
    }

    @Test(arguments: [WatchedStore.Operation.read, .write, .complete])
    func `does not wait for an operation of the store that is under way`(
        _ operation: WatchedStore.Operation
    ) async throws {
        let device = try await Device.loggedIn()
        let keeper = device.engine.keeper
        let gate = DispatchSemaphore(value: 0)
        let (begun, signal) = AsyncStream<Void>.makeStream()
        device.store.during(operation) {
            signal.yield()
            #expect(gate.wait(timeout: .now() + 60) == .success, "The logout waited.")
        }
        let user = Task {
            switch operation {
            case .read: await keeper.ready(again: true)
            case .write: _ = await outcome { try await device.logIn() }
            case .remove, .complete: _ = keeper.signOut()
            }
        }
        for await _ in begun { break }

        #expect(keeper.signOut() == nil)
        gate.signal()

        await user.value
        await keeper.ready(again: true)
        #expect(device.isClean)
        let restarted = try device.restarted()
        await restarted.engine.keeper.ready()
        #expect(restarted.engine.keeper.held == nil)
    }

    @Test func `has the rest of the record erased before it is read again`() async throws {
        let device = try await Device.loggedIn()
        let reads = Locked<Int?>(nil)
        let before = device.store.count(of: .read)
        device.store.during(.complete) { [store = device.store] in
            reads.withLock { $0 = store.count(of: .read) }
        }

        #expect(device.engine.keeper.signOut() == nil)

        await device.engine.keeper.ready(again: true)
        #expect(reads.withLock { $0 } == before)
        #expect(device.store.count(of: .complete) == 1)
    }

    @Test func `leaves the record of a login that begins after it, however long its removal takes`()
        async throws
    {
        let device = try await Device.loggedIn()
        let keeper = device.engine.keeper
        let gate = DispatchSemaphore(value: 0)
        let (begun, signal) = AsyncStream<Void>.makeStream()
        device.store.during(.remove) {
            signal.yield()
            #expect(gate.wait(timeout: .now() + 60) == .success)
        }
        let elsewhere = BlockingQueue(label: "test.logout")
        elsewhere.start { #expect(keeper.signOut() == nil) }
        for await _ in begun { break }
        let writes = device.store.count(of: .write)

        let login = Task { await outcome { try await device.logIn() } }
        // Its write has been asked for, or is done where it does not wait.
        while keeper.keeperState.withLock({ $0.machine.replacing }) == 0,
            device.store.count(of: .write) == writes
        {
            try Task.checkCancellation()
            await Task.yield()
        }
        // Time enough for a write that does not wait.
        for _ in 1...1000 { await Task.yield() }
        #expect(device.store.count(of: .write) == writes)
        gate.signal()

        #expect(await login.value.error == nil)
        await elsewhere.run {}
        #expect(keeper.held != nil && device.store.bytes != nil)
    }

    @Test func `of nobody tells nobody`() async throws {
        let device = try Device()
        await device.engine.keeper.ready()
        let events = Locked(0)
        device.engine.keeper.observe { _ in events.withLock { $0 += 1 } }

        #expect(device.engine.keeper.signOut() == nil)
        #expect(device.engine.keeper.signOut() == nil)

        #expect(events.withLock { $0 } == 0)
    }

    @Test func `that cannot remove the record says so and tries again at every occasion`() async throws {
        let device = try await Device.loggedIn()
        device.store.fail(.remove, with: SessionStoreError(.failed, message: "The disk is read-only."))

        #expect(device.engine.keeper.signOut()?.code == .failed)
        #expect(device.engine.keeper.held == nil)
        await device.engine.keeper.ready(again: true)
        #expect(device.engine.keeper.held == nil)

        device.store.fail(.remove, with: nil)
        await device.engine.keeper.ready()
        #expect(device.store.bytes == nil)
    }

    @Test func `is not undone by logins that fail on a read-only disk, however many they are`() async throws {
        let device = try await Device.loggedIn()
        let keeper = device.engine.keeper
        let failure = SessionStoreError(.failed, message: "The disk is read-only.")
        for operation in [.remove, .write] as [WatchedStore.Operation] {
            device.store.fail(operation, with: failure)
        }
        #expect(keeper.signOut()?.code == .failed)

        for _ in 1...17 {
            #expect(await outcome { try await device.logIn() }.code == .storageFailed)
            #expect(keeper.held == nil)
        }
        await keeper.ready(again: true)
        #expect(keeper.held == nil)

        for operation in [.remove, .write] as [WatchedStore.Operation] {
            device.store.fail(operation, with: nil)
        }
        await keeper.ready()
        #expect(device.store.bytes == nil)
        let restarted = try device.restarted()
        await restarted.engine.keeper.ready()
        #expect(restarted.engine.keeper.held == nil)
    }
}
