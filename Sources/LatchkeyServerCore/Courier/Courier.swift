package import LatchkeyCrypto
package import LatchkeyModel

/// Sends messages from an outbox in the database: at least once, under the same key, until they are of no use.
///
/// A message is put in within the caller's transaction, so that it is sent if and only if the rest has happened.
package final class Courier: Sendable {
    private struct State {
        var tasks: [Task<Void, Never>] = []
        var isStopping = false
    }

    private let worker: CourierWorker
    private let bells: [(stream: AsyncStream<Void>, bell: AsyncStream<Void>.Continuation)]
    private let state = Locked(State())

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
            report: report
        )
        bells = (0..<max(1, options.workers)).map { _ in
            let (stream, bell) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
            return (stream, bell)
        }
    }

    /// Puts a message into the outbox; call ``wake()`` when the transaction is done.
    ///
    /// A decoy costs what the message would cost, but nobody sends it: so a request that names an account and one that
    /// names none do the same work. Wait for no first attempt where a message may be a decoy: it never comes.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - isDecoy: Whether to leave it lying.
    ///   - transaction: The transaction that it belongs to.
    /// - Throws: What keeps it from being sealed or written.
    package func enqueue(
        _ message: Message,
        asDecoy isDecoy: Bool = false,
        in transaction: borrowing Transaction
    ) throws {
        let sealed = try worker.sealer.seal(message, random: worker.random)
        try MessageRepository.insert(
            message,
            sealed: sealed,
            isDecoy ? .decoy : .queued,
            at: worker.time.now,
            in: transaction
        )
    }

    /// Makes the workers look into the outbox now.
    package func wake() {
        for (_, bell) in bells { bell.yield() }
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
            state.tasks = bells.map { stream, bell in Task { await work(stream, bell) } }
        }
    }

    /// Ends the workers when what is under way is done.
    ///
    /// - Parameter grace: How long that may take; then it is broken off, and goes again when its lease is over.
    package func stop(grace: Duration = .seconds(5)) async {
        let tasks = state.withLock { state in
            state.isStopping = true
            return state.tasks
        }
        for (_, bell) in bells { bell.finish() }
        let time = worker.time
        let end = Task {
            try await time.sleep(for: grace)
            for task in tasks { task.cancel() }
        }
        for task in tasks { await task.value }
        end.cancel()
    }

    /// Deletes what was over before a time.
    package func sweep(before time: Timestamp, in transaction: borrowing Transaction) throws(DatabaseError) {
        try MessageRepository.deleteFinished(before: time, in: transaction)
    }

    private func work(_ stream: AsyncStream<Void>, _ bell: AsyncStream<Void>.Continuation) async {
        var rings = stream.makeAsyncIterator()
        let time = worker.time
        while !state.withLock(\.isStopping) {
            let pause = await worker.step()
            guard pause > .zero else { continue }
            let timer = Task {
                try await time.sleep(for: pause)
                bell.yield()
            }
            let ring: Void? = await rings.next()
            timer.cancel()
            if ring == nil { return }
        }
    }
}
