import Latchkey
import LatchkeyModel
import LatchkeyTestKit
import Testing

@Suite(.timeLimit(.minutes(10))) struct `An observer of the session` {
    @Test func `hears what everybody hears, in the same order, and nothing twice`() async throws {
        let handset = try await Handset.loggedIn()
        let (first, second) = (Recorder(), Recorder())
        let closure = Locked<[Bool]>([])
        let sequence = Task {
            var heard: [Bool] = []
            for await state in handset.client.sessionStates.prefix(7) { heard.append(state.session != nil) }
            return heard
        }
        handset.client.addObserver(first)
        handset.client.addObserver(first)
        handset.client.addObserver(second)
        handset.client.onChange { event in
            closure.withLock { $0.append(event.state.session != nil) }
        }
        // The sequence has begun when it has told the truth; until then changes would be folded into that.
        while await first.heard.isEmpty, !Task.isCancelled { await Task.yield() }

        for _ in 1...3 {
            handset.client.signOut()
            try await handset.client.signIn(phone: Handset.phone, password: Handset.passcode)
        }

        let expected = [true, false, true, false, true, false, true]
        #expect(await first.heard(7) == expected)
        #expect(await second.heard(7) == expected)
        #expect(closure.withLock { $0 } == expected)
        let heard = await sequence.value
        #expect(heard.last == true && zip(heard, heard.dropFirst()).allSatisfy { $0 != $1 })
    }

    @Test func `begins with the truth on the disk, as soon as it is known`() async throws {
        let handset = try await Handset.loggedIn()
        let restarted = try handset.restarted()
        let recorder = Recorder()

        restarted.client.addObserver(recorder)

        #expect(await recorder.heard(1) == [true])
    }

    @Test func `hears nothing after it was removed`() async throws {
        let handset = try await Handset.loggedIn()
        let (removed, kept) = (Recorder(), Recorder())
        handset.client.addObserver(removed)
        handset.client.addObserver(kept)
        #expect(await removed.heard(1) == [true])

        await MainActor.run {
            // What is on its way to the main actor counts too.
            handset.client.signOut()
            handset.client.removeObserver(removed)
        }

        #expect(await kept.heard(2) == [true, false])
        #expect(await removed.heard == [true])
    }

    @Test func `is not kept alive, and can be removed while it goes away`() async throws {
        let handset = try await Handset.loggedIn()
        weak var object: Leaving?
        do {
            let leaving = await Leaving(handset.client)
            object = leaving
            handset.client.addObserver(leaving)
        }
        while object != nil { await Task.yield() }

        handset.client.signOut()
        let later = Recorder()
        handset.client.addObserver(later)
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

    /// What it was told, once that is so much.
    func heard(_ count: Int) async -> [Bool] {
        if heard.count < count {
            await withCheckedContinuation { waiter = (count, $0) }
        }
        return heard
    }
}

/// Removes itself when it goes away, as objects of apps do.
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
