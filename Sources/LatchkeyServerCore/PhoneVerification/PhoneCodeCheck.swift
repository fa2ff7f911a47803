import LatchkeyModel
import LatchkeyWire

/// Judges guesses at the codes that were sent to phones.
struct PhoneCodeCheck: Sendable {
    /// What came of a guess.
    enum Verdict: Sendable {
        /// The flow's number is verified.
        case right
        /// It counts, against the code and against the number.
        case wrong
        /// There was no code to guess at; nothing counts.
        case notJudged(PhoneCode.State?)
        /// The code was right, but its flow has ended.
        case flowOver
    }

    private let database: any Database
    private let attemptLimit: Int
    private let keys: PhoneCodeKeys
    private let limiter: Limiter

    init(_ context: ServerContext) {
        database = context.database
        attemptLimit = context.settings.codeAttempts
        keys = PhoneCodeKeys(secrets: context.secrets)
        limiter = Limiter(context)
    }

    /// Judges a guess: counts it, compares, and uses the code up when it was right.
    ///
    /// - Throws: 429 when the number has had its guesses; then the code was not compared, and the guess counts nowhere.
    func judge(_ code: OneTimeCode, of flow: Identifier, at now: Timestamp) async throws -> Verdict {
        try await database.transaction { transaction in
            let counted = try PhoneCodeRepository.countAttempt(
                of: flow,
                limit: attemptLimit,
                at: now,
                in: transaction
            )
            guard let (sealed, phone) = counted else {
                let known = try PhoneCodeRepository.find(of: flow, in: transaction)
                return .notJudged(known?.state(at: now, attemptLimit: attemptLimit))
            }
            let reservation: LimitReservation
            switch try limiter.reserve([.guessForPhone(phone)], at: now, in: transaction) {
            case .reserved(let reserved): reservation = reserved
            case .refused(let retryAfter): throw ServerError.tooManyRequests(retryAfter: retryAfter)
            }
            guard keys.matches(code, sealed: sealed, flow: flow, phone: phone) else { return .wrong }
            try limiter.giveBack(reservation, in: transaction)
            guard
                try PhoneCodeRepository.use(sealed, of: flow, at: now, in: transaction),
                try FlowRepository.markVerified(phone, flow: flow, at: now, in: transaction)
            else { return .flowOver }
            return .right
        }
    }
}

extension PhoneCodeCheck.Verdict {
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
