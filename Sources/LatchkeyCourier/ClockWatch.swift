import LatchkeyModel
import LatchkeyServerKit

/// Notices when the wall clock was set back, by comparing it with the monotonic clock.
final class ClockWatch: Sendable {
    /// Smaller differences are caused by the time between two readings.
    private static let tolerance: Duration = .seconds(1)

    /// How far the wall clock was ahead of the monotonic clock since each channel's last check, at most.
    private let leads = Locked<[Message.Channel: Duration]>([:])

    /// Returns whether the clock was set back since the channel's last check, or there was none.
    func wasSetBack(for channel: Message.Channel, by time: any TimeSource) -> Bool {
        let lead = Self.lead(of: time)
        return leads.withLock { leads in
            guard let last = leads[channel] else { return true }
            leads[channel] = max(last, lead)
            return last - lead > Self.tolerance
        }
    }

    /// Records that the channel's messages have been checked.
    func checked(_ channel: Message.Channel, by time: any TimeSource) {
        let lead = Self.lead(of: time)
        leads.withLock { $0[channel] = lead }
    }

    private static func lead(of time: any TimeSource) -> Duration {
        .microseconds(time.now.microseconds) - time.uptime
    }
}
