package import LatchkeyCrypto
package import LatchkeyModel
package import LatchkeyServerKit

/// Sends messages from a transactional outbox in the database, with at-least-once delivery.
///
/// A message is stored within the caller's transaction, so it is sent if and only if the transaction commits.
/// After the commit, the row of the message shows that it must be sent. If the server crashes while it sends
/// a message, the lease of the message expires and the message is due again.
///
/// Exactly-once delivery is impossible: after the provider has accepted a message, the server may be killed
/// or the response may be lost before the outcome is recorded. The courier then sends the message again with
/// the same idempotency key, which is the id of the message: `Idempotency-Key` over HTTP, `Message-ID` in
/// mail. A provider that honors the key delivers the message once, and mail programs recognize the repeated
/// mail as a duplicate.
///
/// Two servers never send the same message at the same time: a lease is acquired by a single conditional
/// statement and lasts longer than any attempt may take, and an outcome is recorded only while the lease is
/// held.
///
/// Each channel has its own workers, so an unresponsive mail server does not delay text messages.
package final class Courier: Sendable {
    /// The channel of a worker task, and the signals that wake the task.
    private struct Seat: Sendable {
        /// The channel whose messages the worker sends.
        let channel: Message.Channel
        /// The signals that wake the worker.
        ///
        /// At most one signal is buffered, and the stream ends when the courier is stopped.
        let rings: AsyncStream<Void>
        let bell: AsyncStream<Void>.Continuation
    }

    /// The state of the workers, which is accessed under a lock.
    private struct State {
        /// The running worker tasks; empty before ``Courier/start()``.
        var tasks: [Task<Void, Never>] = []
        /// Whether ``Courier/stop(grace:)`` was called, which ends the workers.
        var isStopping = false

        /// The indices of the workers of each channel that are idle or about to check for work.
        var idle: [Message.Channel: Set<Int>] = [:]

        /// The uptime at which one idle worker of each channel polls next, while the others sleep until they
        /// are woken.
        ///
        /// The uptime is used because timers are not rescheduled when the wall clock is adjusted, so a
        /// wall-clock deadline could be wrong.
        private var nextLook: [Message.Channel: Duration] = [:]

        /// Schedules the next poll of a channel, or returns `false` if another worker is already scheduled to
        /// poll at that time or earlier.
        mutating func watches(_ channel: Message.Channel, at look: Duration) -> Bool {
            if let next = nextLook[channel], next <= look { return false }
            nextLook[channel] = look
            return true
        }

        /// Clears the scheduled poll of a channel after its worker has woken up.
        mutating func watched(_ channel: Message.Channel, at look: Duration) {
            if nextLook[channel] == look { nextLook[channel] = nil }
        }
    }

    private let worker: CourierWorker
    /// The workers of all channels, which `State` identifies by their indices in this array.
    private let seats: [Seat]
    private let state = Locked(State())
    /// The time at which this node last reported ``CourierIncident/textMessagesNearLimit``; `nil` if it has
    /// never done so.
    private let textWarning = Locked<Timestamp?>(nil)

    /// Creates a courier, which sends no messages until ``start()`` is called.
    ///
    /// - Parameters:
    ///   - database: The database with the outbox.
    ///   - secrets: The secrets from which the key that seals messages is derived.
    ///   - delivery: The provider that sends messages.
    ///   - options: The channels, concurrency and retry policy.
    ///   - time: The clock.
    ///   - random: The random source for jitter and nonces.
    ///   - metrics: The metrics that count messages.
    ///   - report: Called with incidents that an operator should see.
    /// - Throws: ``CryptoError`` if the key for sealing messages cannot be derived.
    package init(
        database: any Database,
        secrets: ServerSecrets,
        delivery: any MessageDelivery,
        options: CourierOptions = CourierOptions(),
        time: any TimeSource,
        random: any RandomSource,
        metrics: CourierMetrics = CourierMetrics(),
        report: @escaping @Sendable (CourierIncident) -> Void = { _ in }
    ) throws(CryptoError) {
        worker = CourierWorker(
            database: database,
            delivery: delivery,
            sealer: try MessageSealer(secrets),
            options: options,
            time: time,
            random: random,
            firstAttempts: FirstAttempts(),
            metrics: metrics,
            report: report
        )
        seats = options.channels.flatMap { channel in
            (0..<max(1, options.workers)).map { _ in
                let (rings, bell) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
                return Seat(channel: channel, rings: rings, bell: bell)
            }
        }
    }

    /// Stores a message in the outbox, and wakes the workers after the transaction has committed.
    ///
    /// A decoy is stored like a message but never sent. With decoys, requests for unknown accounts do the
    /// same work as requests for known accounts, which prevents account enumeration. Do not wait for the
    /// first attempt to send a message that may be a decoy, because there is none.
    ///
    /// - Parameters:
    ///   - message: The message, whose id is the idempotency key for all attempts.
    ///   - identity: The account that the message concerns, whose deletion also deletes the message; `nil` if
    ///     there is none.
    ///   - isDecoy: Whether the message is a decoy.
    ///   - isAwaited: Whether the request waits for the first attempt. Other messages are due after a short
    ///     random pause (``CourierOptions/pause``).
    ///   - transaction: The transaction that records the reason for the message, such as a new code.
    /// - Throws: ``CryptoError`` or `EncodingError` if the message cannot be sealed, or ``DatabaseError``.
    package func enqueue(
        _ message: Message,
        about identity: Identifier? = nil,
        asDecoy isDecoy: Bool = false,
        isAwaited: Bool = false,
        in transaction: borrowing Transaction
    ) throws {
        let sealed = try worker.sealer.seal(message, random: worker.random)
        let now = worker.time.now
        try MessageRepository.insert(
            message,
            about: identity,
            sealed: sealed,
            as: isDecoy ? .decoy : .queued,
            at: now,
            due: isAwaited ? now : now + worker.random.duration(in: worker.options.pause),
            in: transaction
        )
        transaction.afterCommit { [self] in wake() }
    }

    /// Wakes one idle worker of each channel, which sends all due messages and waits for those that are due
    /// soon.
    ///
    /// Call this method after the transaction of ``enqueue(_:about:asDecoy:isAwaited:in:)`` has committed,
    /// because the workers cannot see the message before the commit. Without this call, the workers read the
    /// outbox within ``CourierOptions/poll``. The method may be called from any thread.
    package func wake() {
        for channel in Message.Channel.allCases { wakeOne(for: channel) }
    }

    /// Waits for the outcome of the first attempt to send a message.
    ///
    /// The outbox is read before and after waiting, because another node may have made the attempt.
    ///
    /// If reading the outbox fails with a database error, the outcome is unknown. If the calling task is
    /// cancelled, the result comes from the last read of the outbox.
    ///
    /// - Parameters:
    ///   - id: The id of a stored message that is not a decoy.
    ///   - limit: The maximum time to wait.
    /// - Returns: The outcome, which is ``FirstAttempt/pending`` if it is not known in time or the attempt
    ///   will be repeated.
    package func waitForFirstAttempt(_ id: Identifier, atMost limit: Duration) async -> FirstAttempt {
        let database = worker.database
        func known() async -> FirstAttempt? {
            try? await MessageRepository.firstAttempt(of: id, in: database)
        }
        let heard = await worker.firstAttempts.wait(for: id, atMost: limit, time: worker.time, known: known)
        if let heard { return heard }
        // Another node may have made the attempt.
        return await known() ?? .pending
    }

    /// Starts the workers unless they are running or the courier was stopped.
    ///
    /// This method returns immediately. Each channel in ``CourierOptions/channels`` gets
    /// ``CourierOptions/workers`` tasks.
    ///
    /// The tasks are not children of the caller's task, so they are not cancelled with it. They run until
    /// ``stop(grace:)`` is called.
    package func start() {
        state.withLock { state in
            guard state.tasks.isEmpty, !state.isStopping else { return }
            state.tasks = seats.indices.map { seat in Task { await work(at: seat) } }
        }
    }

    /// Reports, at most once an hour, that the overall limit for text messages is nearly reached.
    ///
    /// The incident is ``CourierIncident/textMessagesNearLimit``. Each node measures the hour and reports
    /// independently of the other nodes.
    package func reportTextMessagesNearLimit(at now: Timestamp) {
        let isDue = textWarning.withLock { last in
            if let last, now - last < .seconds(3600) { return false }
            last = now
            return true
        }
        if isDue { worker.report(.textMessagesNearLimit) }
    }

    /// Stops the workers after they have sent the messages in progress.
    ///
    /// This method returns when all workers have ended. A stopped courier cannot be started again, but it
    /// still stores messages, which other nodes or the next process will send.
    ///
    /// Concurrent calls wait for the same workers, each with its own grace period.
    ///
    /// - Parameter grace: The time after which attempts in progress are cancelled. A message whose attempt
    ///   was cancelled is sent again when its lease has expired.
    package func stop(grace: Duration = .seconds(5)) async {
        let tasks = state.withLock { state in
            state.isStopping = true
            return state.tasks
        }
        for seat in seats { seat.bell.finish() }
        let time = worker.time
        let end = Task {
            try await time.sleep(for: grace)
            for task in tasks { task.cancel() }
        }
        for task in tasks { await task.value }
        end.cancel()
    }

    /// Runs a worker until the courier is stopped.
    ///
    /// - Parameter place: The index of the worker.
    private func work(at place: Int) async {
        let seat = seats[place]
        var rings = seat.rings.makeAsyncIterator()
        let time = worker.time
        while true {
            // The worker registers as idle before it checks for work. Otherwise, for a message stored just
            // after the check, there might be no idle worker to wake.
            let isStopping = state.withLock { state in
                state.idle[seat.channel, default: []].insert(place)
                return state.isStopping
            }
            if isStopping { return }
            let pause = await worker.step(seat.channel) {
                state.withLock { _ = $0.idle[seat.channel]?.remove(place) }
                wakeOne(for: seat.channel)
            }
            guard pause > .zero else { continue }
            // One idle worker polls on its own schedule, and wakes another worker when there is more work.
            let look = time.uptime + pause
            let isWatching = state.withLock { $0.watches(seat.channel, at: look) }
            let timer = isWatching ? alarm(seat, after: pause) : nil
            let ring: Void? = await rings.next()
            timer?.cancel()
            if isWatching { state.withLock { $0.watched(seat.channel, at: look) } }
            if ring == nil { return }
        }
    }

    /// Starts a timer that wakes a worker after a pause.
    private func alarm(_ seat: Seat, after pause: Duration) -> Task<Void, any Error> {
        let time = worker.time
        return Task {
            try await time.sleep(for: pause)
            seat.bell.yield()
        }
    }

    /// Wakes one idle worker, because busy workers check for work again without being woken.
    private func wakeOne(for channel: Message.Channel) {
        let place = state.withLock { $0.idle[channel]?.popFirst() }
        if let place { seats[place].bell.yield() }
    }
}
