/// The bounds of an exploration: the number of processes, of callers, and of steps of each kind.
package struct ExplorerBounds: Hashable, Sendable {
    /// The value for an unlimited number of steps.
    ///
    /// It is also the largest value that a bound can have, because bounds are stored in four bits.
    package static let unlimited: UInt8 = 15

    /// The number of processes that share the store.
    package var processes: Int
    /// The number of callers, which are distributed among the processes.
    package var callers: Int
    /// The number of requests for the current credentials.
    package var requests: UInt8
    /// The number of logins with a token pair.
    package var logins: UInt8 = 1
    /// The number of additional logins with an opaque token instead of a token pair.
    package var opaqueLogins: UInt8 = 0
    /// The number of sign-outs.
    package var signOuts: UInt8 = 0
    /// The number of requests for credentials newer than the current ones.
    package var refreshes: UInt8 = 0
    /// The number of callers that stop waiting.
    package var cancellations: UInt8 = 0
    /// The number of changes to session data other than the credentials.
    package var sessionChanges: UInt8 = 0
    /// The number of crashes.
    package var crashes: UInt8 = 0
    /// The number of refresh requests or responses that the network loses.
    package var losses: UInt8 = 0
    /// The number of revocations on the server.
    package var revocations: UInt8 = 0
    /// The number of times that the store becomes locked or begins to fail.
    package var storeFailures: UInt8 = 0
    /// The number of refreshes that continue without the lock.
    package var lockTimeouts: UInt8 = 0

    /// Creates bounds with one login and one request per caller; all other steps are excluded.
    ///
    /// - Parameters:
    ///   - processes: The number of processes, from 1 to 6; see ``ModelStateEncoder``.
    ///   - callers: The number of callers, from 0 to 14, because 15 requests would count as unlimited.
    package init(processes: Int, callers: Int) {
        (self.processes, self.callers) = (processes, callers)
        requests = UInt8(callers)
    }

    /// Returns a copy with one bound set to a new value.
    package func setting(_ bound: WritableKeyPath<ExplorerBounds, UInt8>, to value: UInt8) -> ExplorerBounds {
        var bounds = self
        bounds[keyPath: bound] = value
        return bounds
    }

    /// Decrements a bound unless it is unlimited.
    static func decrement(_ bound: inout UInt8) {
        if bound != unlimited { bound -= 1 }
    }
}
