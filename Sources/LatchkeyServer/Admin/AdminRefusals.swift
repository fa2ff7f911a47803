import LatchkeyAccounts
import LatchkeyAdmin
import LatchkeyModel
import LatchkeyServerKit
package import LatchkeyWire

/// Records rejected requests to the admin listener, and delays the responses to slow down guessing.
final class AdminRefusals: Sendable {
    /// The maximum number of responses that are delayed at the same time.
    ///
    /// Further rejected requests receive status 429 at once and are not logged.
    static let mostDelayed = 64

    /// The interval in which the rejected requests from one address create at most one audit event.
    static let auditInterval: Duration = .seconds(60)

    /// The maximum number of addresses with an audit event per interval.
    private static let mostAddresses = 100

    /// The number of responses that are being delayed, and the addresses with an audit event in the current
    /// interval.
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
    ///   - parts: The clock, the log, the random source and the delay.
    ///   - metrics: The metrics that count rejected requests.
    ///   - database: The database with the audit log.
    init(_ parts: ServerParts, metrics: ServerMetrics, database: any Database) {
        self.parts = parts
        self.metrics = metrics
        self.database = database
        delay = parts.adminDelay
    }

    /// Records a rejected request and, after the delay, returns a response with status 401.
    ///
    /// Every rejected request is counted in the metrics. If ``mostDelayed`` responses are already being
    /// delayed, a response with status 429 is returned at once instead.
    ///
    /// - Parameters:
    ///   - refusal: The reason, which is included in the response.
    ///   - request: The request, whose method and path are logged.
    ///   - peer: The address of the connection, not a forwarded address.
    /// - Returns: The response, with `WWW-Authenticate` for status 401.
    func answer(
        _ refusal: AdminRefusal,
        to request: HTTP.Request,
        from peer: PeerAddress
    ) async -> HTTP.Response {
        metrics.adminRefusals.add(refusal)
        let hasRoom = state.withLock { state in
            guard state.delayed < Self.mostDelayed else { return false }
            state.delayed += 1
            return true
        }
        // Requests above the limit are not logged, so that an attacker cannot flood the log.
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

    /// Appends at most one audit event per address and interval, and logs errors instead of throwing them.
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
