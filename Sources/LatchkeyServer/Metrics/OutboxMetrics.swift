import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit

/// The number of queued messages of each channel, and the age of the oldest one.
struct OutboxMetrics: MetricsSource {
    let database: any Database
    let time: any TimeSource

    /// Writes one sample for each channel, which is zero if no message is queued; the age is in seconds.
    func write(to text: inout MetricsText) async {
        // If the database is not available, these metrics are omitted; other metrics show the reason.
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
