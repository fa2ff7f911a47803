/// Background work that lasts as long as the server runs.
package protocol ServerWorker: Sendable {
    /// Starts the work. A worker that was stopped cannot be started again.
    func start()

    /// Ends requests that wait for an event, so that they don't keep the listeners from stopping.
    func endWaits()

    /// Finishes the current piece of work and stops.
    ///
    /// The database is still open.
    func stop() async
}

extension ServerWorker {
    package func start() {}
    package func endWaits() {}
}
