import CSodium
package import LatchkeyAccounts
package import LatchkeyModel
import LatchkeyServerKit

/// Hashes passwords with Argon2id on its own threads, behind a bounded queue.
///
/// Password checks and new hashes wait in separate lanes that take turns, so that registrations don't starve
/// logins. Imported hashes can take much longer than our own, so they are checked on a thread of their own: a
/// client that enters wrong passwords for such accounts only delays the owners of other imported hashes.
package final class Argon2idHasher: PasswordHasher {
    /// Thrown if libsodium cannot be initialized or a thread cannot be started.
    package struct Unavailable: Error {}

    /// The niceness of the hashing threads, which gives priority to the threads that handle requests.
    private static let niceness: Int32 = 5

    /// The two lanes of the queue, which take turns.
    private enum Lane: Int, CaseIterable {
        case check, create
    }

    private let parameters: Argon2idParameters
    private let random: any RandomSource
    /// The hash to check for unknown accounts, with a random digest and the same cost as a new hash.
    private let dummyHash: Argon2idHash
    /// Verifiers for other types of hashes, which may have been imported.
    private let foreign: [any ForeignHashing]
    private let queue: WorkQueue<@Sendable () -> Void>
    private let load: HashingLoad
    /// The queue for hashes that were created by other systems or at a higher cost.
    private let foreignQueue: WorkQueue<@Sendable () -> Void>
    private let foreignLoad: HashingLoad
    private let threads: [WorkThread]

    /// Starts the hashing threads.
    ///
    /// - Parameters:
    ///   - parameters: The cost of new hashes. This doesn't affect checks of existing hashes.
    ///   - threads: How many hashes can be computed at the same time, each with its own memory. Must be at
    ///     least 1.
    ///   - queue: The capacity of each of the two lanes, for checks and for new hashes, and of the queue for
    ///     imported hashes. When a lane is full, additional jobs fail with `overloaded`.
    ///   - foreign: Verifiers for other types of hashes, which run on an additional thread.
    ///   - random: The source of salts.
    ///   - time: The clock used to measure how long hashes take and to estimate waiting times.
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
        let foreignJobs = WorkQueue<@Sendable () -> Void>(capacity: queue, lanes: 1)
        let foreignLoad = HashingLoad(threads: 1, time: time)
        self.foreignQueue = foreignJobs
        self.foreignLoad = foreignLoad
        do {
            let ownThreads = try (0..<max(1, threads)).map { number in
                try WorkThread(niceness: Self.niceness) {
                    while let job = jobs.take(atMost: 1).first { load.measure(onThread: number, job) }
                }
            }
            let foreignThread = try WorkThread(niceness: Self.niceness) {
                while let job = foreignJobs.take(atMost: 1).first { foreignLoad.measure(onThread: 0, job) }
            }
            self.threads = ownThreads + [foreignThread]
        } catch {
            jobs.close()
            foreignJobs.close()
            throw Unavailable()
        }
    }

    deinit {
        queue.close()
        foreignQueue.close()
    }

    /// The total processor time that the hashing threads have used since they were started.
    package var cpuTime: Duration { load.cpuTime + foreignLoad.cpuTime }

    /// The number of hashes that were computed or checked, and how long they took in total, not counting the
    /// time spent waiting for a thread.
    package var total: (count: Int, time: Duration) {
        let (own, foreign) = (load.total, foreignLoad.total)
        return (own.count + foreign.count, own.time + foreign.time)
    }

    /// The number of jobs that are waiting for a thread.
    ///
    /// The number includes both lanes and imported hashes, but not jobs in progress.
    package var waiting: Int { queue.count + foreignQueue.count }

    /// Hashes a password in NFC with a random salt.
    ///
    /// Throws `overloaded` if the lane for new hashes is full, or `outOfMemory` if libsodium cannot allocate
    /// memory.
    package func hash(_ password: Secret) async throws(PasswordHasherError) -> String {
        let salt = random.bytes(Argon2idHash.saltSize)
        let (password, parameters) = (password.composed, parameters)
        return try await run(in: .create) { () throws(PasswordHasherError) in
            try Argon2idHash.compute(password, parameters: parameters, salt: salt).text
        }
    }

    /// Checks a password against a stored hash.
    ///
    /// If `hash` is `nil`, a dummy hash is checked and the result is always `wrong`, so that logging in to an
    /// unknown account takes just as long. A password that matches a hash of another type, or only as it was
    /// typed, is accepted, but the hash is reported as outdated.
    package func verify(
        _ password: Secret,
        against hash: String?
    ) async throws(PasswordHasherError) -> PasswordVerdict {
        let spellings = password.spellings
        guard let hash, !hash.hasPrefix("$argon2") else {
            let stored = hash.map(Argon2idHash.init) ?? dummyHash
            let isForeign = stored.isCostlier(than: parameters)
            let match = try await run(in: .check, asForeign: isForeign) { () throws(PasswordHasherError) in
                try Self.match(among: spellings) { spelling throws(PasswordHasherError) in
                    try stored.matches(spelling)
                }
            }
            guard let match, hash != nil else { return .wrong }
            return .right(outdated: match > 0 || stored.isOutdated(for: parameters))
        }
        guard let stored = try? StoredHash(hash) else { return .wrong }
        let match = try await run(in: .check, asForeign: true) { [foreign] () throws(PasswordHasherError) in
            try Self.match(among: spellings) { spelling throws(PasswordHasherError) in
                for kind in foreign {
                    if let isRight = try kind.matches(spelling, hash: stored) { return isRight }
                }
                return false
            }
        }
        return match == nil ? .wrong : .right(outdated: true)
    }

    /// Returns the index of the first form of a password that matches a hash, or `nil` if none does.
    private static func match(
        among spellings: [Secret],
        _ matches: (Secret) throws(PasswordHasherError) -> Bool
    ) throws(PasswordHasherError) -> Int? {
        for (index, spelling) in spellings.enumerated() where try matches(spelling) { return index }
        return nil
    }

    /// Rejects new jobs and waits for those in progress.
    ///
    /// Jobs that are already queued still run. Later calls to ``hash(_:)`` and ``verify(_:against:)`` throw
    /// `overloaded`.
    package func close() async {
        queue.close()
        foreignQueue.close()
        for thread in threads { await thread.ended() }
    }

    /// Runs work on one of the threads.
    ///
    /// The work is completed even if the caller is cancelled.
    private func run<Outcome: Sendable>(
        in lane: Lane,
        asForeign isForeign: Bool = false,
        _ work: @escaping @Sendable () throws(PasswordHasherError) -> Outcome
    ) async throws(PasswordHasherError) -> Outcome {
        let result: Result<Outcome, PasswordHasherError> = await withCheckedContinuation { continuation in
            let (queue, load) = isForeign ? (foreignQueue, foreignLoad) : (queue, load)
            do {
                try queue.append(
                    { continuation.resume(returning: Result(catching: work)) },
                    lane: isForeign ? 0 : lane.rawValue
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
