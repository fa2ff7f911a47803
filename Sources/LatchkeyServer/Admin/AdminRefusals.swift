import LatchkeyModel
package import LatchkeyServerCore
package import LatchkeyWire

/// Records the refused requests to the admin listener, and answers them late, so that guessing takes time.
final class AdminRefusals: Sendable {
    /// Answers that are held back at the same time; beyond them a request is answered with 429 at once.
    static let mostDelayed = 64

    /// Refused requests of one address within this time are written to the audit log once.
    static let auditInterval: Duration = .seconds(60)

    private static let mostAddresses = 100

    private struct State {
        var delayed = 0
        var audited: [String: Timestamp] = [:]
    }

    private let state = Locked(State())
    private let delay: Duration
    private let parts: ServerParts
    private let metrics: ServerMetrics
    private let database: any Database

    /// Creates a recorder.
    ///
    /// - Parameters:
    ///   - parts: The clock, the log and the delay.
    ///   - metrics: Where refusals are counted.
    ///   - database: Where the audit log is.
    init(_ parts: ServerParts, metrics: ServerMetrics, database: any Database) {
        self.parts = parts
        self.metrics = metrics
        self.database = database
        delay = parts.adminDelay
    }

    /// Records a refused request, and waits before it is answered.
    func answer(
        _ refusal: AdminRefusal,
        to request: HTTPRequest,
        from peer: PeerAddress
    ) async -> HTTPResponse {
        metrics.adminRefusals.add(refusal)
        let hasRoom = state.withLock { state in
            guard state.delayed < Self.mostDelayed else { return false }
            state.delayed += 1
            return true
        }
        // The log grows by so many lines for each delay at most.
        guard hasRoom else {
            return ServerError.tooManyRequests(retryAfter: 1).response(echoing: nil)
        }
        defer { state.withLock { $0.delayed -= 1 } }
        parts.log.write(
            .warning,
            "admin.refused",
            Log.Field("reason", refusal),
            Log.Field("method", request.method),
            Log.Field("path", LoggedPath(request)),
            Log.Field("peer", peer)
        )
        await audit(refusal, from: peer)
        try? await parts.time.sleep(for: delay)
        var response = ServerError(401, reason: refusal.text).response(echoing: nil)
        response.headers["WWW-Authenticate"] = "Bearer"
        return response
    }

    private func audit(_ refusal: AdminRefusal, from peer: PeerAddress) async {
        let now = parts.time.now
        let isDue = state.withLock { state in
            state.audited = state.audited.filter { now - $0.value < Self.auditInterval }
            guard state.audited[peer.host] == nil, state.audited.count < Self.mostAddresses else {
                return false
            }
            state.audited[peer.host] = now
            return true
        }
        guard isDue else { return }
        let event = AuditEvent(adminRefusal: refusal, from: peer, at: now, random: parts.random)
        do {
            try await database.transaction { transaction in try AuditLog.append(event, in: transaction) }
        } catch {
            parts.log.write(.error, "audit.failed", Log.Field("error", LoggedError(error)))
        }
    }
}

extension AdminRefusal: Loggable {
    package var logged: JSONValue { .string(rawValue) }
}
