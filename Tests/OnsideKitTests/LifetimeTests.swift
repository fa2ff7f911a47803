import Latchkey
import LatchkeyModel
import LatchkeyTestKit
import OnsideKit
import TestStore
import Testing

@MainActor @Suite(.onBothRoutes, .exclusiveOnside) struct `Lifetimes in OnsideKit` {
    private var queue: OnsidePaymentQueue { Onside.defaultPaymentQueue() }

    @Test func `An observer is not retained and may remove itself in deinit`() {
        let releases = Locked(0)

        for _ in 0..<100 { _ = Recorder { releases.withLock { $0 += 1 } } }

        #expect(releases.withLock { $0 } == 100)
    }

    @Test func `An observer that is released on another thread is not retained`() async {
        let releases = Locked(0)
        let recorder = Locked<Recorder?>(Recorder { releases.withLock { $0 += 1 } })

        await Task.detached { recorder.withLock { $0 = nil } }.value

        #expect(releases.withLock { $0 } == 1)
    }

    @Test func `A removed observer is not notified of pending changes`() async throws {
        let app = try await OnsideApp.started()
        let recorder = Recorder()
        await app.logIn()
        #expect(await recorder.storefronts(1) == ["AT"])

        Onside.logout()
        queue.remove(observer: recorder)
        await mainActorIsIdle()

        #expect(recorder.storefronts == ["AT"])
        await app.server.stop()
    }

    @Test func `An observer that is added twice is notified once`() async throws {
        let app = try await OnsideApp.started()
        let recorder = Recorder()
        queue.add(observer: recorder)

        await app.logIn()

        _ = await recorder.storefronts(1)
        await mainActorIsIdle()
        #expect(recorder.storefronts == ["AT"])
        await app.server.stop()
    }

    @Test func `An observer may remove itself and other observers while it is being notified`() async throws {
        let app = try await OnsideApp.started()
        let (first, last) = (Remover(), Recorder())
        first.others = [last]

        await app.logIn()
        await mainActorIsIdle()

        #expect(first.calls == 1 && last.storefronts == [])
        await app.server.stop()
    }

    @Test func `Releasing 10,000 observers without removing them leaves no entries behind`() async {
        await mainActorIsIdle()
        let before = queue.observerCount
        let live = Locked(0)

        var highest = 0
        for round in 0..<10_000 {
            let observer = Counted(live)
            queue.add(observer: observer)
            highest = max(highest, live.withLock { $0 })
            // Observers are removed on the main actor, so we wait until it has no more work to do.
            if round % 100 == 0 { await mainActorIsIdle() }
        }
        await mainActorIsIdle()

        #expect(live.withLock { $0 } == 0 && highest == 1)
        #expect(queue.observerCount < before + 250)
    }

    @Test(.timeLimit(.minutes(15)))
    func `Calling login 10,000 times while logged in does not leak objects`() async throws {
        let app = try await OnsideApp.started()
        await app.logIn()
        let live = Locked(0)
        let completed = Locked(0)

        for round in 0..<100 {
            for _ in 0..<100 {
                let witness = Counted(live)
                Onside.requestLogin { _ in
                    withExtendedLifetime(witness) { completed.withLock { $0 += 1 } }
                }
            }
            await eventually { completed.withLock { $0 } >= (round + 1) * 100 }
        }
        await mainActorIsIdle()

        #expect(completed.withLock { $0 } == 10_000)
        #expect(live.withLock { $0 } == 0)
        #expect(app.presenter.shopper.presentations == 1)
        await app.server.stop()
    }

    @Test func `Initializing again releases the previous components`() async throws {
        let server = try await TestServer.withStore()
        weak var presenter: OnsideUser?
        weak var client: LatchkeyClient?
        do {
            let app = try OnsideApp(server)
            (presenter, client) = (app.presenter, Onside.client)
            await app.logIn()
        }
        // The presenter returns after the login has completed.
        await eventually { presenter == nil }
        #expect(presenter == nil)
        Onside.reset()
        await eventually { client == nil }

        #expect(client == nil)
        await server.stop()
    }
}

/// An observer that counts its live instances and doesn't remove itself from the queue.
@MainActor private final class Counted: OnsidePaymentTransactionObserver {
    private let live: Locked<Int>

    init(_ live: Locked<Int>) {
        self.live = live
        live.withLock { $0 += 1 }
    }

    deinit {
        live.withLock { $0 -= 1 }
    }

    func onsidePaymentQueue(
        _ queue: OnsidePaymentQueue,
        updatedTransactions: [OnsidePaymentTransaction]
    ) {}
}

@MainActor private final class Remover: OnsidePaymentTransactionObserver {
    var others: [any OnsidePaymentTransactionObserver] = []
    private(set) var calls = 0

    init() {
        Onside.defaultPaymentQueue().add(observer: self)
    }

    func onsidePaymentQueue(
        _ queue: OnsidePaymentQueue,
        updatedTransactions: [OnsidePaymentTransaction]
    ) {}

    func onsidePaymentQueueDidChangeStorefront(_ queue: OnsidePaymentQueue) {
        calls += 1
        queue.remove(observer: self)
        for other in others { queue.remove(observer: other) }
    }
}
