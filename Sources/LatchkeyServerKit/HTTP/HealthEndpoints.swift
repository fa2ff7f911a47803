package import LatchkeyModel
import LatchkeyWire

/// Liveness and readiness checks for load balancers and orchestrators.
package final class HealthEndpoints: Sendable {
    /// How often a node that isn't ready tries to write.
    private static let retryInterval: Duration = .seconds(5)

    private let database: any Database
    private let time: any TimeSource

    /// When to try the next write, on the monotonic clock, or `nil` while writes succeed.
    private let nextAttempt = Locked<Duration?>(nil)

    /// Creates the health checks.
    ///
    /// - Parameters:
    ///   - database: The database that every readiness check reads from.
    ///   - time: The clock that limits how often a readiness check writes.
    package init(database: any Database, time: any TimeSource) {
        self.database = database
        self.time = time
    }

    /// The routes of the liveness and readiness checks.
    ///
    /// `/health/alive` always responds with status 200. `/health/ready` responds with status 503 if the
    /// database can't be read, or if the most recent write has failed.
    package var endpoints: [Endpoint] {
        [
            Endpoint(.get, Route.alive, below: .server, accepts: .none, operation: .alive) { _ in
                Self.answer(200, text: "ok")
            },
            Endpoint(.get, Route.ready, below: .server, accepts: .none, operation: .ready) { [self] _ in
                // The server only accepts requests once the migrations are done, so this read fails only if
                // the database is unreachable.
                do {
                    _ = try await database.rows("SELECT 1")
                } catch {
                    return Self.answer(503, text: "database unavailable")
                }
                return await canWrite()
                    ? Self.answer(200, text: "ok") : Self.answer(503, text: "storage unavailable")
            },
        ]
    }

    /// Returns whether the most recent write has succeeded.
    ///
    /// A load balancer sends no requests to a node that isn't ready, so possibly only this check ever writes
    /// again. While writes succeed, it doesn't write.
    private func canWrite() async -> Bool {
        guard database.writes.isFailing else {
            nextAttempt.withLock { $0 = nil }
            return true
        }
        let now = time.uptime
        let isDue = nextAttempt.withLock { next in
            guard next.map({ $0 <= now }) ?? true else { return false }
            next = now + Self.retryInterval
            return true
        }
        guard isDue else { return false }
        do {
            try await database.transaction { transaction in
                _ = try transaction.execute(
                    """
                    INSERT INTO leases (name, held_until) VALUES ('readiness', 0)
                    ON CONFLICT (name) DO UPDATE SET held_until = excluded.held_until
                    """
                )
            }
        } catch {
            return false
        }
        guard !database.writes.isFailing else { return false }
        nextAttempt.withLock { $0 = nil }
        return true
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
            APIResponse(
                503,
                "The database can't be read, or the most recent write has failed.",
                .either([health, .error])
            ),
        ]
    )
}
