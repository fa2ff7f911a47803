/// The bounds for exploring logins in a browser.
package struct BrowserLoginBounds: ModelBounds {
    /// The number of processes that share the store.
    package var processes: Int
    /// The number of logins in a browser.
    ///
    /// The explorer's command line calls them callers.
    package var callers: Int
    /// The number of times that a redirect is delivered, rightly or again.
    package var requests: UInt8
    /// The number of logins without a browser.
    package var otherLogins: UInt8 = 0
    /// The number of sign-outs.
    package var signOuts: UInt8 = 0
    /// The number of times that a process crashes.
    package var crashes: UInt8 = 0
    /// The number of responses that the network loses.
    package var losses: UInt8 = 0
    /// The number of logins that are handed over to another app.
    package var handOffs: UInt8 = 0
    /// The number of times that the user dismisses a login in another app.
    package var dismissals: UInt8 = 0
    /// The number of times that the user refuses a login in another app.
    package var refusals: UInt8 = 0
    /// The number of logins that expire.
    package var expiries: UInt8 = 0

    /// Creates bounds with one redirect per login.
    package init(processes: Int, callers: Int) {
        (self.processes, self.callers) = (processes, callers)
        requests = UInt8(callers)
    }

    /// The name of each bound, as used on the command line.
    package static var names: [(name: String, bound: any WritableKeyPath<Self, UInt8> & Sendable)] { table }

    private static let table: [(name: String, bound: any WritableKeyPath<Self, UInt8> & Sendable)] = [
        ("requests", \.requests), ("otherLogins", \.otherLogins), ("signOuts", \.signOuts),
        ("crashes", \.crashes), ("losses", \.losses), ("handOffs", \.handOffs),
        ("dismissals", \.dismissals), ("refusals", \.refusals), ("expiries", \.expiries),
    ]

    /// The step counts, packed into one word.
    package var packed: PackedBudget {
        var budget = PackedBudget()
        for (_, bound) in Self.table { budget.append(self[keyPath: bound]) }
        return budget
    }

    /// Returns a copy of these bounds with the step counts from a packed budget.
    package func unpacking(_ budget: PackedBudget) -> BrowserLoginBounds {
        var bounds = self
        for (place, name) in Self.table.reversed().enumerated() {
            bounds[keyPath: name.bound] = budget.bound(at: place)
        }
        return bounds
    }
}
