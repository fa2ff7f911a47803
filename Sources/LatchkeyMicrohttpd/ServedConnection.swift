/// A connection in the registry, which the library or this module serves.
///
/// The registry calls all methods under its lock.
protocol ServedConnection: AnyObject, Sendable {
    /// The networks whose limits include the connection.
    var networks: [ClientNetwork] { get }

    /// The phase, and a number that changes each time a phase is entered or bytes are sent.
    var progress: (phase: ConnectionPhase, generation: UInt64) { get }

    /// Closes the connection immediately, in any phase.
    func cut()

    /// Lets the current request finish, because the server is stopping.
    func drain()

    /// Forces the current request to end.
    func abandon()
}
