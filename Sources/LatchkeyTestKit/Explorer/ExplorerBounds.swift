/// How much may happen in the worlds that an explorer looks at.
package struct ExplorerBounds: Hashable, Sendable {
    /// As often as it likes.
    package static let unlimited: UInt8 = 15

    /// How many processes share the store.
    package var processes: Int
    /// How many callers ask, spread over the processes.
    package var callers: Int
    /// How often a caller asks for the access that there is.
    package var asks: UInt8
    /// How many logins the server accepts.
    package var logins: UInt8 = 1
    /// How many logins more, which have one opaque token and no pair.
    package var opaqueLogins: UInt8 = 0
    /// How often somebody signs out.
    package var signOuts: UInt8 = 0
    /// How often a caller finds its access expired.
    package var refreshes: UInt8 = 0
    /// How often a caller gives up waiting.
    package var departures: UInt8 = 0
    /// How often something beside the credentials changes.
    package var amendments: UInt8 = 0
    /// How often a process is killed.
    package var crashes: UInt8 = 0
    /// How often the network loses a question or an answer.
    package var losses: UInt8 = 0
    /// How often the server is told to end a login.
    package var revocations: UInt8 = 0
    /// How often the store becomes locked or fails.
    package var moods: UInt8 = 0
    /// How often a process goes on without the lock.
    package var overtakings: UInt8 = 0

    package init(processes: Int, callers: Int) {
        (self.processes, self.callers) = (processes, callers)
        asks = UInt8(callers)
    }

    /// Sets one bound and keeps the others.
    package func with(_ bound: WritableKeyPath<ExplorerBounds, UInt8>, _ value: UInt8) -> ExplorerBounds {
        var bounds = self
        bounds[keyPath: bound] = value
        return bounds
    }

    /// Lets a thing happen once.
    static func spend(_ bound: inout UInt8) {
        if bound != unlimited { bound -= 1 }
    }
}
