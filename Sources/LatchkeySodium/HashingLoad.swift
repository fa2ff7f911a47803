package import LatchkeyModel

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Measures the number of hashes, their mean and total duration, and the processor time of the hashing
/// threads.
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

    /// Creates empty measurements for threads that are numbered from zero.
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

    /// Estimates from the mean duration of recent hashes how many seconds a rejected caller should wait (at
    /// least 1).
    ///
    /// The mean is a moving average, in which each new hash has a weight of one eighth. It starts at 25 ms.
    package func retryAfter(waiting: Int) -> Int {
        let mean = totals.withLock(\.mean)
        let wait = mean * (waiting + 1) / threads
        return max(1, Int(wait.components.seconds) + (wait.components.attoseconds > 0 ? 1 : 0))
    }

    /// Runs a job on the calling thread and records its duration and the processor time of the thread.
    ///
    /// - Parameters:
    ///   - thread: The number of the calling thread, counted from zero and different for each thread.
    ///   - job: The work, which runs once.
    package func measure(onThread thread: Int, _ job: () -> Void) {
        let start = time.now
        job()
        let duration = time.now - start
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
