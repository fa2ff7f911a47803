package import LatchkeyCrypto
package import LatchkeyModel
package import LatchkeyServerKit

/// Sends messages from a transactional outbox in the database, with at-least-once delivery.
///
/// Messages are stored in the caller's transaction, so a message is sent if and only if that transaction
/// commits. After the commit, the row in the outbox marks the message as unsent. If the server crashes while
/// sending a message, the lease on the message expires and another worker sends it.
///
/// Exactly-once delivery is impossible: after the provider has accepted a message, the server may be killed,
/// or the response may get lost, before the outcome is recorded. If that happens, the courier sends the
/// message again with the same idempotency key, which is the message id. The key is sent as `Idempotency-Key`
/// over HTTP and as `Message-ID` in e-mails. A provider that supports idempotency keys delivers the message
/// only once, and mail clients recognize the second e-mail as a duplicate.
///
/// Two servers never send the same message at the same time. A lease is acquired with a single conditional
/// statement and lasts longer than any attempt may take. An outcome is recorded only while the lease is still
/// held.
///
/// Each channel has its own workers, so a mail server that doesn't respond can't delay text messages.
package final class Courier: Sendable {
    /// A worker's channel and the stream of signals that wake it up.
    private struct Seat: Sendable {
        let channel: Message.Channel
        /// Yields whenever the worker should wake up.
        ///
        /// At most one signal is buffered. The stream finishes when the courier is stopped.
        let rings: AsyncStream<Void>
        let bell: AsyncStream<Void>.Continuation
    }

    /// The state of all workers, protected by a lock.
    private struct State {
        /// The running worker tasks.
        ///
        /// This array is empty until ``Courier/start()`` is called.
        var tasks: [Task<Void, Never>] = []
        /// Set by ``Courier/stop(grace:)`` to make the workers exit.
        var isStopping = false

        /// The indices of the workers that are idle or about to check for work, for each channel.
        var idle: [Message.Channel: Set<Int>] = [:]

        /// When an idle worker will next poll the outbox for each channel, as an uptime.
        ///
        /// The other idle workers sleep until they are woken up.
        ///
        /// We use the uptime because timers aren't rescheduled when the wall clock is adjusted.
        private var nextLook: [Message.Channel: Duration] = [:]

        /// Schedules the channel's next poll.
        ///
        /// Returns `false` if another worker is already scheduled to poll at that time or earlier.
        mutating func watches(_ channel: Message.Channel, at look: Duration) -> Bool {
            if let next = nextLook[channel], next <= look { return false }
            nextLook[channel] = look
            return true
        }

        /// Clears the time of the channel's next poll after a worker has woken up for that poll.
        mutating func watched(_ channel: Message.Channel, at look: Duration) {
            if nextLook[channel] == look { nextLook[channel] = nil }
        }
    }

    /// How long a provider typically takes to accept a text message.
    ///
    /// A node that hasn't waited for a message yet imitates this.
    private static let usualWait: Duration = .milliseconds(300)

    /// How many recent waits ``imitateFirstAttempt(atMost:)`` chooses from.
    private static let mostWaits = 16

    private let worker: CourierWorker
    /// How long recent callers of ``waitForFirstAttempt(_:atMost:)`` have waited.
    private let recentWaits = Locked<[Duration]>([])
    /// The workers of all channels.
    ///
    /// `State` refers to the workers by their index in this array.
    private let seats: [Seat]
    private let state = Locked(State())
    /// The uptime when this node last reported ``CourierIncident/textMessagesNearLimit``, or `nil` if it
    /// never has.
    private let textWarning = Locked<Duration?>(nil)

    /// Creates a courier.
    ///
    /// The courier doesn't send any messages until ``start()`` is called.
    ///
    /// - Parameters:
    ///   - database: The database that contains the outbox.
    ///   - secrets: The server secrets that the message encryption keys are derived from.
    ///   - delivery: Sends the messages.
    ///   - options: The channels, concurrency and retry policy.
    ///   - time: The clock.
    ///   - random: The source of randomness for jitter and nonces.
    ///   - metrics: The counters that are incremented for each delivery attempt.
    ///   - report: Called with every incident that the operator should know about.
    /// - Throws: ``CryptoError`` if the encryption keys cannot be derived.
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

    /// Stores a message in the outbox and wakes the workers once the transaction has committed.
    ///
    /// A decoy is stored like a real message but never sent. Storing a decoy for an unknown account takes as
    /// much work as storing a message for a known account, so response times don't reveal which accounts
    /// exist. Don't wait for the first attempt to send a message that may be a decoy, because the courier
    /// never tries to send decoys.
    ///
    /// - Parameters:
    ///   - message: The message to send, whose id is used as the idempotency key of every attempt.
    ///   - identity: The account that the message is about, or `nil` if there is none. Deleting the account
    ///     also deletes the message.
    ///   - isDecoy: Whether the message is a decoy.
    ///   - isAwaited: Whether the current request will wait for the first attempt to send the message, which
    ///     then starts immediately. All other messages are sent after a short random delay
    ///     (``CourierOptions/pause``).
    ///   - transaction: The transaction for storing the message. Use the transaction that stores the new code
    ///     or whatever else the message is about.
    /// - Throws: ``CryptoError`` or `EncodingError` if the message cannot be encrypted, and ``DatabaseError``
    ///   if it cannot be stored.
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

    /// Wakes one idle worker per channel.
    ///
    /// The worker sends all messages that are due and waits for those that will be due soon.
    ///
    /// Call this after the transaction passed to ``enqueue(_:about:asDecoy:isAwaited:in:)`` has committed,
    /// because the workers can't see the message before that. If this method isn't called, the workers pick
    /// up the message within ``CourierOptions/poll``. This method can be called from any thread.
    package func wake() {
        for channel in Message.Channel.allCases { wakeOne(for: channel) }
    }

    /// Waits for the outcome of the first attempt to send a message.
    ///
    /// The outbox is read before and after waiting, because another node may have made the attempt. If the
    /// read after the wait fails with a database error, the result is ``FirstAttempt/pending``. If the
    /// calling task is cancelled, this method stops waiting and reads the outbox one last time.
    ///
    /// - Parameters:
    ///   - id: The id of a stored message that isn't a decoy.
    ///   - limit: The maximum time to wait.
    /// - Returns: The outcome, or ``FirstAttempt/pending`` if the attempt hasn't finished within the limit or
    ///   will be followed by another attempt.
    package func waitForFirstAttempt(_ id: Identifier, atMost limit: Duration) async -> FirstAttempt {
        let database = worker.database
        func known() async -> FirstAttempt? {
            try? await MessageRepository.firstAttempt(of: id, in: database)
        }
        let start = worker.time.uptime
        let heard = await worker.firstAttempts.wait(for: id, atMost: limit, time: worker.time, known: known)
        let wait = worker.time.uptime - start
        recentWaits.withLock { $0 = $0.suffix(Self.mostWaits - 1) + [wait] }
        if let heard { return heard }
        // Another node may have made the first attempt while we were waiting.
        return await known() ?? .pending
    }

    /// Waits about as long as the first attempt to send a message takes.
    ///
    /// Call this for a decoy where ``waitForFirstAttempt(_:atMost:)`` is called for a message. Otherwise, the
    /// response to a decoy would arrive too early.
    ///
    /// - Parameter limit: The maximum time to wait.
    /// - Returns: Always ``FirstAttempt/sent``.
    package func imitateFirstAttempt(atMost limit: Duration) async -> FirstAttempt {
        let waits = recentWaits.withLock { $0 }
        let place = worker.random.bytes(1).first.map(Int.init) ?? 0
        let wait = min(waits.isEmpty ? Self.usualWait : waits[place % waits.count], limit)
        if wait > .zero { try? await worker.time.sleep(for: wait) }
        return .sent
    }

    /// Starts the workers, unless they are already running or the courier has been stopped.
    ///
    /// Returns immediately after starting ``CourierOptions/workers`` tasks for each channel in
    /// ``CourierOptions/channels``.
    ///
    /// The worker tasks are not children of the caller's task, so cancelling that task doesn't cancel them.
    /// The workers run until ``stop(grace:)`` is called.
    package func start() {
        state.withLock { state in
            guard state.tasks.isEmpty, !state.isStopping else { return }
            state.tasks = seats.indices.map { seat in Task { await work(at: seat) } }
        }
    }

    /// Reports that the overall limit on text messages has almost been reached, at most once an hour.
    ///
    /// The reported incident is ``CourierIncident/textMessagesNearLimit``. Each node has its own hourly
    /// limit, so several nodes may report the same incident.
    package func reportTextMessagesNearLimit() {
        let now = worker.time.uptime
        let isDue = textWarning.withLock { last in
            if let last, now - last < .seconds(3600) { return false }
            last = now
            return true
        }
        if isDue { worker.report(.textMessagesNearLimit) }
    }

    /// Stops the workers after they have finished sending their current messages.
    ///
    /// Returns when all workers have exited. A stopped courier cannot be started again. Messages can still be
    /// stored, but they are not sent until another node sends them or the server is restarted.
    ///
    /// This method can be called concurrently. All calls wait for the same workers, but each call has its own
    /// grace period.
    ///
    /// - Parameter grace: How long to wait before cancelling the attempts that are still in progress. If an
    ///   attempt is cancelled, the message is sent again after its lease has expired.
    package func stop(grace: Duration) async {
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
    /// - Parameter place: The worker's index in `seats`.
    private func work(at place: Int) async {
        let seat = seats[place]
        var rings = seat.rings.makeAsyncIterator()
        let time = worker.time
        while true {
            // Register as idle before checking for work. Otherwise a message that is stored right after the
            // check might find no idle worker to wake up.
            let isStopping = state.withLock { state in
                state.idle[seat.channel, default: []].insert(place)
                return state.isStopping
            }
            if isStopping { return }
            var wasBusy = false
            let pause = await worker.step(seat.channel) {
                wasBusy = true
                state.withLock { _ = $0.idle[seat.channel]?.remove(place) }
                wakeOne(for: seat.channel)
            }
            guard pause > .zero else { continue }
            if wasBusy { state.withLock { _ = $0.idle[seat.channel, default: []].insert(place) } }
            // Only one idle worker per channel polls the outbox and wakes up another worker if there is more
            // work.
            let look = time.uptime + pause
            let isWatching = state.withLock { $0.watches(seat.channel, at: look) }
            let timer = isWatching || wasBusy ? alarm(seat, after: pause) : nil
            let ring: Void? = await rings.next()
            timer?.cancel()
            if isWatching { state.withLock { $0.watched(seat.channel, at: look) } }
            if ring == nil { return }
        }
    }

    /// Starts a timer that wakes the worker after a delay.
    private func alarm(_ seat: Seat, after pause: Duration) -> Task<Void, any Error> {
        let time = worker.time
        return Task {
            try await time.sleep(for: pause)
            seat.bell.yield()
        }
    }

    /// Wakes up one idle worker.
    ///
    /// Busy workers check for more work on their own.
    private func wakeOne(for channel: Message.Channel) {
        let place = state.withLock { $0.idle[channel]?.popFirst() }
        if let place { seats[place].bell.yield() }
    }
}
