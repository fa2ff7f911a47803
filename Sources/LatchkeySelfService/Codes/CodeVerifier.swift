package import LatchkeyAccounts
import LatchkeyCourier
package import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// A verifier of guesses at one-time codes.
///
/// Each guess is counted against its code and its address before it is compared, in the transaction that
/// applies the effects of the code. A rollback also undoes the count, so the caller must commit the
/// transaction even if the guess was wrong.
package struct CodeVerifier: Sendable {
    /// The result of verifying a guess.
    enum Verdict: Sendable {
        /// The guess was correct, and the code is now used.
        case right(CodeRepository.Guessed)
        /// The guess was wrong, and counts toward the limits of the code and of the address.
        case wrong
        /// The guess was not counted, because the flow has no open code.
        ///
        /// The state is `nil` if the flow has no code at all.
        case notJudged(IssuedCode.State?)
    }

    private let audit: AuditLog
    private let random: any RandomSource
    /// The number of guesses that a code accepts.
    private let attemptLimit: Int
    private let keys: CodeKeys
    private let limiter: Limiter
    private let limits: CodeLimits

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - keys: The keys under which codes are stored.
    ///   - limits: The rate limits on guesses, for each address and network.
    ///   - limiter: Undoes the count of a correct guess in the rate limits.
    ///   - codeSettings: The number of guesses that a code accepts.
    ///   - audit: The audit log, which stores addresses as hashes.
    ///   - random: The random source for the ids of audit events.
    package init(
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

    /// Verifies a guess: counts it, compares it, and marks the code as used if it was correct.
    ///
    /// A correct guess does not count toward the limit of the address. A wrong guess is written to the audit
    /// log only if it is the first guess that counts toward the limit of the code.
    ///
    /// - Parameters:
    ///   - code: The guess; `nil` if the submitted text cannot be a code, which counts as a wrong guess.
    ///   - flow: The flow in which the code was sent.
    ///   - channel: The only channel whose codes are compared; a guess at a code that was sent by another
    ///     channel does not count. `nil` for any.
    ///   - peer: The client's address, for the rate limits and the audit log.
    ///   - now: The time of the guess; a code that has expired by then is not compared.
    ///   - transaction: The transaction that counts the guess and applies the effects of the code.
    /// - Returns: Whether the guess was correct, wrong, or not compared.
    /// - Throws: 429 if the address has reached its limit of wrong codes. In that case, the code is not
    ///   compared, and the rollback of the transaction undoes the count.
    func judge(
        _ code: OneTimeCode?,
        of flow: Identifier,
        via channel: Message.Channel? = nil,
        from peer: PeerAddress,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> Verdict {
        let counted = try CodeRepository.countAttempt(
            of: flow,
            via: channel,
            limit: attemptLimit,
            at: now,
            in: transaction
        )
        guard let counted else {
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

    /// Counts and checks a guess, proves its address if it is correct, and decides how the flow continues.
    ///
    /// - Parameters:
    ///   - code: The guess; `nil` if the submitted text cannot be a code, which counts as a wrong guess.
    ///   - flow: The flow that the code belongs to.
    ///   - context: The request with the guess.
    ///   - transaction: The transaction that counts the guess and applies its effects.
    ///   - prove: Applies the rules of address ownership to a correct code and its account.
    /// - Returns: The decision; a correct code without an account is treated as wrong.
    /// - Throws: 429 if the address has reached its limit of wrong codes; the errors of `prove`.
    func decide(
        _ code: OneTimeCode?,
        in flow: Flow,
        for context: RequestContext,
        in transaction: borrowing Transaction,
        prove: (CodeRepository.Guessed, Identifier) throws -> AddressProver.Verdict
    ) throws -> CodeDecision<ProvenAddress> {
        let verdict = try judge(code, of: flow.id, from: context.peer, at: context.now, in: transaction)
        let guessed: CodeRepository.Guessed
        do throws(CodeRefusal) {
            guessed = try verdict.accepted()
        } catch {
            return CodeDecision(error, in: flow.kind)
        }
        guard let owner = guessed.identityID else { return CodeDecision(.wrong, in: flow.kind) }
        return CodeDecision(try prove(guessed, owner), on: guessed.address, in: flow.kind)
    }

    /// Writes a wrong guess to the audit log, under the nil UUID if the address has no account.
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
            from: peer.host,
            at: now,
            random: random
        )
        try AuditLog.append(event, in: transaction)
    }
}
