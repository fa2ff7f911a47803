import LatchkeyModel
import LatchkeyWire

/// Draws codes and has them sent to phones.
struct PhoneCodeSending: Sendable {
    /// What came of asking for a code.
    enum Outcome: Sendable {
        /// The message is in the outbox, and sent if its first attempt went well.
        case accepted
        /// The provider will not send to this number.
        case refused
        /// The flow has ended meanwhile; nothing is sent.
        case flowOver
    }

    private let context: ServerContext
    private let courier: Courier
    private let keys: PhoneCodeKeys
    private let limiter: Limiter

    init(_ context: ServerContext, courier: Courier) {
        self.context = context
        self.courier = courier
        keys = PhoneCodeKeys(secrets: context.secrets)
        limiter = Limiter(context)
    }

    /// Sends a new code, which takes the place of the flow's old one.
    ///
    /// Nothing here looks for an account: a number that has one is treated as any other.
    ///
    /// - Throws: 429 when the number or the address has had its codes.
    func send(
        to phone: PhoneNumber,
        in language: Language,
        flow: Flow,
        for peer: PeerAddress,
        at now: Timestamp
    ) async throws -> Outcome {
        let digits = OneTimeCode(random: context.random)
        let code = PhoneCode(
            phone: phone,
            sealed: keys.seal(digits, flow: flow.id, phone: phone),
            expiresAt: now + context.settings.codeLifespan
        )
        let message = context.messages.message(
            .verificationCode,
            to: Traits.Address(via: .sms, value: phone.e164),
            code: digits,
            lifespan: context.settings.codeLifespan,
            language: language,
            at: now,
            random: context.random
        )
        let isKept = try await keep(code, of: flow, with: message, for: peer, at: now)
        guard isKept else { return .flowOver }
        courier.wake()
        let attempt = await courier.waitForFirstAttempt(message.id, atMost: context.settings.deliveryWait)
        return attempt == .refused ? .refused : .accepted
    }

    /// Keeps the code and its message, both or neither.
    private func keep(
        _ code: PhoneCode,
        of flow: Flow,
        with message: Message,
        for peer: PeerAddress,
        at now: Timestamp
    ) async throws -> Bool {
        try await context.database.transaction { [courier, limiter] transaction in
            let events: [LimitedEvent] = [.codeForPhone(code.phone), .codeForAddress(peer)]
            if case .refused(let retryAfter) = try limiter.reserve(events, at: now, in: transaction) {
                throw ServerError.tooManyRequests(retryAfter: retryAfter)
            }
            try FlowRepository.insert(flow, in: transaction)
            guard
                try FlowRepository.beginVerifying(code.phone, flow: flow.id, at: now, in: transaction)
            else { return false }
            try PhoneCodeRepository.replace(code, of: flow.id, at: now, in: transaction)
            try courier.enqueue(message, in: transaction)
            return true
        }
    }
}
