/// The bounds for exploring the access machine.
package struct AccessBounds: ModelBounds {
    /// The number of processes that share the store.
    package var processes: Int
    /// The number of callers, which are distributed among the processes.
    package var callers: Int
    /// The number of times that a caller requests a session.
    package var requests: UInt8
    /// The maximum number of logins that the server accepts during presentations.
    package var logins: UInt8 = 1
    /// How many of these logins come with a duty, plus the number of failed actions that require one.
    package var duties: UInt8 = 0
    /// The maximum number of logins, across all processes, that take place outside of a presentation.
    package var otherLogins: UInt8 = 0
    /// The number of sign-outs.
    package var signOuts: UInt8 = 0
    /// The number of sessions that the server ends.
    package var sessionEnds: UInt8 = 0
    /// The maximum number of actions that fail by claiming, rightly or wrongly, that their session has ended.
    package var failedActions: UInt8 = 0
    /// The number of callers that are cancelled.
    package var cancellations: UInt8 = 0
    /// The maximum number of presentations that end without a login, because the user dismisses them or the
    /// presenter returns too early.
    package var dismissals: UInt8 = 0
    /// The number of presentations for which the app has no presenter.
    package var missingPresenters: UInt8 = 0
    /// The number of crashes.
    package var crashes: UInt8 = 0
    /// The number of store reads that fail.
    package var storeFailures: UInt8 = 0

    /// Creates bounds that allow one login, and one request per caller.
    ///
    /// No other steps are allowed.
    ///
    /// - Parameters:
    ///   - processes: The number of processes, from 1 to 4.
    ///   - callers: The number of callers, from 0 to 14. The value 15 would mean an unlimited number
    ///     of requests.
    package init(processes: Int, callers: Int) {
        (self.processes, self.callers) = (processes, callers)
        requests = UInt8(callers)
    }

    /// The name of each bound, as used on the command line.
    package static var names: [(name: String, bound: any WritableKeyPath<AccessBounds, UInt8> & Sendable)] {
        table
    }

    private static let table: [(name: String, bound: any WritableKeyPath<AccessBounds, UInt8> & Sendable)] = [
        ("requests", \.requests), ("logins", \.logins), ("duties", \.duties),
        ("otherLogins", \.otherLogins), ("signOuts", \.signOuts), ("sessionEnds", \.sessionEnds),
        ("failedActions", \.failedActions), ("cancellations", \.cancellations),
        ("dismissals", \.dismissals), ("missingPresenters", \.missingPresenters), ("crashes", \.crashes),
        ("storeFailures", \.storeFailures),
    ]

    /// The step counts, packed into one word.
    package var packed: PackedBudget {
        var budget = PackedBudget()
        budget.append(requests)
        budget.append(logins)
        budget.append(duties)
        budget.append(otherLogins)
        budget.append(signOuts)
        budget.append(sessionEnds)
        budget.append(failedActions)
        budget.append(cancellations)
        budget.append(dismissals)
        budget.append(missingPresenters)
        budget.append(crashes)
        budget.append(storeFailures)
        return budget
    }

    /// Returns a copy of these bounds with the step counts from a packed budget.
    package func unpacking(_ budget: PackedBudget) -> AccessBounds {
        var bounds = self
        bounds.requests = budget.bound(at: 11)
        bounds.logins = budget.bound(at: 10)
        bounds.duties = budget.bound(at: 9)
        bounds.otherLogins = budget.bound(at: 8)
        bounds.signOuts = budget.bound(at: 7)
        bounds.sessionEnds = budget.bound(at: 6)
        bounds.failedActions = budget.bound(at: 5)
        bounds.cancellations = budget.bound(at: 4)
        bounds.dismissals = budget.bound(at: 3)
        bounds.missingPresenters = budget.bound(at: 2)
        bounds.crashes = budget.bound(at: 1)
        bounds.storeFailures = budget.bound(at: 0)
        return bounds
    }
}
