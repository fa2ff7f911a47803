import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Sends and checks codes that verify a phone number during a registration.
struct PhoneVerifier: Sendable {
    /// The outcome of asking for a code.
    enum Sent: Sendable {
        /// The message is in the outbox. If the first delivery attempt succeeded in time, the message has
        /// already been sent.
        case accepted
        /// The provider permanently rejected the message to this number.
        case refused
        /// The flow was completed or has expired. No code was stored.
        case flowOver
    }

    /// The result of checking a code.
    enum Judged: Sendable {
        /// The guess was correct, and the flow's phone number is now verified.
        case right
        /// The guess was wrong and counts toward the limits for the code and the number.
        case wrong
        /// The guess wasn't counted, because the flow has no usable code.
        ///
        /// The state is `nil` if the flow has no code at all.
        case notJudged(IssuedCode.State?)
        /// The code was correct, but its flow was completed or has expired.
        case flowOver
    }

    private let courierSettings: CourierSettings
    private let database: any Database
    private let sender: CodeSender
    private let verifier: CodeVerifier

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - sender: Sends the codes.
    ///   - verifier: Compares entered codes with the stored code, and counts the attempts.
    ///   - courierSettings: How long to wait for the first delivery attempt.
    ///   - database: The database that stores flows and codes.
    init(
        sender: CodeSender,
        verifier: CodeVerifier,
        courierSettings: CourierSettings,
        database: any Database
    ) {
        self.sender = sender
        self.verifier = verifier
        self.courierSettings = courierSettings
        self.database = database
    }

    /// Sends a new code, which replaces the flow's previous one, and waits for the first delivery attempt.
    ///
    /// Accounts aren't looked up, so a number that belongs to an account is treated like any other. The wait
    /// starts after the flow and the code have been committed, and lasts at most ``CourierSettings/wait``. If
    /// another number has already been verified in the flow, that verification is discarded. Guesses at the
    /// previous code no longer count.
    ///
    /// - Returns: ``Sent/accepted``, unless the first attempt is known to have failed permanently.
    /// - Throws: A ``ServerError`` with status 429 if too many codes were sent to the number or requested
    ///   from the client's network, or 502 if the server sends no text messages to the number. Also throws
    ///   ``DatabaseError``.
    func send(to phone: PhoneNumber, in flow: Flow, for context: RequestContext) async throws -> Sent {
        let now = context.now
        let dispatch = sender.dispatch(
            .verificationCode,
            to: ContactAddress(via: .sms, value: phone.e164),
            in: flow.id,
            guesses: .forgotten,
            for: context
        )
        let outcome: CodeSender.Outcome? = try await database.transaction { [sender] transaction in
            try FlowRepository.insert(flow, in: transaction)
            guard try FlowRepository.beginVerifying(phone, flow: flow.id, at: now, in: transaction) else {
                return nil
            }
            let outcome = try sender.keep(
                dispatch,
                isAwaited: true,
                for: context.peer,
                at: now,
                in: transaction
            )
            if let refusal = outcome.refusal { throw refusal }
            return outcome
        }
        guard let outcome else { return .flowOver }
        let attempt = await sender.firstAttempt(dispatch, after: outcome, atMost: courierSettings.wait)
        return attempt == .refused ? .refused : .accepted
    }

    /// Checks a code and, if it is correct, marks the phone number as verified.
    ///
    /// The guess and its effect are committed in one transaction. Even if the flow has ended, a correct code
    /// can't be used again. If the registration's code was sent by e-mail, the guess is ignored and isn't
    /// counted.
    ///
    /// - Throws: A ``ServerError`` with status 429 if too many wrong codes were entered for the number. Also
    ///   throws ``DatabaseError``.
    func judge(
        _ code: OneTimeCode,
        of flow: Identifier,
        from peer: PeerAddress,
        at now: Timestamp
    ) async throws -> Judged {
        try await database.transaction { [verifier] transaction in
            let verdict = try verifier.judge(
                code,
                of: flow,
                via: .sms,
                from: peer,
                at: now,
                in: transaction
            )
            switch verdict {
            case .wrong: return .wrong
            case .notJudged(let state): return .notJudged(state)
            case .right(let guessed):
                guard let phone = PhoneNumber(guessed.address.value) else { return .wrong }
                let isOpen = try FlowRepository.markVerified(phone, flow: flow, at: now, in: transaction)
                return isOpen ? .right : .flowOver
            }
        }
    }
}

extension PhoneVerifier.Judged {
    /// The error to return to the client, or `nil` if the code was correct or its flow has ended.
    ///
    /// All errors have status 400 and can be told apart by their ids.
    var refusal: ServerError? {
        switch self {
        case .right, .flowOver:
            nil
        case .wrong, .notJudged(nil), .notJudged(.open):
            ServerError(400, id: .codeInvalid, reason: "The code does not match the latest code.")
        case .notJudged(.used):
            ServerError(400, id: .codeUsed, reason: "The code has already been used. Request a new one.")
        case .notJudged(.expired):
            ServerError(400, id: .codeExpired, reason: "The code has expired. Request a new one.")
        case .notJudged(.exhausted):
            ServerError(
                400,
                id: .codeAttemptsExhausted,
                reason: "Too many wrong codes were submitted. Request a new code."
            )
        }
    }
}
