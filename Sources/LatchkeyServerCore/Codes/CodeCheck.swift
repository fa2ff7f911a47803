import LatchkeyModel
import LatchkeyWire

/// Judges guesses at the codes that were sent.
struct CodeCheck: Sendable {
    /// What came of a guess.
    enum Verdict: Sendable {
        /// It was right, and the code is used up.
        case right(CodeRepository.Guessed)
        /// It counts, against the code and against the address.
        case wrong
        /// There was no code to guess at; nothing counts.
        case notJudged(IssuedCode.State?)
    }

    private let context: ServerContext
    private let attemptLimit: Int
    private let keys: CodeKeys
    private let limiter: Limiter
    private let limits: CodeLimits

    init(_ context: ServerContext) {
        self.context = context
        attemptLimit = context.settings.codeAttempts
        keys = CodeKeys(secrets: context.secrets)
        limiter = Limiter(context)
        limits = CodeLimits(limiter, known: KnownNetworks(context))
    }

    /// Judges a guess: counts it, compares, and uses the code up when it was right.
    ///
    /// - Parameters:
    ///   - code: The guess; nothing for what has not the form of a code, which counts as any other.
    ///   - flow: The flow that the code was sent in.
    ///   - peer: The client's address.
    ///   - now: The time.
    ///   - transaction: Where it is counted, and where what the code opens is to happen.
    /// - Returns: The verdict.
    /// - Throws: 429 when the address has had its guesses; then the code was not compared, and the guess counts nowhere.
    func judge(
        _ code: OneTimeCode?,
        of flow: Identifier,
        from peer: PeerAddress,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> Verdict {
        let counted = try CodeRepository.countAttempt(of: flow, limit: attemptLimit, at: now, in: transaction)
        guard let counted else {
            let known = try CodeRepository.find(of: flow, in: transaction)
            return .notJudged(known?.state(at: now, attemptLimit: attemptLimit))
        }
        let reservation: LimitReservation
        let limited = try limits.reserveGuess(
            at: counted.address,
            of: counted.identityID,
            isFirst: counted.isFirst,
            from: peer,
            at: now,
            in: transaction
        )
        switch limited {
        case .reserved(let reserved): reservation = reserved
        case .refused(let retryAfter): throw ServerError.tooManyRequests(retryAfter: retryAfter)
        }
        guard
            let code,
            keys.matches(code, sealed: counted.sealed, flow: flow, address: counted.address.value)
        else {
            if counted.isFirst { try record(counted, from: peer, at: now, in: transaction) }
            return .wrong
        }
        try limiter.giveBack(reservation, in: transaction)
        guard try CodeRepository.use(counted.sealed, of: flow, at: now, in: transaction) else {
            return .notJudged(.used)
        }
        return .right(counted)
    }

    /// Writes the first wrong guess at a code to the audit log, whether or not there is an account.
    private func record(
        _ guessed: CodeRepository.Guessed,
        from peer: PeerAddress,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws {
        // The code of an unknown address has a random identity.
        let rows = try transaction.rows(
            "SELECT 1 FROM identities WHERE id = $1",
            .identifier(guessed.identityID ?? .nilUUID)
        )
        let event = AuditEvent(
            .codeWrong,
            of: rows.isEmpty ? .nilUUID : guessed.identityID ?? .nilUUID,
            by: .person,
            about: context.auditTrace.hash(guessed.address.value),
            from: peer.host,
            at: now,
            random: context.random
        )
        try AuditLog.append(event, in: transaction)
    }
}
