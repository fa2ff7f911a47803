import Dispatch
import LatchkeyModel
import LatchkeyTestKit
import Testing

@testable import LatchkeyCore

@Suite(.timeLimit(.minutes(10))) struct `Signing out` {
    @Test func `Signing out completes before it returns and doesn't send any requests`() async throws {
        let device = try await TestEngine.loggedIn()

        #expect(device.engine.keeper.signOut() == nil)

        #expect(device.isClean)
        #expect(device.server.log == [])
    }

    @Test func `The user is still signed out after a restart`() async throws {
        let device = try await TestEngine.loggedIn()

        #expect(device.engine.keeper.signOut() == nil)

        let restarted = try device.restarted()
        await restarted.engine.keeper.ready()
        guard case .signedOut = restarted.engine.keeper.state else {
            Issue.record("The user is still logged in.")
            return
        }
    }

    @Test func `Signing out removes a session that hasn't been read yet`() async throws {
        let former = try await TestEngine.loggedIn()
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

    @Test(arguments: [FaultInjectingStore.Operation.read, .write, .completeRemoval])
    func `Signing out doesn't wait for a store operation in progress`(
        _ operation: FaultInjectingStore.Operation
    ) async throws {
        let device = try await TestEngine.loggedIn()
        let keeper = device.engine.keeper
        let gate = DispatchSemaphore(value: 0)
        let (begun, signal) = AsyncStream<Void>.makeStream()
        device.store.during(operation) {
            signal.yield()
            #expect(gate.wait(timeout: .now() + 60) == .success, "Signing out waited.")
        }
        let user = Task {
            switch operation {
            case .read: await keeper.ready(again: true)
            case .write: _ = await outcome { try await device.logIn() }
            case .remove, .completeRemoval: _ = keeper.signOut()
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

    @Test func `The removal is completed before the store is read again`() async throws {
        let device = try await TestEngine.loggedIn()
        let reads = Locked<Int?>(nil)
        let before = device.store.count(of: .read)
        device.store.during(.completeRemoval) { [store = device.store] in
            reads.withLock { $0 = store.count(of: .read) }
        }

        #expect(device.engine.keeper.signOut() == nil)

        await device.engine.keeper.ready(again: true)
        #expect(reads.withLock { $0 } == before)
        #expect(device.store.count(of: .completeRemoval) == 1)
    }

    @Test func `A slow removal doesn't remove the record of a later login`()
        async throws
    {
        let device = try await TestEngine.loggedIn()
        let keeper = device.engine.keeper
        let gate = DispatchSemaphore(value: 0)
        let (begun, signal) = AsyncStream<Void>.makeStream()
        // It stays open once it is opened, also if the test fails.
        defer { gate.signal() }
        device.store.during(.remove) {
            signal.yield()
            gate.wait()
            gate.signal()
        }
        let elsewhere = BlockingQueue(label: "test.logout")
        elsewhere.start { #expect(keeper.signOut() == nil) }
        for await _ in begun { break }
        let writes = device.store.count(of: .write)

        let login = Task { await outcome { try await device.logIn() } }
        // We wait until the login is ready to be written to the store, or has already been written because it
        // didn't wait for the removal.
        while keeper.keeperState.withLock({ $0.machine.replacing }) == 0,
            device.store.count(of: .write) == writes
        {
            try Task.checkCancellation()
            await Task.yield()
        }
        // If the write didn't wait, it would have happened by now.
        for _ in 1...1000 { await Task.yield() }
        #expect(device.store.count(of: .write) == writes)
        gate.signal()

        #expect(await login.value.error == nil)
        await elsewhere.run {}
        #expect(keeper.held != nil && device.store.bytes != nil)
    }

    @Test func `Signing out without a session doesn't notify observers`() async throws {
        let device = try TestEngine()
        await device.engine.keeper.ready()
        let events = Locked(0)
        let observer = device.engine.keeper.observe { _ in events.withLock { $0 += 1 } }

        #expect(device.engine.keeper.signOut() == nil)
        #expect(device.engine.keeper.signOut() == nil)

        #expect(events.withLock { $0 } == 0)
        withExtendedLifetime(observer) {}
    }

    @Test func `A failed removal is reported and retried`() async throws {
        let device = try await TestEngine.loggedIn()
        device.store.fail(.remove, with: SessionStoreError(.failed, message: "The disk is read-only."))

        #expect(device.engine.keeper.signOut()?.code == .failed)
        #expect(device.engine.keeper.held == nil)
        await device.engine.keeper.ready(again: true)
        #expect(device.engine.keeper.held == nil)

        device.store.fail(.remove, with: nil)
        await device.engine.keeper.ready()
        #expect(device.store.bytes == nil)
    }

    @Test func `Failed logins on a read-only disk don't undo a sign-out`() async throws {
        let device = try await TestEngine.loggedIn()
        let keeper = device.engine.keeper
        let failure = SessionStoreError(.failed, message: "The disk is read-only.")
        for operation in [.remove, .write] as [FaultInjectingStore.Operation] {
            device.store.fail(operation, with: failure)
        }
        #expect(keeper.signOut()?.code == .failed)

        for _ in 1...17 {
            #expect(await outcome { try await device.logIn() }.code == .storageFailed)
            #expect(keeper.held == nil)
        }
        await keeper.ready(again: true)
        #expect(keeper.held == nil)

        for operation in [.remove, .write] as [FaultInjectingStore.Operation] {
            device.store.fail(operation, with: nil)
        }
        await keeper.ready()
        #expect(device.store.bytes == nil)
        let restarted = try device.restarted()
        await restarted.engine.keeper.ready()
        #expect(restarted.engine.keeper.held == nil)
    }
}
