import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit

/// The number of queued messages of each channel, and the age of the oldest one.
struct OutboxMetrics: MetricsSource {
    let database: any Database
    let time: any TimeSource

    func write(to text: inout MetricsText) async {
        let sql: StaticString = """
            SELECT channel, COUNT(*), MIN(created_at) FROM messages WHERE status = 'queued' GROUP BY channel
            """
        // If the database is not available, these metrics are omitted; other metrics show the reason.
        guard let rows = try? await database.rows(sql) else { return }
        var waiting: [String: (count: Int64, age: Duration)] = [:]
        for row in rows {
            guard let channel = try? row.text(0), let count = try? row.integer(1),
                let oldest = try? row.time(2)
            else { continue }
            waiting[channel] = (count, max(.zero, time.now - oldest))
        }
        text.begin(.outbox)
        for channel in Message.Channel.allCases {
            text.sample(
                .outbox,
                labels: [channel.rawValue],
                value: Double(waiting[channel.rawValue]?.count ?? 0)
            )
        }
        text.begin(.outboxAge)
        for channel in Message.Channel.allCases {
            let age = waiting[channel.rawValue]?.age ?? .zero
            text.sample(.outboxAge, labels: [channel.rawValue], value: Double(age.wholeMicroseconds) / 1e6)
        }
    }
}
