/// A connection in the registry, which is served either by the library or by this module.
///
/// The registry calls all methods while holding its lock.
protocol ServedConnection: AnyObject, Sendable {
    /// The networks whose limits include this connection.
    var networks: [ClientNetwork] { get }

    /// The current phase, and a number that changes each time a phase is entered or bytes are sent.
    var progress: (phase: ConnectionPhase, generation: UInt64) { get }

    /// Closes the connection immediately, regardless of its phase.
    func cut()

    /// Lets the current request finish because the server is stopping.
    func drain()

    /// Forces the current request to end.
    func abandon()
}
