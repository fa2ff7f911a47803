import LatchkeyCore
import LatchkeyModel
import Testing

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
        device.store.fail(.remove, with: SessionStoreError(.failed, "The disk is read-only."))

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
        let failure = SessionStoreError(.failed, "The disk is read-only.")
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
