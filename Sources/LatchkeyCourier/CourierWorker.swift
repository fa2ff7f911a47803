import LatchkeyModel
import LatchkeyServerKit

/// Leases a channel's due messages from the outbox, one at a time, and sends them.
///
/// The worker has no state of its own, so any number of tasks can call it concurrently.
struct CourierWorker: Sendable {
    let database: any Database
    /// The provider, which each task calls with one message at a time.
    let delivery: any MessageDelivery
    /// Opens the content of leased messages and seals the content of new messages.
    let sealer: MessageSealer
    let options: CourierOptions
    /// The clock that determines when messages are due and when leases end.
    ///
    /// The clocks of all nodes should agree to within a few seconds.
    let time: any TimeSource
    let random: any RandomSource
    /// The callers on this node that wait for an outcome.
    let firstAttempts: FirstAttempts
    let metrics: CourierMetrics
    /// Called with each incident that an operator should see.
    ///
    /// An incident during an attempt is reported before the outcome of the attempt is recorded.
    let report: @Sendable (CourierIncident) -> Void

    /// The pause after a database error.
    private static let pauseAfterTrouble: Duration = .seconds(1)

    /// The pause when other workers have leased all messages that are due.
    ///
    /// Leased messages look due until the transactions of the other workers commit, and polling immediately
    /// would slow down those commits.
    private static let pauseAfterOthers: Duration = .milliseconds(50)

    /// Sends one due message.
    ///
    /// This method does not throw. After a database error, it counts and reports the error and returns the
    /// pause before the next attempt. The lease is acquired in one transaction and the outcome is recorded in
    /// another.
    ///
    /// - Parameters:
    ///   - channel: The channel to serve.
    ///   - isBusy: Called after a message is leased and before it is sent, so that another worker can look
    ///     for the next message.
    /// - Returns: The time to wait before the next step; zero if there may be more messages to send.
    func step(_ channel: Message.Channel, isBusy: () -> Void) async -> Duration {
        do {
            let now = time.now
            guard let due = try await nextDue(channel) else { return options.poll }
            guard due <= now else { return min(due - now, options.poll) }
            let end = now + options.lease(channel)
            let leased = try await database.transaction {
                try MessageRepository.take(channel, at: now, until: end, in: $0)
            }
            guard let leased else { return Self.pauseAfterOthers }
            isBusy()
            await attempt(leased, on: channel, within: options.attempt(channel))
            return .zero
        } catch {
            noteTrouble(error)
            return Self.pauseAfterTrouble
        }
    }

    /// Returns the earliest due time of the channel's queued messages, including leased ones; `nil` if there
    /// are none.
    private func nextDue(_ channel: Message.Channel) async throws(DatabaseError) -> Timestamp? {
        try await MessageRepository.nextDue(channel, in: database)
    }

    /// Makes one attempt to send a leased message, then reports, counts and records the outcome, in this
    /// order.
    ///
    /// No attempt is made if the remaining lease time is shorter than `limit`. The failure of a cancelled
    /// attempt is not recorded, unless the provider has rejected the message. In both cases, the message is
    /// due again when the lease expires.
    private func attempt(_ leased: LeasedMessage, on channel: Message.Channel, within limit: Duration) async {
        // If this task was delayed, the attempt could outlast the lease, and another worker might send the
        // message too.
        guard time.now + limit <= leased.until else { return }
        guard let outcome = await outcome(of: leased) else { return }
        // The outcome is reported before it is recorded, so that a reader of the recorded outcome can rely on
        // the report.
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
    }

    /// Opens and sends a message.
    ///
    /// This method does not throw, because every failure is an outcome.
    ///
    /// The result is `nil` if the outcome is unknown, because the attempt was cancelled.
    ///
    /// Delivery errors are classified by the provider: ``DeliveryError/refused(_:)`` is final, while
    /// ``DeliveryError/failed(_:retryAfter:)`` is retried as the policy permits.
    private func outcome(of leased: LeasedMessage) async -> MessageRepository.Outcome? {
        guard let message = sealer.open(leased) else {
            return .abandoned(reason: "The message was encrypted with a secret that no longer exists.")
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
                // The lease expires, and the message is sent again with the same idempotency key, even if
                // this was its last attempt.
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

    /// Records the outcome, and retries until the lease expires, because a message without a recorded outcome
    /// is sent again.
    ///
    /// Cancelling the task between two retries also ends the retries. The outcome is not recorded if the
    /// lease was lost.
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

    /// Reports an error, and counts it by its code if it is a database error.
    private func noteTrouble(_ error: any Error) {
        if let error = error as? DatabaseError { metrics.databaseErrors.add(error.code) }
        report(.database(Self.description(of: error)))
    }

    /// Returns the description of a database error, but only the type of any other error, whose description
    /// may quote a message.
    private static func description(of error: any Error) -> String {
        (error as? DatabaseError)?.description ?? "\(type(of: error))"
    }
}

extension MessageAttempt.Outcome {
    /// Converts an outcome to its metric label, which is `postponed` for a retry.
    fileprivate init(_ outcome: MessageRepository.Outcome) {
        switch outcome {
        case .sent: self = .sent
        case .retry: self = .postponed
        case .abandoned: self = .abandoned
        }
    }
}
