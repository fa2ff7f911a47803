import Latchkey
import LatchkeyModel
import LatchkeyTestKit
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Session observers with a real server` {
    @Test func `All observers receive each state once and in the same order`() async throws {
        let app = try await TestApp.loggedIn()
        let (first, second) = (Recorder(), Recorder())
        let closure = Locked<[Bool]>([])
        let sequence = Task {
            var heard: [Bool] = []
            for await state in app.client.sessionStates.prefix(7) { heard.append(state.session != nil) }
            return heard
        }
        app.client.addObserver(first)
        app.client.addObserver(first)
        app.client.addObserver(second)
        let observer = app.client.onChange { event in
            closure.withLock { $0.append(event.state.session != nil) }
        }
        // The sequence has started once it has delivered the current state. Any earlier changes would be
        // merged into that state.
        while await first.heard.isEmpty, !Task.isCancelled { await Task.yield() }

        for _ in 1...3 {
            app.client.signOut()
            try await app.client.signIn(phone: TestAccount.phone, password: TestAccount.passcode)
        }

        let expected = [true, false, true, false, true, false, true]
        #expect(await first.heard(7) == expected)
        #expect(await second.heard(7) == expected)
        #expect(closure.withLock { $0 } == expected)
        let heard = await sequence.value
        #expect(heard.last == true && zip(heard, heard.dropFirst()).allSatisfy { $0 != $1 })
        withExtendedLifetime(observer) {}
    }

    @Test func `A new observer receives the stored state once it has been read`() async throws {
        let app = try await TestApp.loggedIn()
        let restarted = try app.restarted()
        let recorder = Recorder()

        restarted.client.addObserver(recorder)

        #expect(await recorder.heard(1) == [true])
    }

    @Test func `A removed observer receives no further states`() async throws {
        let app = try await TestApp.loggedIn()
        let (removed, kept) = (Recorder(), Recorder())
        app.client.addObserver(removed)
        app.client.addObserver(kept)
        #expect(await removed.heard(1) == [true])

        await MainActor.run {
            // This includes calls that are already enqueued on the main actor.
            app.client.signOut()
            app.client.removeObserver(removed)
        }

        #expect(await kept.heard(2) == [true, false])
        #expect(await removed.heard == [true])
    }

    @Test func `An observer is held weakly and can remove itself in its deinit`() async throws {
        let app = try await TestApp.loggedIn()
        weak var object: Leaving?
        do {
            let leaving = await Leaving(app.client)
            object = leaving
            app.client.addObserver(leaving)
        }
        while object != nil { await Task.yield() }

        app.client.signOut()
        let later = Recorder()
        app.client.addObserver(later)
        #expect(await later.heard(1) == [false])
    }
}

@MainActor private final class Recorder: SessionObserver {
    private(set) var heard: [Bool] = []
    private var waiter: (count: Int, continuation: CheckedContinuation<Void, Never>)?

    func sessionDidChange(to state: SessionState) {
        heard.append(state.session != nil)
        if let waiter, heard.count >= waiter.count {
            self.waiter = nil
            waiter.continuation.resume()
        }
    }

    /// Waits until at least `count` states have been received, and returns all received states.
    func heard(_ count: Int) async -> [Bool] {
        if heard.count < count {
            await withCheckedContinuation { waiter = (count, $0) }
        }
        return heard
    }
}

/// An observer that removes itself when it is deallocated, as objects in apps do.
@MainActor private final class Leaving: SessionObserver {
    private nonisolated let client: LatchkeyClient

    init(_ client: LatchkeyClient) {
        self.client = client
    }

    nonisolated deinit {
        client.removeObserver(self)
    }

    func sessionDidChange(to state: SessionState) {}
}
