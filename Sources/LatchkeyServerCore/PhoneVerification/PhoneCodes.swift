import LatchkeyModel
import LatchkeyWire

/// Sends and judges the codes that verify a phone number within a registration.
struct PhoneCodes: Sendable {
    /// What came of asking for a code.
    enum Sent: Sendable {
        /// The message is in the outbox, and sent if its first attempt went well.
        case accepted
        /// The provider will not send to this number.
        case refused
        /// The flow has ended meanwhile; nothing is sent.
        case flowOver
    }

    /// What came of a guess.
    enum Judged: Sendable {
        /// The flow's number is verified.
        case right
        /// It counts, against the code and against the number.
        case wrong
        /// There was no code to guess at; nothing counts.
        case notJudged(IssuedCode.State?)
        /// The code was right, but its flow has ended.
        case flowOver
    }

    private let context: ServerContext
    private let sending: CodeSending
    private let checking: CodeCheck

    init(_ context: ServerContext, courier: Courier) {
        self.context = context
        sending = CodeSending(context, courier: courier)
        checking = CodeCheck(context)
    }

    /// Sends a new code, which takes the place of the flow's old one.
    ///
    /// Nothing here looks for an account: a number that has one is treated as any other.
    ///
    /// - Throws: 429 when the number or the address has had its codes.
    func send(to phone: PhoneNumber, in flow: Flow, for exchange: Exchange) async throws -> Sent {
        let now = exchange.now
        let dispatch = sending.dispatch(
            .verificationCode,
            to: Traits.Address(via: .sms, value: phone.e164),
            in: flow.id,
            guesses: .forgotten,
            for: exchange
        )
        let isKept = try await context.database.transaction { [sending] transaction in
            try FlowRepository.insert(flow, in: transaction)
            guard try FlowRepository.beginVerifying(phone, flow: flow.id, at: now, in: transaction) else {
                return false
            }
            let wait = try sending.keep(
                dispatch,
                isAwaited: true,
                for: exchange.peer,
                at: now,
                in: transaction
            )
            if let wait { throw ServerError.tooManyRequests(retryAfter: wait) }
            return true
        }
        guard isKept else { return .flowOver }
        sending.wake()
        let attempt = await sending.firstAttempt(dispatch, atMost: context.settings.deliveryWait)
        return attempt == .refused ? .refused : .accepted
    }

    /// Judges a guess, and writes down the number as verified when it was right.
    ///
    /// - Throws: 429 when the number has had its guesses.
    func judge(
        _ code: OneTimeCode,
        of flow: Identifier,
        from peer: PeerAddress,
        at now: Timestamp
    ) async throws -> Judged {
        try await context.database.transaction { [checking] transaction in
            switch try checking.judge(code, of: flow, from: peer, at: now, in: transaction) {
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

extension PhoneCodes.Judged {
    /// The refusal that tells a client; nothing when the code was right or its flow is over.
    var refusal: ServerError? {
        switch self {
        case .right, .flowOver:
            nil
        case .wrong, .notJudged(nil), .notJudged(.open):
            ServerError(400, .codeInvalid, reason: "The code is not the one that was sent last.")
        case .notJudged(.used):
            ServerError(400, .codeUsed, reason: "The code was used already; ask for a new one.")
        case .notJudged(.expired):
            ServerError(400, .codeExpired, reason: "The code's time is over; ask for a new one.")
        case .notJudged(.exhausted):
            ServerError(
                400,
                .codeAttemptsExhausted,
                reason: "The code was guessed at too often; ask for a new one."
            )
        }
    }
}
