/// The bounds for exploring the session machine.
package struct ExplorerBounds: ModelBounds {
    /// The number of processes that share the store.
    package var processes: Int
    /// The number of callers, which are distributed among the processes.
    package var callers: Int
    /// The number of times that a caller requests the current credentials.
    package var requests: UInt8
    /// The number of logins that return a token pair.
    package var logins: UInt8 = 1
    /// The number of additional logins that return an opaque token instead of a token pair.
    package var opaqueLogins: UInt8 = 0
    /// The number of sign-outs by the user or the app.
    package var signOuts: UInt8 = 0
    /// The number of times that a caller requests newer credentials than the current ones.
    package var refreshes: UInt8 = 0
    /// The number of times that a caller stops waiting.
    package var cancellations: UInt8 = 0
    /// The number of times that session data other than the credentials changes.
    package var sessionChanges: UInt8 = 0
    /// The number of times that a process crashes.
    package var crashes: UInt8 = 0
    /// The number of refresh requests or responses that the network loses.
    package var losses: UInt8 = 0
    /// The number of logins that the server revokes.
    package var revocations: UInt8 = 0
    /// The number of times that the store becomes locked or starts to fail.
    package var storeFailures: UInt8 = 0
    /// The number of refreshes that continue without holding the lock.
    package var lockTimeouts: UInt8 = 0

    /// Creates bounds that allow one login, and one request per caller.
    ///
    /// No other steps are allowed.
    ///
    /// - Parameters:
    ///   - processes: The number of processes, from 1 to 6; see ``ModelStateEncoder``.
    ///   - callers: The number of callers, from 0 to 14. The value 15 would mean an unlimited number
    ///     of requests.
    package init(processes: Int, callers: Int) {
        (self.processes, self.callers) = (processes, callers)
        requests = UInt8(callers)
    }
}

extension ExplorerBounds {
    /// The name of each bound, as used on the command line.
    package static var names: [(name: String, bound: any WritableKeyPath<ExplorerBounds, UInt8> & Sendable)] {
        table
    }

    private static let table: [(name: String, bound: any WritableKeyPath<ExplorerBounds, UInt8> & Sendable)] =
        [
            ("requests", \.requests), ("logins", \.logins), ("opaqueLogins", \.opaqueLogins),
            ("signOuts", \.signOuts),
            ("refreshes", \.refreshes), ("cancellations", \.cancellations),
            ("sessionChanges", \.sessionChanges),
            ("crashes", \.crashes), ("losses", \.losses), ("revocations", \.revocations),
            ("storeFailures", \.storeFailures),
            ("lockTimeouts", \.lockTimeouts),
        ]

    /// The step counts, packed into one word.
    package var packed: PackedBudget {
        var budget = PackedBudget()
        budget.append(requests)
        budget.append(logins)
        budget.append(opaqueLogins)
        budget.append(signOuts)
        budget.append(refreshes)
        budget.append(cancellations)
        budget.append(sessionChanges)
        budget.append(crashes)
        budget.append(losses)
        budget.append(revocations)
        budget.append(storeFailures)
        budget.append(lockTimeouts)
        return budget
    }

    /// Returns a copy of these bounds with the step counts from a packed budget.
    package func unpacking(_ budget: PackedBudget) -> ExplorerBounds {
        var bounds = self
        bounds.requests = budget.bound(at: 11)
        bounds.logins = budget.bound(at: 10)
        bounds.opaqueLogins = budget.bound(at: 9)
        bounds.signOuts = budget.bound(at: 8)
        bounds.refreshes = budget.bound(at: 7)
        bounds.cancellations = budget.bound(at: 6)
        bounds.sessionChanges = budget.bound(at: 5)
        bounds.crashes = budget.bound(at: 4)
        bounds.losses = budget.bound(at: 3)
        bounds.revocations = budget.bound(at: 2)
        bounds.storeFailures = budget.bound(at: 1)
        bounds.lockTimeouts = budget.bound(at: 0)
        return bounds
    }
}
