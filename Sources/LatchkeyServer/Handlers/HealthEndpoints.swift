import LatchkeyServerCore
import LatchkeyWire

/// Says whether the server lives, and whether it can do its work.
struct HealthEndpoints: Sendable {
    private let database: any Database

    init(database: any Database) {
        self.database = database
    }

    var endpoints: [Endpoint] {
        [
            Endpoint(.get, Route.alive, below: .server) { _ in Self.answer(200, "ok") },
            Endpoint(.get, Route.ready, below: .server) { _ in
                // Before this answers, the HTTP server is up and migrations are done; the database may have gone.
                do {
                    _ = try await database.rows("SELECT 1")
                    return Self.answer(200, "ok")
                } catch {
                    return Self.answer(503, "database unavailable")
                }
            },
        ]
    }

    private static func answer(_ status: Int, _ text: StaticString) -> HTTPResponse {
        var writer = JSONWriter(reserving: 64)
        writer.object { writer in
            writer.name("status")
            writer.string(text.description)
        }
        return HTTPResponse(status, headers: ["Content-Type": "application/json"], body: writer.bytes)
    }
}
