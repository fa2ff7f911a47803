import LatchkeyCore

/// The access machine's production reducer with one deliberate mistake, for testing the explorer.
package struct AccessMutant: Sendable {
    /// A description of the mistake.
    package let mistake: String
    /// The violation that the explorer finds first.
    package let breaks: AccessViolation
    /// The number of steps in the shortest trace that violates the invariant.
    package let steps: Int
    /// The bounds within which the violation occurs.
    package let space: AccessBounds
    /// A transition function that calls the production function and changes its input or its effects.
    package let reducer: AccessModel.Reducer

    private static let one = AccessBounds(processes: 1, callers: 1)
    private static let two = AccessBounds(processes: 1, callers: 2)

    /// All mutants.
    ///
    /// Together, the mutants violate every invariant.
    package static let all: [AccessMutant] = [
        AccessMutant(
            mistake: "begins a presentation before the previous presenter has returned",
            breaks: .presentedTwice,
            steps: 4,
            space: one.setting(\.requests, to: 2).setting(\.dismissals, to: 1)
        ) { machine, event in
            let effects = machine.reduce(event)
            guard case .dismissed(let number) = event else { return effects }
            return effects + machine.reduce(.presenterReturned(number))
        },
        AccessMutant(
            mistake: "presents a login while the store cannot be read",
            breaks: .presentedWithoutNeed,
            steps: 2,
            space: one.setting(\.storeFailures, to: 1)
        ) { machine, event in
            guard event == .sessionChanged(.unavailable) else { return machine.reduce(event) }
            return machine.reduce(.sessionChanged(.signedOut))
        },
        AccessMutant(
            mistake: "presents a login for a caller that is not waiting for one",
            breaks: .presentedWithoutNeed,
            steps: 2,
            space: one
        ) { machine, event in
            guard case .asked(let caller, .action(.never)) = event else { return machine.reduce(event) }
            return machine.reduce(.asked(caller, .action(.onDemand)))
        },
        AccessMutant(
            mistake: "ends the current presentation when an earlier one is dismissed",
            breaks: .closedTwice,
            steps: 4,
            space: one.setting(\.dismissals, to: 2)
        ) { machine, event in
            let effects = machine.reduce(event)
            guard case .presenterReturned(let number) = event else { return effects }
            return effects.isEmpty ? [.close(number, .dismissed)] : effects
        },
        AccessMutant(
            mistake: "dismisses the presentation for all callers when one is cancelled",
            breaks: .closedWithoutReason,
            steps: 3,
            space: two.setting(\.cancellations, to: 1)
        ) { machine, event in
            let effects = machine.reduce(event)
            guard case .left = event, let presentation = machine.presentation else { return effects }
            return effects + machine.reduce(.dismissed(presentation.number))
        },
        AccessMutant(
            mistake: "reports a dismissal after a sign-out",
            breaks: .refusedWithoutReason,
            steps: 2,
            space: one.setting(\.signOuts, to: 1)
        ) { machine, event in
            machine.reduce(event)
                .map { effect in
                    if event == .signedOut, case .refuse(let caller, .signedOut) = effect {
                        .refuse(caller, .dismissed)
                    } else {
                        effect
                    }
                }
        },
        AccessMutant(
            mistake: "withdraws an explicit presentation when its caller is cancelled",
            breaks: .withdrewExplicit,
            steps: 3,
            space: one.setting(\.cancellations, to: 1)
        ) { machine, event in
            let effects = machine.reduce(event)
            guard case .left = event, let presentation = machine.presentation, machine.waiters.isEmpty else {
                return effects
            }
            return [.close(presentation.number, .withdrawn)]
        },
        AccessMutant(
            mistake: "leaves the presentation visible when other code logs in",
            breaks: .leftOpen,
            steps: 3,
            space: one.setting(\.otherLogins, to: 1)
        ) { machine, event in
            machine.reduce(event).filter { if case .close(_, .finished) = $0 { false } else { true } }
        },
        AccessMutant(
            mistake: "leaves the presentation visible after a sign-out",
            breaks: .leftOpen,
            steps: 3,
            space: one.setting(\.signOuts, to: 1)
        ) { machine, event in
            machine.reduce(event).filter { if case .close(_, .signedOut) = $0 { false } else { true } }
        },
        AccessMutant(
            mistake: "leaves an implicit presentation visible when its last caller is cancelled",
            breaks: .leftOpenUnneeded,
            steps: 3,
            space: one.setting(\.cancellations, to: 1)
        ) { machine, event in
            machine.reduce(event).filter { if case .close(_, .withdrawn) = $0 { false } else { true } }
        },
        AccessMutant(
            mistake: "answers a caller twice",
            breaks: .answeredTwice,
            steps: 3,
            space: one.setting(\.dismissals, to: 1)
        ) { machine, event in
            let effects = machine.reduce(event)
            guard case .dismissed = event else { return effects }
            return effects
                + effects
                .filter { if case .refuse = $0 { true } else { false } }
        },
        AccessMutant(
            mistake: "answers only one of the callers that are waiting for a login",
            breaks: .neverAnswered,
            steps: 4,
            space: two.setting(\.otherLogins, to: 1)
        ) { machine, event in
            var hasGranted = false
            return machine.reduce(event)
                .filter { effect in
                    guard case .grant = effect else { return true }
                    defer { hasGranted = true }
                    return !hasGranted
                }
        },
        AccessMutant(
            mistake: "does not resume callers when other code or another process logs in",
            breaks: .neverAnswered,
            steps: 3,
            space: AccessBounds(processes: 2, callers: 1).setting(\.otherLogins, to: 1)
        ) { machine, event in
            guard case .sessionChanged(.signedIn) = event, machine.presentation != nil else {
                return machine.reduce(event)
            }
            return []
        },
        AccessMutant(
            mistake: "lets a caller wait for a presentation whose presenter has returned",
            breaks: .neverAnswered,
            steps: 3,
            space: one.setting(\.dismissals, to: 1)
        ) { machine, event in
            let effects = machine.reduce(event)
            guard case .presenterReturned = event else { return effects }
            return effects.filter { if case .refuse = $0 { false } else { true } }
        },
        AccessMutant(
            mistake: "ignores a sign-out while a login is presented",
            breaks: .leftOpen,
            steps: 3,
            space: one.setting(\.signOuts, to: 1)
        ) { machine, event in
            event == .signedOut && machine.presentation != nil ? [] : machine.reduce(event)
        },
        AccessMutant(
            mistake: "does not answer callers that are waiting for the store when the user signs out",
            breaks: .ignoredSignOut,
            steps: 2,
            space: one.setting(\.signOuts, to: 1)
        ) { machine, event in
            let effects = machine.reduce(event)
            guard event == .signedOut else { return effects }
            return effects.filter { if case .refuse = $0 { false } else { true } }
        },
        AccessMutant(
            mistake: "ends a presentation without waiting for the list of the user's duties",
            breaks: .closedWithoutReason,
            steps: 4,
            space: one.setting(\.duties, to: 1)
        ) { machine, event in
            if case .admitting = event { return [] }
            return machine.reduce(event)
        },
        AccessMutant(
            mistake: "grants callers a session before its duties have been fulfilled",
            breaks: .grantedBeforeDuties,
            steps: 5,
            space: one.setting(\.duties, to: 1)
        ) { machine, event in
            let effects = machine.reduce(event)
            guard case .admitted(_, let login, duties: 1) = event else { return effects }
            return effects + machine.waiters.map { .grant($0.caller, login) }
        },
        AccessMutant(
            mistake: "counts a dismissed duty as fulfilled",
            breaks: .closedWithoutReason,
            steps: 6,
            space: one.setting(\.duties, to: 1).setting(\.dismissals, to: 1)
        ) { machine, event in
            guard case .dismissed(let number) = event, machine.openDuties > 0 else {
                return machine.reduce(event)
            }
            return machine.reduce(.dutyFulfilled(number))
        },
        AccessMutant(
            mistake: "continues to show the duties of a session that has ended",
            breaks: .leftAtDuties,
            steps: 6,
            space: one.setting(\.duties, to: 1).setting(\.sessionEnds, to: 1)
        ) { machine, event in
            machine.reduce(event).filter { if case .restart = $0 { false } else { true } }
        },
        AccessMutant(
            mistake: "does not show the duties of a login",
            breaks: .leftAtLogin,
            steps: 5,
            space: one.setting(\.duties, to: 1)
        ) { machine, event in
            machine.reduce(event).filter { if case .showDuties = $0 { false } else { true } }
        },
        AccessMutant(
            mistake: "begins the login again after an accepted login could not be stored",
            breaks: .redirectedWithoutReason,
            steps: 4,
            space: one
        ) { machine, event in
            let effects = machine.reduce(event)
            guard case .admissionFailed(let number) = event else { return effects }
            return effects + [.restart(number)]
        },
        AccessMutant(
            mistake: "gives a caller a session that has ended",
            breaks: .grantedWithoutSession,
            steps: 4,
            space: one.setting(\.requests, to: 1).setting(\.otherLogins, to: 1).setting(\.sessionEnds, to: 1)
        ) { machine, event in
            if event == .sessionChanged(.signedOut), case .signedIn = machine.status { return [] }
            return machine.reduce(event)
        },
        AccessMutant(
            mistake: "runs an action a third time",
            breaks: .ranTooOften,
            steps: 6,
            space: one.setting(\.otherLogins, to: 3).setting(\.failedActions, to: 2)
        ) { machine, event in
            guard case .sessionEnded(let caller, true) = event, let runner = machine.runners[caller],
                !runner.mayRepeat
            else { return machine.reduce(event) }
            return machine.reduce(.finished(caller)) + machine.reduce(.asked(caller, .action(runner.policy)))
        },
        AccessMutant(
            mistake: "repeats an action that must not be repeated",
            breaks: .ranTooOften,
            steps: 5,
            space: one.setting(\.otherLogins, to: 2).setting(\.failedActions, to: 1)
        ) { machine, event in
            guard case .sessionEnded(let caller, false) = event else { return machine.reduce(event) }
            return machine.reduce(.sessionEnded(caller, mayRepeat: true))
        },
        AccessMutant(
            mistake: "runs an action again after the user signed out",
            breaks: .ranTooOften,
            steps: 5,
            space: one.setting(\.otherLogins, to: 1).setting(\.failedActions, to: 1)
                .setting(\.signOuts, to: 1)
        ) { machine, event in
            let runners = machine.runners
            let effects = machine.reduce(event)
            guard event == .signedOut else { return effects }
            machine = AccessMachine(
                status: machine.status,
                openDuties: machine.openDuties,
                admission: machine.admission,
                presentation: machine.presentation,
                presentationCount: machine.presentationCount,
                waiters: machine.waiters,
                runners: runners
            )
            return effects
        },
        AccessMutant(
            mistake: "runs an action again as another user",
            breaks: .repeatedAsAnotherUser,
            steps: 5,
            space: one.setting(\.otherLogins, to: 2).setting(\.failedActions, to: 1)
        ) { machine, event in
            guard case .sessionEnded(let caller, true) = event, let runner = machine.runners[caller],
                runner.mayRepeat, machine.status != .signedIn(runner.login)
            else { return machine.reduce(event) }
            return machine.reduce(.finished(caller)) + machine.reduce(.asked(caller, .action(runner.policy)))
        },
        AccessMutant(
            mistake: "runs an action again before the duty that it requires is fulfilled",
            breaks: .grantedBeforeDuties,
            steps: 4,
            space: one.setting(\.otherLogins, to: 1).setting(\.failedActions, to: 1).setting(\.duties, to: 1)
        ) { machine, event in
            guard case .dutyRequired(let caller, true) = event, let runner = machine.runners[caller] else {
                return machine.reduce(event)
            }
            return [.grant(caller, runner.login)]
        },
        AccessMutant(
            mistake: "presents a duty for an action that must not be repeated",
            breaks: .ranTooOften,
            steps: 4,
            space: one.setting(\.otherLogins, to: 1).setting(\.failedActions, to: 1).setting(\.duties, to: 1)
        ) { machine, event in
            guard case .dutyRequired(let caller, false) = event else { return machine.reduce(event) }
            return machine.reduce(.dutyRequired(caller, mayRepeat: true))
        },
        AccessMutant(
            mistake: "lets other callers wait for a duty that one action requires",
            breaks: .neverAnswered,
            steps: 6,
            space: two.setting(\.otherLogins, to: 1).setting(\.failedActions, to: 1).setting(\.duties, to: 1)
                .setting(\.dismissals, to: 1)
        ) { machine, event in
            let isOpen = machine.openDuties > 0
            let effects = machine.reduce(event)
            guard case .dismissed = event, isOpen, machine.openDuties == 0 else { return effects }
            // The duty isn't dropped although the only action that required it has failed.
            machine = AccessMachine(
                status: machine.status,
                openDuties: 1,
                admission: machine.admission,
                presentation: machine.presentation,
                presentationCount: machine.presentationCount,
                waiters: machine.waiters,
                runners: machine.runners
            )
            return effects
        },
    ]
}
