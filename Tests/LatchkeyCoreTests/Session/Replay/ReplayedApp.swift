import LatchkeyModel
import LatchkeyTestKit
import Testing

@testable import LatchkeyCore

/// A process with a real keeper, whose deeds wait until the trace comes to them.
final class ReplayedApp: Sendable {
    private struct State {
        var ticket: UInt64?
        var questions: [HeldSession] = []
        var admission: (stored: StoredSession, attempt: LoginAttempt)?
        var callers: [Int: SessionMachine.Caller] = [:]
        var answers: [Int: Int] = [:]
    }

    let keeper: SessionKeeper
    private let state: Locked<State>

    init(_ store: MoodStore) throws {
        let state = Locked(State())
        let queue = BlockingQueue(label: "replay")
        let (keys, time, random) = (FakeDeviceKeys(), VirtualTime(), SeededRandom())
        let api = IdentityAPI(
            server: try #require(WebAddress(FakeIdentityServer.origin)),
            basePath: .standard,
            transport: FakeIdentityServer(),
            time: time
        )
        keeper = SessionKeeper(
            store: store,
            keys: keys,
            time: time,
            random: random,
            queue: queue,
            renewal: TokenRenewal(
                api: api,
                signer: DeviceSigner(keys: keys, queue: queue, random: random),
                time: time,
                random: random
            ),
            credential: .accessToken,
            catalogLimit: 2
        ) { deed in
            switch deed {
            case .useStore, .keepJournal, .retry: return true
            case .wait(let ticket): state.withLock { $0.ticket = ticket }
            case .ask(let session, _): state.withLock { $0.questions.append(session) }
            case .release, .answer, .removeKey: return false
            }
            return true
        }
        self.state = state
    }

    var questionCount: Int { state.withLock { $0.questions.count } }

    /// Whether a caller waits for an answer; records an issue when it got two.
    func isWaiting(_ caller: Int) -> Bool {
        state.withLock { state in
            let answers = state.answers[caller, default: 0]
            if answers > 1 { Issue.record("caller \(caller) was answered \(answers) times") }
            return state.callers[caller] != nil && answers == 0
        }
    }

    func ask(_ caller: Int, isExpired: Bool) {
        state.withLock { $0.answers[caller] = 0 }
        keeper.hear { [state] books in
            let need = isExpired ? books.machine.held.map { SessionMachine.Need.fresher($0) } : .any
            let number = books.add { _ in state.withLock { $0.answers[caller, default: 0] += 1 } }
            state.withLock { $0.callers[caller] = number }
            return .asked(number, need ?? .any)
        }
    }

    func leave(_ caller: Int) {
        guard let number = state.withLock({ $0.callers.removeValue(forKey: caller) }) else { return }
        keeper.hear { books in
            _ = books.remove(number)
            return .left(number)
        }
    }

    func accept(_ stored: StoredSession) {
        let attempt = keeper.beginAttempt()
        state.withLock { $0.admission = (stored, attempt) }
    }

    func admit() {
        let admission = state.withLock { state in
            defer { state.admission = nil }
            return state.admission
        }
        guard let admission else { return }
        keeper.hear { books in
            let handle = books.catalog.handle(for: admission.stored)
            return .admitted(books.add { _ in }, handle, signOuts: admission.attempt.signOuts)
        }
    }

    func takeTurn() {
        guard let ticket = state.withLock({ $0.ticket }) else { return }
        keeper.take(turn: ticket, nil)
    }

    func receive(_ index: Int, _ answer: TokenRenewal.Answer) {
        let session = state.withLock { $0.questions.remove(at: index) }
        keeper.hear { books in .answered(books.judge(answer, session), to: session.handle) }
    }

    func amend(_ id: String) {
        keeper.hear { books in
            guard let held = books.held else { return nil }
            var stored = held.stored
            stored.session.id = id
            return .amended(held.handle, to: books.catalog.handle(for: stored))
        }
    }

    func learn() {
        keeper.hear { books in books.machine.held.map { .ended($0) } }
    }
}
