import LatchkeyCore

/// A mutant for testing the explorer: the shipped reducer with one mistake.
///
/// The tests require that the explorer finds the violation of each, in the given number of steps. That shows
/// that it would find such a mistake in the reducer itself.
package struct SessionMutant: Sendable {
    /// A description of the mistake.
    package let mistake: String
    /// The first violation that it causes.
    package let breaks: ExploredViolation
    /// The length of a shortest trace to the violation.
    package let steps: Int
    /// The bounds within which the violation occurs.
    package let space: ExplorerBounds
    package let reducer: ExploredWorld.Reducer

    /// All mutants; together they violate every invariant.
    package static let all: [SessionMutant] = [
        SessionMutant(
            mistake: "takes a login for current that began before a sign-out",
            breaks: .revived,
            steps: 8,
            space: ExplorerBounds(processes: 1, callers: 0).with(\.signOuts, 1)
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
            mistake: "refreshes without waiting for its turn",
            breaks: .refreshedTwice,
            steps: 14,
            space: ExplorerBounds(processes: 2, callers: 2).with(\.refreshes, 2)
        ) { machine, event in
            let effects = machine.reduce(event)
            guard effects.contains(.lock) else { return effects }
            return effects.filter { $0 != .lock } + machine.reduce(.locked)
        },
        SessionMutant(
            mistake: "takes a network failure for a verdict",
            breaks: .loggedOutByAccident,
            steps: 12,
            space: ExplorerBounds(processes: 1, callers: 1).with(\.refreshes, 1).with(\.losses, 1)
        ) { machine, event in
            guard case .answered(.failed, let handle) = event else { return machine.reduce(event) }
            return machine.reduce(.answered(.refused, to: handle))
        },
        SessionMutant(
            mistake: "takes a stale question for a verdict",
            breaks: .loggedOutByAccident,
            steps: 27,
            space: ExplorerBounds(processes: 2, callers: 2).with(\.refreshes, 3).with(\.overtakings, 1)
        ) { machine, event in
            guard case .answered(.stale, let handle) = event else { return machine.reduce(event) }
            return machine.reduce(.answered(.refused, to: handle))
        },
        SessionMutant(
            mistake: "takes a store that cannot tell for an empty one",
            breaks: .unavailableChangedState,
            steps: 10,
            space: ExplorerBounds(processes: 2, callers: 0).with(\.moods, 1)
        ) { machine, event in
            guard case .read(.unavailable, let epoch, let look) = event, machine.held != nil else {
                return machine.reduce(event)
            }
            return machine.reduce(.read(.absent, epoch: epoch, refreshRead: look))
        },
        SessionMutant(
            mistake: "shows the server what is in memory, not what is in the store",
            breaks: .loggedOutByAccident,
            steps: 23,
            space: ExplorerBounds(processes: 2, callers: 2).with(\.refreshes, 3)
        ) { machine, event in
            let effects = machine.reduce(event)
            guard event == .locked, let held = machine.held else { return effects }
            let reading = SessionMachine.Reading.present(held, generation: machine.generation)
            return machine.reduce(.read(reading, epoch: machine.epoch, refreshRead: machine.refreshReads))
        },
        SessionMutant(
            mistake: "writes over what another process has written",
            breaks: .tokenLost,
            steps: 36,
            space: ExplorerBounds(processes: 2, callers: 2).with(\.refreshes, 4).with(\.overtakings, 1)
        ) { machine, event in
            machine.reduce(event).map { effect in
                guard case .save(let handle, _, let epoch) = effect else { return effect }
                return .replace(.max, handle, signOuts: machine.signOuts)
            }
        },
        SessionMutant(
            mistake: "keeps no caller waiting, but answers again when there is more to say",
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
            mistake: "forgets those who waited when the server cannot be asked",
            breaks: .neverAnswered,
            steps: 12,
            space: ExplorerBounds(processes: 1, callers: 1).with(\.refreshes, 1).with(\.losses, 1)
        ) { machine, event in
            let effects = machine.reduce(event)
            guard case .answered(.failed, _) = event else { return effects }
            return effects.filter { !$0.isAnswer }
        },
        SessionMutant(
            mistake: "cannot sign out amid a refresh",
            breaks: .signOutFailed,
            steps: 8,
            space: ExplorerBounds(processes: 1, callers: 1).with(\.refreshes, 1).with(\.signOuts, 1)
        ) { machine, event in
            event == .signedOut && machine.refresh != .idle ? [] : machine.reduce(event)
        },
        SessionMutant(
            mistake: "counts a login without its certificate",
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
            mistake: "removes whatever is there when the server ends a login",
            breaks: .loggedOutByAccident,
            steps: 12,
            space: ExplorerBounds(processes: 2, callers: 0).with(\.logins, 2).with(\.revocations, 1)
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
