package import LatchkeyCrypto
package import LatchkeyModel
package import LatchkeyServerKit

/// Sends messages from a transactional outbox in the database, with at-least-once delivery.
///
/// A message is stored within the caller's transaction, so that it is sent if and only if the transaction
/// commits. From then on its row is the record of the work to do. If the server crashes, the lease of a
/// message in flight expires and the message is due again.
///
/// Exactly-once delivery is impossible: the server may be killed, or the response may be lost, after the
/// provider has accepted a message and before that is recorded. Such a message is sent again with the same
/// idempotency key, the id of the message: `Idempotency-Key` over HTTP, `Message-ID` in mail. A provider that
/// honours the key delivers the message once, and mail programs treat the repeated mail as the same one.
///
/// Two servers never hold the same message: a lease is acquired by one conditional statement, lasts longer
/// than any attempt may take, and an outcome is recorded only while the lease is held.
///
/// Each channel has its own workers, so that an unresponsive mail server does not delay text messages.
package final class Courier: Sendable {
    /// A worker task: its channel and the signal that wakes it.
    private struct Seat: Sendable {
        /// The channel whose messages the worker sends.
        let channel: Message.Channel
        /// The signals to the worker, of which at most one is buffered; the stream ends when the courier is
        /// stopped.
        let rings: AsyncStream<Void>
        let bell: AsyncStream<Void>.Continuation
    }

    /// The state of the workers, which is accessed under a lock.
    private struct State {
        /// The running worker tasks; empty before ``Courier/start()``.
        var tasks: [Task<Void, Never>] = []
        /// Set by ``Courier/stop(grace:)``; workers end when they see it.
        var isStopping = false

        /// The indices of the workers that are idle or about to check for work, by channel.
        var idle: [Message.Channel: Set<Int>] = [:]

        /// The uptime at which the first idle worker of each channel polls again; the others sleep until they
        /// are woken.
        ///
        /// It is not a wall-clock time: a timer is not rescheduled when the wall clock is adjusted,
        /// so its wall-clock deadline would be wrong after such a step.
        private var nextLook: [Message.Channel: Duration] = [:]

        /// Schedules the next poll of a channel; returns `false` if another worker polls at the same time or
        /// earlier.
        mutating func watches(_ channel: Message.Channel, at look: Duration) -> Bool {
            if let next = nextLook[channel], next <= look { return false }
            nextLook[channel] = look
            return true
        }

        /// Clears the schedule of the worker that polls now.
        mutating func watched(_ channel: Message.Channel, at look: Duration) {
            if nextLook[channel] == look { nextLook[channel] = nil }
        }
    }

    private let worker: CourierWorker
    /// The workers of all channels; an index identifies a worker in the state.
    private let seats: [Seat]
    private let state = Locked(State())
    /// The time of the last incident ``CourierIncident/textMessagesNearLimit`` on this node; `nil` if there
    /// was none.
    private let textWarning = Locked<Timestamp?>(nil)

    /// Creates a courier; it sends no messages before ``start()``.
    ///
    /// - Parameters:
    ///   - database: The database with the outbox.
    ///   - secrets: The secrets from which the key that seals messages is derived.
    ///   - delivery: The provider that messages are sent through.
    ///   - options: The channels, concurrency and retry policy.
    ///   - time: The clock.
    ///   - random: The source of jitter and nonces.
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
    /// A decoy is stored like a message but never sent. It makes requests for unknown accounts do the same
    /// work as those for known accounts, to prevent account enumeration. Do not wait for the first attempt of
    /// a message that may be a decoy, as it never takes place.
    ///
    /// - Parameters:
    ///   - message: The message; its id is the idempotency key of all attempts.
    ///   - identity: The account that the message is about, whose deletion deletes it; `nil` if there is
    ///     none.
    ///   - isDecoy: Whether the message is a decoy.
    ///   - isAwaited: Whether the request waits for the first attempt. Other messages are due after a short
    ///     random pause (``CourierOptions/pause``).
    ///   - transaction: The transaction in which the reason for the message is recorded.
    /// - Throws: ``CryptoError`` or `EncodingError` if the message cannot be sealed; ``DatabaseError``.
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

    /// Wakes an idle worker of each channel, which sends what is due and waits for what is due soon.
    ///
    /// Call it after the transaction of ``enqueue(_:about:asDecoy:isAwaited:in:)`` has committed; before
    /// that, the workers cannot see the message. Without the call, the outbox is next read after at most
    /// ``CourierOptions/poll``. May be called from any thread.
    package func wake() {
        for channel in Message.Channel.allCases { wakeOne(for: channel) }
    }

    /// Waits for the outcome of the first attempt at a message.
    ///
    /// Another node may have made the attempt, so the outbox is read before and after waiting.
    ///
    /// A database error while reading the outbox counts as an unknown outcome. If the calling task is
    /// cancelled, the result is that of the last read of the outbox.
    ///
    /// - Parameters:
    ///   - id: The id of a message that is stored and not a decoy.
    ///   - limit: The maximum time to wait.
    /// - Returns: The outcome; ``FirstAttempt/pending`` if it is not known in time or the attempt will be
    ///   repeated.
    package func waitForFirstAttempt(_ id: Identifier, atMost limit: Duration) async -> FirstAttempt {
        let database = worker.database
        func known() async -> FirstAttempt? {
            try? await MessageRepository.firstAttempt(of: id, in: database)
        }
        let heard = await worker.firstAttempts.wait(for: id, atMost: limit, time: worker.time, known: known)
        if let heard { return heard }
        // Another node may have had it.
        return await known() ?? .pending
    }

    /// Starts the workers; has no effect if they are running or the courier was stopped.
    ///
    /// Returns immediately. The number of tasks is ``CourierOptions/workers`` for each channel of
    /// ``CourierOptions/channels``.
    ///
    /// The tasks are not children of the caller's task: cancelling that has no effect on them, and they run
    /// until ``stop(grace:)``.
    package func start() {
        state.withLock { state in
            guard state.tasks.isEmpty, !state.isStopping else { return }
            state.tasks = seats.indices.map { seat in Task { await work(at: seat) } }
        }
    }

    /// Reports that the overall limit of text messages is nearly reached, at most once an hour.
    ///
    /// The incident is ``CourierIncident/textMessagesNearLimit``. The hour is counted on this node; other
    /// nodes report by themselves.
    package func reportTextMessagesNearLimit(at now: Timestamp) {
        let isDue = textWarning.withLock { last in
            if let last, now - last < .seconds(3600) { return false }
            last = now
            return true
        }
        if isDue { worker.report(.textMessagesNearLimit) }
    }

    /// Stops the workers after the messages in flight.
    ///
    /// Returns when all workers have ended. A stopped courier cannot be started again, but still stores
    /// messages, which other nodes or the next process send.
    ///
    /// Concurrent calls wait for the same workers, each with a grace period of its own.
    ///
    /// - Parameter grace: The time until messages in flight are cancelled. A cancelled message is sent again
    ///   when its lease has expired.
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
            // Registered as idle before it checks for work: otherwise a message that is stored after the
            // check could find no worker to wake.
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
            // One idle worker polls by itself; it wakes another one when there is more work.
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

    /// Wakes one idle worker; busy ones check for work again by themselves.
    private func wakeOne(for channel: Message.Channel) {
        let place = state.withLock { $0.idle[channel]?.popFirst() }
        if let place { seats[place].bell.yield() }
    }
}
