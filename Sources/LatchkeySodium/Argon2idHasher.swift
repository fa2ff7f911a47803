import CSodium
package import LatchkeyAccounts
package import LatchkeyModel
import LatchkeyServerKit

/// A password hasher that computes Argon2id on its own threads, behind a bounded queue.
///
/// Password checks and new hashes wait in separate lanes that are served in turn, so registrations do not
/// starve logins.
package final class Argon2idHasher: PasswordHasher {
    /// The error thrown if libsodium cannot be initialized or a thread cannot be started.
    package struct Unavailable: Error {}

    /// The niceness of the hashing threads, relative to the threads that answer requests.
    private static let niceness: Int32 = 5

    /// The lanes of the queue, which are served in turn.
    private enum Lane: Int, CaseIterable {
        case check, create
    }

    private let parameters: Argon2idParameters
    private let random: any RandomSource
    /// The hash that is checked for unknown accounts, with a random digest and the cost of a new hash.
    private let dummyHash: Argon2idHash
    /// Verifiers for imported hashes of other kinds.
    private let foreign: [any ForeignHashing]
    private let queue: WorkQueue<@Sendable () -> Void>
    private let load: HashingLoad
    private let threads: [WorkThread]

    /// Starts the hashing threads.
    ///
    /// - Parameters:
    ///   - parameters: The cost of new hashes, which does not apply to checks of existing hashes.
    ///   - threads: The number of hashes that are computed concurrently, each with its own memory, which must
    ///     be at least 1.
    ///   - queue: The capacity of each of the two lanes, for checks and for new hashes. Further jobs fail
    ///     with `overloaded`.
    ///   - foreign: Verifiers for hashes of other kinds, which run on the same threads.
    ///   - random: The source of salts.
    ///   - time: The clock that measures hashing times, from which the waiting time is estimated.
    /// - Throws: ``Unavailable`` if libsodium cannot be initialized or a thread cannot be started.
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
        dummyHash = Argon2idHash(
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

    /// The processor time used by the hashing threads.
    ///
    /// The time is the total of all threads since they were started.
    package var cpuTime: Duration { load.cpuTime }

    /// The number of hashes that were computed or checked, and their total duration without the wait for a
    /// thread.
    package var total: (count: Int, time: Duration) { load.total }

    /// The number of jobs that wait for a thread.
    ///
    /// The number covers both lanes and excludes jobs in progress.
    package var waiting: Int { queue.count }

    /// Hashes a password with a random salt.
    ///
    /// Throws `overloaded` if the lane for new hashes is full, and `outOfMemory` if libsodium cannot allocate
    /// memory.
    package func hash(_ password: Secret) async throws(PasswordHasherError) -> String {
        let salt = random.bytes(Argon2idHash.saltSize)
        let parameters = parameters
        return try await run(in: .create) { () throws(PasswordHasherError) in
            try Argon2idHash.compute(password, parameters: parameters, salt: salt).text
        }
    }

    /// Checks a password against a stored hash.
    ///
    /// If `hash` is `nil`, a dummy hash is checked and the result is always `wrong`, so that a login to an
    /// unknown account takes the same time. A hash of another kind that matches is reported as outdated.
    package func verify(
        _ password: Secret,
        against hash: String?
    ) async throws(PasswordHasherError) -> PasswordVerdict {
        guard let hash, !hash.hasPrefix("$argon2") else {
            let stored = hash.map(Argon2idHash.init) ?? dummyHash
            let isRight = try await run(in: .check) { () throws(PasswordHasherError) in
                try stored.matches(password)
            }
            guard isRight, hash != nil else { return .wrong }
            return .right(outdated: stored.isOutdated(for: parameters))
        }
        guard let stored = try? StoredHash(hash) else { return .wrong }
        let isRight = try await run(in: .check) { [foreign] () throws(PasswordHasherError) in
            for kind in foreign {
                if let isRight = try kind.matches(password, hash: stored) { return isRight }
            }
            return false
        }
        return isRight ? .right(outdated: true) : .wrong
    }

    /// Rejects new jobs and waits for those in progress.
    ///
    /// Queued jobs are completed. Later calls to ``hash(_:)`` and ``verify(_:against:)`` throw `overloaded`.
    package func close() async {
        queue.close()
        for thread in threads { await thread.ended() }
    }

    /// Runs work on one of the threads, and completes it even if the caller is cancelled.
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
