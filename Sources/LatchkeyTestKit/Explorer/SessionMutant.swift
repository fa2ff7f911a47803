import LatchkeyCore

/// The production reducer with one deliberate mistake, for testing the explorer.
///
/// The tests require the explorer to find each mutant's violation in the given number of steps. This shows
/// that the explorer would find a similar mistake in the reducer itself.
package struct SessionMutant: Sendable {
    /// A description of the mistake.
    package let mistake: String
    /// The first violation that the mistake causes.
    package let breaks: InvariantViolation
    /// The number of steps in the shortest trace that violates the invariant.
    package let steps: Int
    /// The bounds within which the violation occurs.
    package let space: ExplorerBounds
    /// A transition function that calls the production function and changes its input or its effects.
    package let reducer: ModelState.Reducer

    /// All mutants.
    ///
    /// Together, the mutants violate every invariant.
    package static let all: [SessionMutant] = [
        SessionMutant(
            mistake: "accepts a login that began before a sign-out",
            breaks: .revived,
            steps: 8,
            space: ExplorerBounds(processes: 1, callers: 0).setting(\.signOuts, to: 1)
        ) { machine, event in
            switch event {
            case .replaced(let caller, let handle, let generation, _):
                machine.reduce(.replaced(caller, handle, generation: generation, signOuts: machine.signOuts))
            case .read(let reading, _, let look):
                machine.reduce(.read(reading, epoch: machine.epoch, refreshRead: look))
            default: machine.reduce(event)
            }
        },
        SessionMutant(
            mistake: "refreshes without waiting for the lock",
            breaks: .refreshedTwice,
            steps: 14,
            space: ExplorerBounds(processes: 2, callers: 2).setting(\.refreshes, to: 2)
        ) { machine, event in
            let effects = machine.reduce(event)
            guard effects.contains(.lock) else { return effects }
            return effects.filter { $0 != .lock } + machine.reduce(.locked)
        },
        SessionMutant(
            mistake: "treats a network failure as a rejection by the server",
            breaks: .loggedOutUnexpectedly,
            steps: 12,
            space: ExplorerBounds(processes: 1, callers: 1).setting(\.refreshes, to: 1).setting(
                \.losses,
                to: 1
            )
        ) { machine, event in
            guard case .answered(.failed, let handle) = event else { return machine.reduce(event) }
            return machine.reduce(.answered(.refused, to: handle))
        },
        SessionMutant(
            mistake: "treats an outdated refresh token as a rejection by the server",
            breaks: .loggedOutUnexpectedly,
            steps: 27,
            space: ExplorerBounds(processes: 2, callers: 2).setting(\.refreshes, to: 3).setting(
                \.lockTimeouts,
                to: 1
            )
        ) { machine, event in
            guard case .answered(.stale, let handle) = event else { return machine.reduce(event) }
            return machine.reduce(.answered(.refused, to: handle))
        },
        SessionMutant(
            mistake: "treats an unavailable store as an empty one",
            breaks: .unavailableChangedState,
            steps: 10,
            space: ExplorerBounds(processes: 2, callers: 0).setting(\.storeFailures, to: 1)
        ) { machine, event in
            guard case .read(.unavailable, let epoch, let look) = event, machine.held != nil else {
                return machine.reduce(event)
            }
            return machine.reduce(.read(.absent, epoch: epoch, refreshRead: look))
        },
        SessionMutant(
            mistake: "refreshes the token in memory instead of the one in the store",
            breaks: .loggedOutUnexpectedly,
            steps: 23,
            space: ExplorerBounds(processes: 2, callers: 2).setting(\.refreshes, to: 3)
        ) { machine, event in
            let effects = machine.reduce(event)
            guard event == .locked, let held = machine.held else { return effects }
            let reading = SessionMachine.Reading.present(held, generation: machine.generation)
            return machine.reduce(.read(reading, epoch: machine.epoch, refreshRead: machine.refreshReads))
        },
        SessionMutant(
            mistake: "overwrites a record that another process has changed",
            breaks: .tokenLost,
            steps: 36,
            space: ExplorerBounds(processes: 2, callers: 2).setting(\.refreshes, to: 4).setting(
                \.lockTimeouts,
                to: 1
            )
        ) { machine, event in
            machine.reduce(event).map { effect in
                guard case .save(let handle, _, let epoch) = effect else { return effect }
                return .replace(.max, handle, signOuts: machine.signOuts)
            }
        },
        SessionMutant(
            mistake: "answers a waiting caller twice",
            breaks: .answeredTwice,
            steps: 3,
            space: ExplorerBounds(processes: 1, callers: 1)
        ) { machine, event in
            let effects = machine.reduce(event)
            guard case .asked(let caller, _) = event, !effects.contains(where: { $0.isAnswer }) else {
                return effects
            }
            return effects + [.answer(caller, .failed)]
        },
        SessionMutant(
            mistake: "does not answer the waiting callers after a network failure",
            breaks: .neverAnswered,
            steps: 12,
            space: ExplorerBounds(processes: 1, callers: 1).setting(\.refreshes, to: 1).setting(
                \.losses,
                to: 1
            )
        ) { machine, event in
            let effects = machine.reduce(event)
            guard case .answered(.failed, _) = event else { return effects }
            return effects.filter { !$0.isAnswer }
        },
        SessionMutant(
            mistake: "ignores a sign-out during a refresh",
            breaks: .signOutFailed,
            steps: 8,
            space: ExplorerBounds(processes: 1, callers: 1).setting(\.refreshes, to: 1).setting(
                \.signOuts,
                to: 1
            )
        ) { machine, event in
            event == .signedOut && machine.refresh != .idle ? [] : machine.reduce(event)
        },
        SessionMutant(
            mistake: "stores a login without its certificate",
            breaks: .announcedIncomplete,
            steps: 6,
            space: ExplorerBounds(processes: 1, callers: 0)
        ) { machine, event in
            guard case .loginSucceeded(let caller, let handle, let signOuts) = event else {
                return machine.reduce(event)
            }
            return [.replace(caller, handle, signOuts: signOuts)]
        },
        SessionMutant(
            mistake: "removes any record when the server ends a login",
            breaks: .loggedOutUnexpectedly,
            steps: 12,
            space: ExplorerBounds(processes: 2, callers: 0).setting(\.logins, to: 2).setting(
                \.revocations,
                to: 1
            )
        ) { machine, event in
            let effects = machine.reduce(event)
            guard case .ended = event else { return effects }
            return effects.map { effect in
                guard case .remove(_, let epoch) = effect else { return effect }
                return .remove(.anything, epoch: epoch)
            }
        },
    ]
}

extension SessionMachine.Effect {
    fileprivate var isAnswer: Bool {
        if case .answer = self { true } else { false }
    }
}
