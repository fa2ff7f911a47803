import LatchkeyAccounts
import LatchkeyAdmin
import LatchkeyModel
import LatchkeyServerKit
package import LatchkeyWire

/// Records rejected requests to the admin listener and delays the responses to slow down guessing.
final class AdminRefusals: Sendable {
    /// The maximum number of responses that can be delayed at the same time.
    ///
    /// When this limit is reached, additional rejected requests immediately receive status 429 and are not
    /// logged.
    static let mostDelayed = 64

    /// The minimum time between two audit events for the same address.
    static let auditInterval: Duration = .seconds(60)

    /// The maximum number of addresses for which audit events are recorded per interval.
    private static let mostAddresses = 100

    private struct State {
        var delayed = 0
        var audited: [IPAddress: Duration] = [:]
    }

    private let state = Locked(State())
    private let log: Log
    private let time: any TimeSource
    private let random: any RandomSource
    private let delay: Duration
    private let metrics: ServerMetrics
    private let database: any Database

    /// Creates a recorder that delays each response by the given duration.
    init(
        log: Log,
        time: any TimeSource,
        random: any RandomSource,
        delay: Duration,
        metrics: ServerMetrics,
        database: any Database
    ) {
        self.log = log
        self.time = time
        self.random = random
        self.delay = delay
        self.metrics = metrics
        self.database = database
    }

    /// Records a rejected request, waits for the delay, and returns a response with status 401.
    ///
    /// Every rejected request is counted in the metrics. If ``mostDelayed`` responses are already being
    /// delayed, this method immediately returns a response with status 429.
    ///
    /// - Parameters:
    ///   - refusal: The reason for the rejection, which the response includes.
    ///   - request: The rejected request. The request's method and path are logged.
    ///   - peer: The address of the connection. This must not be a forwarded address.
    /// - Returns: The response. A response with status 401 has a `WWW-Authenticate` header.
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
        // Don't log requests above the limit. Otherwise an attacker could flood the log.
        guard hasRoom else {
            return ServerError.tooManyRequests(retryAfter: 1).response(echoing: nil)
        }
        defer { state.withLock { $0.delayed -= 1 } }
        log.write(
            .warning,
            "admin.refused",
            Log.Field("reason", refusal),
            Log.Field("method", request.method),
            Log.Field("path", LoggedPath(request)),
            Log.Field("peer", peer)
        )
        await audit(refusal, from: peer)
        try? await time.sleep(for: delay)
        let challenge = AuthenticationChallenge.bearer(
            admin: true,
            refusal == .wrongToken ? .invalidToken : nil
        )
        return ServerError(401, reason: refusal.text, headers: .challenge(challenge)).response(echoing: nil)
    }

    /// Appends an audit event unless the address already has one in the current interval.
    ///
    /// Errors are logged instead of thrown.
    private func audit(_ refusal: AdminRefusal, from peer: PeerAddress) async {
        // We use the uptime, because events would be dropped for too long after the clock was set back.
        let uptime = time.uptime
        let isDue = state.withLock { state in
            state.audited = state.audited.filter { uptime - $0.value < Self.auditInterval }
            guard state.audited[peer.address] == nil, state.audited.count < Self.mostAddresses else {
                return false
            }
            state.audited[peer.address] = uptime
            return true
        }
        guard isDue else { return }
        let event = AuditEvent(adminRefusal: refusal, from: peer, at: time.now, random: random)
        do {
            try await database.transaction { transaction in try AuditLog.append(event, in: transaction) }
        } catch {
            log.write(.error, "audit.failed", Log.Field("error", LoggedError(error)))
        }
    }
}

extension AdminRefusal: Loggable {
    package var logged: JSONValue { .string(rawValue) }
}
