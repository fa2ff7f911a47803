import Glibc
import LatchkeyModel

/// Repeatedly performs a unit of work on several connections, each on its own thread.
struct Load: Sendable {
    struct Outcome: Sendable {
        var latencies: Latencies
        var seconds: Double

        var perSecond: Double { Double(latencies.count) / seconds }
    }

    let port: Int
    let connections: Int
    let duration: Duration

    /// - Parameter work: Performs one unit of work with the given connection. The number is unique to each
    ///   unit.
    /// - Returns: The duration of each unit of work and of the whole run.
    func run(_ work: @escaping @Sendable (BlockingConnection, Int) throws -> Void) -> Outcome {
        let total = Locked(Latencies())
        let clock = ContinuousClock()
        let start = clock.now
        let end = start.advanced(by: duration)
        let threads = (0..<connections).map { index in
            LoadThread {
                var own = Latencies()
                var number = index
                var connection = try? BlockingConnection(port: port)
                while clock.now < end {
                    let begin = clock.now
                    do {
                        guard let current = connection else {
                            throw BlockingConnection.Failure(what: "no connection")
                        }
                        try work(current, number)
                        own.add(begin.duration(to: clock.now).wholeMicroseconds)
                    } catch {
                        own.addError()
                        connection = try? BlockingConnection(port: port)
                    }
                    number += connections
                }
                total.withLock { $0.merge(own) }
            }
        }
        for thread in threads { thread.join() }
        let elapsed = start.duration(to: clock.now)
        return Outcome(latencies: total.withLock { $0 }, seconds: Double(elapsed.wholeMicroseconds) / 1e6)
    }
}
