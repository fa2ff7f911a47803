package import LatchkeyModel

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Measures how many hashes were computed, how long they took, and how much processor time the hashing
/// threads used.
package final class HashingLoad: Sendable {
    private struct Totals {
        var mean = Duration.milliseconds(25)
        var count = 0
        var time = Duration.zero
        var cpuTimes: [Duration]
    }

    private let threads: Int
    private let time: any TimeSource
    private let totals: Locked<Totals>

    /// Creates empty measurements.
    ///
    /// The threads are numbered from zero.
    package init(threads: Int, time: any TimeSource) {
        self.threads = threads
        self.time = time
        totals = Locked(Totals(cpuTimes: Array(repeating: .zero, count: threads)))
    }

    /// The total processor time of all hashing threads.
    package var cpuTime: Duration {
        totals.withLock { $0.cpuTimes.reduce(.zero, +) }
    }

    /// The number of hashes and their total duration.
    package var total: (count: Int, time: Duration) {
        totals.withLock { ($0.count, $0.time) }
    }

    /// Returns how many seconds a rejected caller should wait, estimated from recent hashes.
    ///
    /// The result is at least 1.
    ///
    /// The estimate uses a moving average in which each new hash has a weight of one eighth. The average
    /// starts at 25 ms.
    package func retryAfter(waiting: Int) -> Int {
        let mean = totals.withLock(\.mean)
        let wait = mean * (waiting + 1) / threads
        return max(1, Int(wait.components.seconds) + (wait.components.attoseconds > 0 ? 1 : 0))
    }

    /// Runs a job on the calling thread, and records its duration and the processor time that it used.
    ///
    /// - Parameters:
    ///   - thread: The number of the calling thread. Threads are numbered from zero.
    ///   - job: The work to run, which is called once.
    package func measure(onThread thread: Int, _ job: () -> Void) {
        let start = time.uptime
        job()
        let duration = time.uptime - start
        let used = Self.threadTime
        totals.withLock { totals in
            totals.count += 1
            totals.time += duration
            totals.mean = (totals.mean * 7 + duration) / 8
            totals.cpuTimes[thread] = used
        }
    }

    /// The processor time of the calling thread.
    private static var threadTime: Duration {
        var spent = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent)
        return .seconds(spent.tv_sec) + .nanoseconds(spent.tv_nsec)
    }
}
