package import LatchkeyCrypto
package import LatchkeyModel

/// Sends messages from an outbox in the database: at least once, under the same key, until they are of no use.
///
/// A message is put in within the caller's transaction, so that it is sent if and only if the rest has happened. From then
/// on its row says what is to be done, and a server that dies loses nothing: the lease of what it had in hand runs out, and
/// the message is due again.
///
/// Exactly once cannot be had. Between a provider's taking a message and our writing that down, the server may be killed
/// or the answer may get lost, and nobody on this side can know which of the two came first. So such a message goes again,
/// and what makes it one is its id, which every attempt carries: `Idempotency-Key` over HTTP, `Message-ID` in a mail. A
/// provider that keeps to keys sends it to its person once; a person's mail program shows a repeated mail as the same.
/// Two servers never have one message at the same time: a lease is taken by one conditional statement, lasts longer than
/// any attempt may take, and an outcome counts only while the lease does.
///
/// Each channel has workers of its own, so that a mail server which hangs does not hold up text messages.
package final class Courier: Sendable {
    /// A worker: the channel that it serves and what wakes it.
    private struct Seat: Sendable {
        let channel: Message.Channel
        let rings: AsyncStream<Void>
        let bell: AsyncStream<Void>.Continuation
    }

    private struct State {
        var tasks: [Task<Void, Never>] = []
        var isStopping = false

        /// Who has nothing to do, or is about to find out.
        var idle: [Message.Channel: Set<Int>] = [:]

        /// The uptime at which the first of the idle workers looks again; the others sleep until they are woken.
        ///
        /// Not a time of the wall clock: after a step of it the alarm, which is not set anew, would seem to ring earlier
        /// than it does.
        private var nextLook: [Message.Channel: Duration] = [:]

        /// Notes that a worker looks again at an uptime; false when another one does so before.
        mutating func watches(_ channel: Message.Channel, at look: Duration) -> Bool {
            if let next = nextLook[channel], next <= look { return false }
            nextLook[channel] = look
            return true
        }

        /// Notes that the worker that watched looks now.
        mutating func watched(_ channel: Message.Channel, at look: Duration) {
            if nextLook[channel] == look { nextLook[channel] = nil }
        }
    }

    private let worker: CourierWorker
    private let seats: [Seat]
    private let state = Locked(State())
    private let textWarning = Locked<Timestamp?>(nil)

    /// Creates a courier; it sends nothing before ``start()``.
    ///
    /// - Parameters:
    ///   - context: The parts of the server that it uses.
    ///   - delivery: The way messages take.
    ///   - options: How it works.
    ///   - report: Is told about trouble.
    /// - Throws: ``CryptoError`` when there is no key to seal with.
    package init(
        _ context: ServerContext,
        delivery: any MessageDelivery,
        options: CourierOptions = CourierOptions(),
        report: @escaping @Sendable (CourierIncident) -> Void = { _ in }
    ) throws(CryptoError) {
        worker = CourierWorker(
            database: context.database,
            delivery: delivery,
            sealer: try MessageSealer(context.secrets),
            options: options,
            time: context.time,
            random: context.random,
            firstAttempts: FirstAttempts(),
            metrics: context.metrics,
            report: report
        )
        seats = options.channels.flatMap { channel in
            (0..<max(1, options.workers)).map { _ in
                let (rings, bell) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
                return Seat(channel: channel, rings: rings, bell: bell)
            }
        }
    }

    /// Puts a message into the outbox; call ``wake()`` when the transaction is done.
    ///
    /// A decoy costs what the message would cost, but nobody sends it: so a request that names an account and one that
    /// names none do the same work. Wait for no first attempt where a message may be a decoy: it never comes.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - identity: The account that it is about, with which it is deleted.
    ///   - isDecoy: Whether to leave it lying.
    ///   - isAwaited: Whether the request waits for the first attempt; any other message lies for a moment.
    ///   - transaction: The transaction that it belongs to.
    /// - Throws: What keeps it from being sealed or written.
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
            isDecoy ? .decoy : .queued,
            at: now,
            due: isAwaited ? now : now + worker.random.duration(in: worker.options.pause),
            in: transaction
        )
    }

    /// Makes somebody look into the outbox now, for messages of every channel, and wait for what is due soon.
    package func wake() {
        for channel in Message.Channel.allCases { wakeOne(for: channel) }
    }

    /// Waits until a message was tried once.
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

    /// Starts the workers, once.
    package func start() {
        state.withLock { state in
            guard state.tasks.isEmpty, !state.isStopping else { return }
            state.tasks = seats.indices.map { seat in Task { await work(at: seat) } }
        }
    }

    /// Reports that the limit of all text messages is nearly reached, at most once an hour.
    func reportTextMessagesNearLimit(at now: Timestamp) {
        let isDue = textWarning.withLock { last in
            if let last, now - last < .seconds(3600) { return false }
            last = now
            return true
        }
        if isDue { worker.report(.textMessagesNearLimit) }
    }

    /// Ends the workers when what is under way is done.
    ///
    /// - Parameter grace: How long that may take; then it is broken off, and goes again when its lease is over.
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

    private func work(at place: Int) async {
        let seat = seats[place]
        var rings = seat.rings.makeAsyncIterator()
        let time = worker.time
        while true {
            // Before it looks: whoever puts a message in after the look finds somebody to wake.
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
            // One of those who are idle looks again by itself; it wakes another one if there is work for two.
            let look = time.uptime + pause
            let isWatching = state.withLock { $0.watches(seat.channel, at: look) }
            let timer = isWatching ? alarm(seat, after: pause) : nil
            let ring: Void? = await rings.next()
            timer?.cancel()
            if isWatching { state.withLock { $0.watched(seat.channel, at: look) } }
            if ring == nil { return }
        }
    }

    private func alarm(_ seat: Seat, after pause: Duration) -> Task<Void, any Error> {
        let time = worker.time
        return Task {
            try await time.sleep(for: pause)
            seat.bell.yield()
        }
    }

    /// Wakes one who is idle; those who are busy look again by themselves.
    private func wakeOne(for channel: Message.Channel) {
        let place = state.withLock { $0.idle[channel]?.popFirst() }
        if let place { seats[place].bell.yield() }
    }
}
