import LatchkeyWire

/// Liveness and readiness checks for load balancers and orchestrators.
package struct HealthEndpoints: Sendable {
    private let database: any Database

    /// Creates the health checks.
    ///
    /// - Parameter database: The database that every readiness check reads from.
    package init(database: any Database) {
        self.database = database
    }

    /// The routes of the liveness and readiness checks.
    ///
    /// `/health/alive` always responds with status 200. `/health/ready` responds with status 503 if the
    /// database can't be read.
    package var endpoints: [Endpoint] {
        [
            Endpoint(.get, Route.alive, below: .server, accepts: .none, operation: .alive) { _ in
                Self.answer(200, text: "ok")
            },
            Endpoint(.get, Route.ready, below: .server, accepts: .none, operation: .ready) { _ in
                // The server only accepts requests once the migrations are done, so this read fails only if
                // the database is unreachable.
                do {
                    _ = try await database.rows("SELECT 1")
                    return Self.answer(200, text: "ok")
                } catch {
                    return Self.answer(503, text: "database unavailable")
                }
            },
        ]
    }

    private static func answer(_ status: Int, text: StaticString) -> HTTP.Response {
        var writer = JSONWriter(reserving: 64)
        writer.object { writer in
            writer.name("status")
            writer.string(text.description)
        }
        return HTTP.Response(status, headers: ["Content-Type": "application/json"], body: writer.bytes)
    }
}

extension APIOperation {
    private static let health = JSONSchema.object([.required("status", .text)])

    fileprivate static let alive = APIOperation(
        "isAlive",
        "Returns whether the server is alive.",
        [APIResponse(200, "The server is alive.", health)]
    )

    fileprivate static let ready = APIOperation(
        "isReady",
        "Returns whether the server is ready to serve requests.",
        [
            APIResponse(200, "The server is ready.", health),
            APIResponse(503, "The database is unavailable.", .either([health, .error])),
        ]
    )
}
