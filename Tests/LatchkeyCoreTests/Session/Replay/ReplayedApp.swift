import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import Testing

@testable import LatchkeyCore

/// A simulated process with a real keeper.
///
/// Side effects are delayed until the trace performs them.
final class ReplayedApp: Sendable {
    private struct State {
        var ticket: UInt64?
        var questions: [HeldSession] = []
        var login: (stored: StoredSession, attempt: LoginAttempt)?
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
        ) { sideEffect in
            switch sideEffect {
            case .performStoreOperation, .removeSideRecords, .writeJournal, .retry: return true
            case .waitForLock(let ticket): state.withLock { $0.ticket = ticket }
            case .requestTokens(let session, _): state.withLock { $0.questions.append(session) }
            case .releaseLock, .answer, .removeKey: return false
            }
            return true
        }
        self.state = state
    }

    var questionCount: Int { state.withLock { $0.questions.count } }

    /// Returns whether a caller is waiting for an answer.
    ///
    /// Records an issue if the caller has received more than one answer.
    func isWaiting(_ caller: Int) -> Bool {
        state.withLock { state in
            let answers = state.answers[caller, default: 0]
            if answers > 1 { Issue.record("caller \(caller) was answered \(answers) times") }
            return state.callers[caller] != nil && answers == 0
        }
    }

    func ask(_ caller: Int, isExpired: Bool) {
        state.withLock { $0.answers[caller] = 0 }
        keeper.send { [state] keeperState in
            let need = isExpired ? keeperState.machine.held.map { SessionMachine.Need.fresher($0) } : .any
            let number = keeperState.add { _ in state.withLock { $0.answers[caller, default: 0] += 1 } }
            state.withLock { $0.callers[caller] = number }
            return .asked(number, need ?? .any)
        }
    }

    func leave(_ caller: Int) {
        guard let number = state.withLock({ $0.callers.removeValue(forKey: caller) }) else { return }
        keeper.send { keeperState in
            _ = keeperState.remove(number)
            return .cancelled(number)
        }
    }

    func accept(_ stored: StoredSession) {
        let attempt = keeper.beginAttempt()
        state.withLock { $0.login = (stored, attempt) }
    }

    func completeLogin() {
        let login = state.withLock { state in
            defer { state.login = nil }
            return state.login
        }
        guard let login else { return }
        keeper.send { keeperState in
            let handle = keeperState.catalog.handle(for: login.stored)
            return .loginSucceeded(keeperState.add { _ in }, handle, signOuts: login.attempt.signOuts)
        }
    }

    func endLockWait() {
        guard let ticket = state.withLock({ $0.ticket }) else { return }
        keeper.lockWaitEnded(ticket: ticket, lock: nil)
    }

    func receive(_ index: Int, _ answer: TokenRenewal.Answer) {
        let session = state.withLock { $0.questions.remove(at: index) }
        keeper.send { keeperState in .answered(keeperState.interpret(answer, to: session), to: session.handle)
        }
    }

    func amend(_ id: String) {
        keeper.send { keeperState in
            guard let held = keeperState.held else { return nil }
            var stored = held.stored
            stored.session.id = id
            return .amended(held.handle, to: keeperState.catalog.handle(for: stored))
        }
    }

    func endSession() {
        keeper.send { keeperState in keeperState.machine.held.map { .ended($0) } }
    }
}
