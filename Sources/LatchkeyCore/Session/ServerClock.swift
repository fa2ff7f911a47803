import LatchkeyModel
import LatchkeyWire

/// The clocks of the identity server and of the app's APIs, as far as their responses have shown them.
///
/// Servers compare the time in a proof of possession with their own clocks (RFC 9449, section 4.3), so a device whose
/// clock is wrong needs theirs.
final class ServerClock: Sendable {
    /// A server's time, and the device's clocks when it was read.
    private struct Reading {
        let server: Timestamp
        let device: Timestamp
        let uptime: Duration
    }

    /// Smaller differences are within the precision of `Date` and the duration of a request.
    private static let tolerance: Duration = .seconds(10)
    private static let originLimit = 8

    private let home: String
    private let time: any TimeSource
    private let readings = Locked<[String: Reading]>([:])

    /// Creates a clock without any readings.
    ///
    /// - Parameters:
    ///   - home: The identity server's origin, whose clock is used for servers without a reading.
    ///   - time: The device's clock.
    init(home: String, time: any TimeSource) {
        (self.home, self.time) = (home, time)
    }

    /// Returns the time of a server, which is the device's own time if the two don't differ noticeably.
    func now(at origin: String) -> Timestamp {
        let (now, uptime) = (time.now, time.uptime)
        guard let reading = readings.withLock({ $0[origin] ?? $0[home] }) else { return now }
        let passed = uptime - reading.uptime
        // If the device's clock was set or the device was suspended in the meantime, the reading is useless.
        guard Self.isNegligible(now - reading.device - passed),
            !Self.isNegligible(reading.server - reading.device)
        else { return now }
        return reading.server + passed
    }

    /// Returns the time of the identity server.
    func now() -> Timestamp { now(at: home) }

    /// Reads a server's clock from the `Date` of a response.
    ///
    /// - Parameters:
    ///   - headers: The header fields. A response from a cache is ignored.
    ///   - origin: The server's origin.
    ///   - start: The device's uptime when the request was sent. The clock isn't read if the response took long.
    func note(_ headers: HTTP.Headers, from origin: String, askedAt start: Duration) {
        let (now, uptime) = (time.now, time.uptime)
        guard uptime - start <= Self.tolerance, headers["Age"].map({ $0 == "0" }) ?? true,
            let date = headers["Date"].flatMap({ Timestamp(httpDate: $0, now: now) })
        else { return }
        // `Date` is rounded down to seconds.
        let reading = Reading(server: date + .milliseconds(500), device: now, uptime: uptime)
        readings.withLock { readings in
            if readings.count >= Self.originLimit, readings[origin] == nil {
                readings = readings.filter { $0.key == home }
            }
            readings[origin] = reading
        }
    }

    /// Returns whether a server's time has turned out to differ noticeably from the one that a proof contains.
    ///
    /// - Parameters:
    ///   - issuedAt: The time in the proof.
    ///   - origin: The server's origin, or `nil` for the one that the clock was created with.
    /// - Returns: `true` if a proof with the server's time could be accepted instead.
    func differs(from issuedAt: Timestamp, at origin: String? = nil) -> Bool {
        !Self.isNegligible(now(at: origin ?? home) - issuedAt)
    }

    private static func isNegligible(_ difference: Duration) -> Bool {
        difference <= tolerance && difference >= .zero - tolerance
    }
}
