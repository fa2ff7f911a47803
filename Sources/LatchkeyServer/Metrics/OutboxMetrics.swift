import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit

/// Reports the number of queued messages and the age of the oldest one for each channel.
struct OutboxMetrics: MetricsSource {
    let database: any Database
    let time: any TimeSource

    /// Writes the number of queued messages, and the age of the oldest one in seconds, for each channel.
    ///
    /// Both values are zero if a channel has no queued messages.
    func write(to text: inout MetricsText) async {
        // Omit these metrics if the database is unavailable, because other metrics report database errors.
        guard let queued = try? await MessageRepository.queued(in: database) else { return }
        text.begin(.outbox)
        for channel in Message.Channel.allCases {
            text.sample(
                .outbox,
                labels: [channel.rawValue],
                value: Double(queued[channel]?.count ?? 0)
            )
        }
        text.begin(.outboxAge)
        for channel in Message.Channel.allCases {
            let age = queued[channel].map { max(.zero, time.now - $0.oldest) } ?? .zero
            text.sample(.outboxAge, labels: [channel.rawValue], value: Double(age.wholeMicroseconds) / 1e6)
        }
    }
}
