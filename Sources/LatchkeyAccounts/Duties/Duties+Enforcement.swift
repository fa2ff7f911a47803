package import LatchkeyServerKit
import LatchkeyWire

extension Duties {
    /// Rejects a request while a duty of the session's account blocks.
    ///
    /// - Throws: A ``ServerError`` with status 403 and the id `duty_required`, which names the first duty
    ///   that blocks and lists all duties, or ``DatabaseError``.
    package func requireNoneBlocking(
        for found: AuthenticatedSession,
        in context: RequestContext
    ) async throws {
        try Self.requireNoneBlocking(among: try await open(for: found, in: context))
    }

    /// Rejects a request if any of the duties blocks.
    ///
    /// - Throws: A ``ServerError`` with status 403 and the id `duty_required`.
    package static func requireNoneBlocking(among duties: [AccountDuty]) throws(ServerError) {
        if let refusal = ServerError(refusingWhile: duties) { throw refusal }
    }
}

extension [AccountDuty] {
    /// The duty that the user has to take first, because it blocks.
    package var firstBlocking: AccountDuty? { first(where: \.isBlocking) }
}

extension ServerError {
    /// Creates the error for a request of an account with duties, or returns `nil` if none of them blocks.
    init?(refusingWhile duties: [AccountDuty]) {
        guard let first = duties.firstBlocking else { return nil }
        var details = JSONWriter()
        details.value(duties)
        self.init(
            403,
            id: .dutyRequired,
            reason: "The user has to complete a step first: \(first.kind.rawValue).",
            duty: first.kind,
            duties: details.bytes
        )
    }
}
