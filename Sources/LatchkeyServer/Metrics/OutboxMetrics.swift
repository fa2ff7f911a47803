import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit

/// The number of queued messages for each channel, and the age of the oldest message.
struct OutboxMetrics: MetricsSource {
    let database: any Database
    let time: any TimeSource

    /// Writes the number and the age in seconds for each channel, which are zero if no message is queued.
    func write(to text: inout MetricsText) async {
        // These metrics are omitted if the database is unavailable, which other metrics report.
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
