import LatchkeyModel
import LatchkeyServerKit

/// Leases the due messages of a channel from the outbox, one at a time, and sends them.
///
/// A worker doesn't have any state of its own, so it can be used by several tasks concurrently.
struct CourierWorker: Sendable {
    let database: any Database
    /// Sends the messages.
    ///
    /// Each worker task sends one message at a time.
    let delivery: any MessageDelivery
    /// Encrypts new messages and decrypts leased ones.
    let sealer: MessageSealer
    let options: CourierOptions
    /// Determines when messages are due and when leases expire.
    ///
    /// The clocks of all nodes should agree to within a few seconds.
    let time: any TimeSource
    let random: any RandomSource
    /// The callers on this node that are waiting for an outcome.
    let firstAttempts: FirstAttempts
    let clock = ClockWatch()
    let metrics: CourierMetrics
    /// Called with every incident that the operator should know about.
    ///
    /// An incident that occurs during an attempt is reported before the outcome of the attempt is recorded.
    let report: @Sendable (CourierIncident) -> Void

    /// How long to wait after a database error.
    private static let pauseAfterTrouble: Duration = .seconds(1)

    /// How often a worker leases a message in a step, if the lease is too short for an attempt each time.
    private static let mostLeases = 2

    /// How long to wait if other workers have leased all messages that are due.
    ///
    /// Leased messages still look due until the other workers' transactions commit. Polling the outbox again
    /// immediately would slow down those transactions.
    private static let pauseAfterOthers: Duration = .milliseconds(50)

    /// Sends one message if one is due.
    ///
    /// Database errors are counted and reported instead of being thrown. After such an error, this method
    /// returns how long to wait before trying again. The lease is acquired in one transaction, and the
    /// outcome is recorded in another.
    ///
    /// - Parameters:
    ///   - channel: The channel to send a message on.
    ///   - isBusy: Called after a message has been leased and before it is sent, so that another worker can
    ///     look for the next message.
    /// - Returns: How long to wait before the next step, or zero if there may be more messages to send.
    func step(_ channel: Message.Channel, isBusy: () -> Void) async -> Duration {
        do {
            let now = time.now
            guard let due = try await nextDue(channel) else { return options.poll }
            guard due <= now else {
                if try await recallFuture(channel, at: now) { return .zero }
                return min(due - now, options.poll)
            }
            for _ in 0..<Self.mostLeases {
                let now = time.now
                let end = now + options.lease(channel)
                let leased = try await database.transaction {
                    try MessageRepository.take(channel, at: now, until: end, in: $0)
                }
                guard let leased else { return Self.pauseAfterOthers }
                isBusy()
                if await attempt(leased, on: channel, within: options.attempt(channel)) { return .zero }
            }
            // The database is slow, so don't burden it with leases that can't be used.
            return Self.pauseAfterTrouble
        } catch {
            noteTrouble(error)
            return Self.pauseAfterTrouble
        }
    }

    /// Makes messages due that were scheduled before the clock was set back.
    ///
    /// This reads the whole queue, so we do it only at the start and after the clock was set back.
    private func recallFuture(_ channel: Message.Channel, at now: Timestamp) async throws -> Bool {
        guard clock.wasSetBack(for: channel, by: time) else { return false }
        let isRecalled = try await MessageRepository.recallFuture(channel, at: now, in: database)
        clock.checked(channel, by: time)
        return isRecalled
    }

    /// Returns the time at which the channel's next queued message is due.
    ///
    /// Leased messages are included. Returns `nil` if there are no queued messages.
    private func nextDue(_ channel: Message.Channel) async throws(DatabaseError) -> Timestamp? {
        try await MessageRepository.nextDue(channel, in: database)
    }

    /// Tries to send a leased message, then reports, counts and records the outcome, in that order.
    ///
    /// If less than `limit` remains on the lease, the lease is given back instead. If the attempt is
    /// cancelled, its failure isn't recorded unless the provider rejected the message. A message whose outcome
    /// wasn't recorded is due again when the lease expires.
    ///
    /// - Returns: `false` if the lease was given back.
    private func attempt(
        _ leased: LeasedMessage,
        on channel: Message.Channel,
        within limit: Duration
    ) async -> Bool {
        // If this task was delayed, the attempt could take longer than the lease, and another worker might
        // send the message as well.
        guard time.now + limit <= leased.until else {
            await giveBack(leased)
            return false
        }
        guard let outcome = await outcome(of: leased) else { return true }
        // The outcome is reported before it is recorded, so a recorded outcome has always been reported.
        switch outcome {
        case .sent:
            break
        case .retry(_, let reason):
            report(.postponed(leased.id, attempt: leased.attempt, reason: reason))
        case .abandoned(let reason):
            report(.abandoned(leased.id, attempt: leased.attempt, reason: reason))
        }
        metrics.messages.add(MessageAttempt(channel: channel, outcome: .init(outcome)))
        await settle(leased, as: outcome)
        firstAttempts.announce(outcome.firstAttempt, of: leased.id)
        return true
    }

    /// Decrypts and sends a message.
    ///
    /// Every failure is returned as an outcome rather than thrown.
    ///
    /// Returns `nil` if the attempt was cancelled, because its outcome is unknown.
    ///
    /// ``DeliveryError/refused(_:)`` is final, whereas ``DeliveryError/failed(_:retryAfter:)`` is retried if
    /// the retry policy allows it.
    private func outcome(of leased: LeasedMessage) async -> MessageRepository.Outcome? {
        guard let message = sealer.open(leased) else {
            return .abandoned(reason: "The message was encrypted with a secret that is no longer configured.")
        }
        if let expiry = message.expiresAt, expiry <= time.now {
            return .abandoned(reason: "The message has expired.")
        }
        do {
            try await delivery.deliver(message, idempotencyKey: leased.id.description)
            return .sent
        } catch {
            switch error {
            case .refused(let reason):
                return .abandoned(reason: reason)
            case .failed(let reason, let asked):
                // Let the lease expire. The message is then sent again with the same idempotency key, even if
                // this was the last attempt.
                if Task.isCancelled { return nil }
                let retry = options.retries.retry(
                    after: leased.attempt,
                    at: time.now,
                    asked: asked,
                    expiry: message.expiresAt,
                    random: random
                )
                return retry.map { .retry(at: $0, reason: reason) } ?? .abandoned(reason: reason)
            }
        }
    }

    /// Records the outcome, retrying until the lease expires.
    ///
    /// If the outcome isn't recorded, the message is sent again.
    ///
    /// Cancelling the task stops the retries. If the lease was lost, the outcome is discarded.
    private func settle(_ leased: LeasedMessage, as outcome: MessageRepository.Outcome) async {
        while true {
            let now = time.now
            do {
                return try await database.transaction {
                    try MessageRepository.settle(leased, as: outcome, at: now, in: $0)
                }
            } catch {
                noteTrouble(error)
                guard now + Self.pauseAfterTrouble < leased.until else { return }
                guard (try? await time.sleep(for: Self.pauseAfterTrouble)) != nil else { return }
            }
        }
    }

    /// Makes a message due again that wasn't sent.
    ///
    /// If this fails, the message is due again when the lease expires.
    private func giveBack(_ leased: LeasedMessage) async {
        let now = time.now
        do {
            try await database.transaction { try MessageRepository.giveBack(leased, at: now, in: $0) }
        } catch {
            noteTrouble(error)
        }
    }

    /// Reports an error.
    ///
    /// Database errors are also counted by their code.
    private func noteTrouble(_ error: any Error) {
        if let error = error as? DatabaseError { metrics.databaseErrors.add(error.code) }
        report(.database(Self.description(of: error)))
    }

    /// Returns the description of a database error, but only the type name of any other error, because its
    /// description might include the content of a message.
    private static func description(of error: any Error) -> String {
        (error as? DatabaseError)?.description ?? "\(type(of: error))"
    }
}

extension MessageAttempt.Outcome {
    /// Returns the metric label for an outcome.
    ///
    /// If the message will be sent again, the label is `postponed`.
    fileprivate init(_ outcome: MessageRepository.Outcome) {
        switch outcome {
        case .sent: self = .sent
        case .retry: self = .postponed
        case .abandoned: self = .abandoned
        }
    }
}
