/// A part of the server that assembles itself from the modules below it.
///
/// A module creates its services once, when it is initialized, and starts no work. The server's assembly
/// lists the modules, serves their routes, and starts and stops their workers.
package protocol ServerModule: Sendable {
    /// The migrations for the module's own tables.
    static var migrations: [Migration] { get }

    /// The routes of the public listener.
    var routes: [Endpoint] { get }

    /// The routes of the admin listener.
    ///
    /// The routes don't authenticate callers; the listener does.
    var operatorRoutes: [Endpoint] { get }

    /// The background work of the module.
    var workers: [any ServerWorker] { get }

    /// The metrics of the module.
    var metrics: [any MetricsSource] { get }

    /// The rows that the clean-up deletes from the module's tables, in this order.
    var expiredRows: [ExpiredRows] { get }
}

extension ServerModule {
    package static var migrations: [Migration] { [] }
    package var routes: [Endpoint] { [] }
    package var operatorRoutes: [Endpoint] { [] }
    package var workers: [any ServerWorker] { [] }
    package var metrics: [any MetricsSource] { [] }
    package var expiredRows: [ExpiredRows] { [] }
}
