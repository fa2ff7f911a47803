import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Verifies one-time codes that users enter.
///
/// Each guess is counted against its code and its address before it is compared. Counting a guess and
/// applying the effects of a correct code happen in the same transaction. A rollback would undo the count, so
/// the caller must commit the transaction even if the guess was wrong.
struct CodeVerifier: Sendable {
    /// The result of verifying a guess.
    enum Verdict: Sendable {
        /// The guess was correct, and the code is now marked as used.
        case right(CodeRepository.Guessed)
        /// The guess was wrong and counts toward the limits for the code and the address.
        case wrong
        /// The guess wasn't counted, because the flow has no usable code or the text can't be a code.
        ///
        /// The state is `nil` if the flow has no code at all.
        case notJudged(IssuedCode.State?)
    }

    private let audit: AuditLog
    private let random: any RandomSource
    /// The maximum number of guesses per code.
    private let attemptLimit: Int
    private let keys: CodeKeys
    private let limiter: Limiter
    private let limits: CodeLimits

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - keys: The keys for the MACs of stored codes.
    ///   - limits: The rate limits on guesses per address and network.
    ///   - limiter: The limiter, which is needed to undo the count of a guess that was correct.
    ///   - codeSettings: The maximum number of guesses per code.
    ///   - audit: The audit log, which stores addresses as hashes.
    ///   - random: The random source for the ids of audit events.
    init(
        keys: CodeKeys,
        limits: CodeLimits,
        limiter: Limiter,
        codeSettings: CodeSettings,
        audit: AuditLog,
        random: any RandomSource
    ) {
        self.limiter = limiter
        self.audit = audit
        self.random = random
        attemptLimit = codeSettings.guesses
        self.keys = keys
        self.limits = limits
    }

    /// Counts a guess, compares it with the code, and marks the code as used if the guess is correct.
    ///
    /// Correct guesses don't count toward the address's limit. Wrong guesses are written to the audit log
    /// only if they are the first to count toward the code's limit.
    ///
    /// Text that can't be a code isn't a guess: it is rejected like a wrong code, but counts toward no limit.
    ///
    /// - Parameters:
    ///   - code: The guess, or `nil` if the submitted text can't be a code.
    ///   - address: The address that the code must have been sent to, or `nil` for any. If it was sent to
    ///     another one, the guess is wrong.
    ///   - flow: The flow in which the code was sent.
    ///   - channel: The channel that the code must have been sent by, or `nil` for any. If the code was sent
    ///     by another channel, the guess isn't counted.
    ///   - peer: The client's address, for rate limiting and the audit log.
    ///   - now: The time of the guess. The guess isn't compared with a code that has expired by this time.
    ///   - transaction: The transaction that counts the guess and applies the effects of the code.
    /// - Returns: Whether the guess was correct, wrong, or not checked at all.
    /// - Throws: A ``ServerError`` with status 429 if a rate limit for wrong codes has been reached. In this
    ///   case, the code isn't compared, and the guess counts toward the code's limit only if the caller
    ///   commits the transaction.
    func judge(
        _ code: OneTimeCode?,
        sentTo address: String? = nil,
        of flow: Identifier,
        via channel: Message.Channel? = nil,
        from peer: PeerAddress,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> Verdict {
        guard
            let code,
            let counted = try CodeRepository.countAttempt(
                of: flow,
                via: channel,
                limit: attemptLimit,
                at: now,
                in: transaction
            )
        else {
            let known = try CodeRepository.find(of: flow, in: transaction)
            guard let known, channel ?? known.address.via == known.address.via else { return .notJudged(nil) }
            return .notJudged(known.state(at: now, attemptLimit: attemptLimit))
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
            address ?? counted.address.value == counted.address.value,
            keys.matches(code, sealed: counted.sealed, flow: flow, address: counted.address.value),
            now < counted.validUntil
        else {
            if counted.isFirst { try record(counted, from: peer, at: now, in: transaction) }
            return .wrong
        }
        try limiter.giveBack(reservation, in: transaction)
        guard try CodeRepository.use(counted.sealed, of: flow, at: now, in: transaction) else {
            return .notJudged(.used)
        }
        if counted.address.via == .sms {
            try limits.recordProof(of: counted.address, from: peer, at: now, in: transaction)
        }
        return .right(counted)
    }

    /// Returns whether a new code of a flow can be entered.
    ///
    /// Earlier wrong guesses count for a new code as well, unless the code is sent with
    /// ``CodeRepository/Guesses/forgotten``.
    ///
    /// - Throws: ``DatabaseError``.
    func allowsGuess(
        in flow: Identifier,
        transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        guard let earlier = try CodeRepository.find(of: flow, in: transaction) else { return true }
        return earlier.attempts < attemptLimit
    }

    /// Verifies a code and decides how the flow continues.
    ///
    /// If the code is correct, `prove` applies the rules of address ownership to its address and account.
    ///
    /// - Parameters:
    ///   - code: The guess, or `nil` if the submitted text can't be a code.
    ///   - address: The address that the code must have been sent to, or `nil` for any.
    ///   - flow: The flow that the code was sent for.
    ///   - context: The request that contains the guess.
    ///   - transaction: The transaction that counts the guess and applies its effects.
    ///   - prove: Applies the rules of address ownership to a correct code and the account that it was sent
    ///     for.
    /// - Returns: The decision. A correct code that has no account is treated as wrong.
    /// - Throws: A ``ServerError`` with status 429 if a rate limit for wrong codes has been reached. Errors
    ///   thrown by `prove` are rethrown.
    func decide(
        _ code: OneTimeCode?,
        sentTo address: String? = nil,
        in flow: Flow,
        for context: RequestContext,
        in transaction: borrowing Transaction,
        prove: (CodeRepository.Guessed, Identifier) throws -> AddressProver.Verdict
    ) throws -> CodeDecision<ProvenAddress> {
        let verdict = try judge(
            code,
            sentTo: address,
            of: flow.id,
            from: context.peer,
            at: context.now,
            in: transaction
        )
        let guessed: CodeRepository.Guessed
        do throws(CodeRefusal) {
            guessed = try verdict.accepted()
        } catch {
            return CodeDecision(error, in: flow.kind)
        }
        guard let owner = guessed.identityID else { return CodeDecision(.wrong, in: flow.kind) }
        return CodeDecision(try prove(guessed, owner), on: guessed.address, in: flow.kind)
    }

    /// Writes a wrong guess to the audit log.
    ///
    /// If the address has no account, the event uses the nil UUID.
    private func record(
        _ guessed: CodeRepository.Guessed,
        from peer: PeerAddress,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws {
        // The decoy for an unknown address has a random identity id.
        let id = guessed.identityID ?? .nilUUID
        let isKnown = try IdentityRepository.exists(id, in: transaction)
        let event = AuditEvent(
            .codeWrong,
            of: isKnown ? id : .nilUUID,
            by: .user,
            about: audit.hash(guessed.address.value),
            from: peer.address.description,
            at: now,
            random: random
        )
        try AuditLog.append(event, in: transaction)
    }
}
