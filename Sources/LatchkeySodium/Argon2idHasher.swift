import CSodium
package import LatchkeyModel
package import LatchkeyServerCore

/// Argon2id on threads of its own, with a bounded queue before them.
///
/// New hashes and checks of passwords wait in lanes of their own and take turns, so that registrations do not starve
/// logins.
package final class Argon2idHasher: PasswordHasher {
    /// libsodium or a thread could not be had.
    package struct Unavailable: Error {}

    /// How far hashing steps back behind the threads that answer requests.
    private static let niceness: Int32 = 5

    private enum Lane: Int, CaseIterable {
        case check, create
    }

    private let parameters: Argon2idParameters
    private let random: any RandomSource
    /// Costs what a hash made now costs, and is the hash of nothing: its digest is random.
    private let nobodys: Argon2idHash
    private let foreign: [any ForeignHashing]
    private let queue: WorkQueue<@Sendable () -> Void>
    private let load: HashingLoad
    private let threads: [WorkThread]

    /// Starts the threads.
    ///
    /// - Parameters:
    ///   - parameters: The cost of new hashes; older hashes are checked at theirs.
    ///   - threads: How many hashes at once, each with its memory.
    ///   - queue: How many checks may wait, and how many new hashes; more are refused.
    ///   - foreign: Check passwords against hashes of other kinds, on the same threads.
    ///   - random: The source of salts.
    ///   - time: The clock by which the waiting time is estimated.
    /// - Throws: ``Unavailable``.
    package init(
        parameters: Argon2idParameters = .recommended,
        threads: Int,
        queue: Int = 64,
        foreign: [any ForeignHashing] = [],
        random: any RandomSource = SystemRandom(),
        time: any TimeSource = SystemTime()
    ) throws(Unavailable) {
        guard sodium_init() >= 0 else { throw Unavailable() }
        self.parameters = parameters
        self.random = random
        self.foreign = foreign
        nobodys = Argon2idHash(
            parameters,
            salt: random.bytes(Argon2idHash.saltSize),
            digest: random.bytes(Argon2idHash.digestSize)
        )
        let jobs = WorkQueue<@Sendable () -> Void>(capacity: queue, lanes: Lane.allCases.count)
        let load = HashingLoad(threads: max(1, threads), time: time)
        self.queue = jobs
        self.load = load
        do {
            self.threads = try (0..<max(1, threads)).map { number in
                try WorkThread(niceness: Self.niceness) {
                    while let job = jobs.take(atMost: 1).first { load.measure(onThread: number, job) }
                }
            }
        } catch {
            jobs.close()
            throw Unavailable()
        }
    }

    deinit {
        queue.close()
    }

    /// The processor time that the hashing threads have used.
    package var cpuTime: Duration { load.cpuTime }

    /// How many hashes were made or checked, and how long that took without waiting.
    package var total: (count: Int, time: Duration) { load.total }

    /// How many hashes wait for a thread.
    package var waiting: Int { queue.count }

    package func hash(_ password: Secret) async throws(PasswordHasherError) -> String {
        let salt = random.bytes(Argon2idHash.saltSize)
        let parameters = parameters
        return try await run(in: .create) { () throws(PasswordHasherError) in
            try Argon2idHash.compute(password, parameters, salt: salt).text
        }
    }

    package func verify(
        _ password: Secret,
        against hash: String?
    ) async throws(PasswordHasherError) -> PasswordVerdict {
        guard let hash, !hash.hasPrefix("$argon2") else {
            let stored = hash.map(Argon2idHash.init) ?? nobodys
            let isRight = try await run(in: .check) { () throws(PasswordHasherError) in
                try stored.matches(password)
            }
            guard isRight, hash != nil else { return .wrong }
            return .right(outdated: stored.isOutdated(for: parameters))
        }
        guard let stored = try? StoredHash(hash) else { return .wrong }
        let isRight = try await run(in: .check) { [foreign] () throws(PasswordHasherError) in
            for kind in foreign {
                if let isRight = try kind.matches(password, stored) { return isRight }
            }
            return false
        }
        return isRight ? .right(outdated: true) : .wrong
    }

    /// Takes no more work, and waits for what is under way.
    package func close() async {
        queue.close()
        for thread in threads { await thread.ended() }
    }

    /// Runs work on one of the threads; goes on to its end when the caller is cancelled.
    private func run<Outcome: Sendable>(
        in lane: Lane,
        _ work: @escaping @Sendable () throws(PasswordHasherError) -> Outcome
    ) async throws(PasswordHasherError) -> Outcome {
        let result: Result<Outcome, PasswordHasherError> = await withCheckedContinuation { continuation in
            do {
                try queue.append(
                    { continuation.resume(returning: Result(catching: work)) },
                    lane: lane.rawValue
                )
            } catch {
                continuation.resume(
                    returning: .failure(.overloaded(retryAfter: load.retryAfter(waiting: queue.count)))
                )
            }
        }
        return try result.get()
    }
}
