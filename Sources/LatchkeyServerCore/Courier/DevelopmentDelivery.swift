package import LatchkeyModel

/// Shows messages on the terminal and keeps the last ones for a look from the same machine; sends nothing.
package final class DevelopmentDelivery: MessageDelivery {
    /// A message that would have been sent.
    package struct Entry: Sendable {
        package let message: Message
        package let time: Timestamp
    }

    private let capacity: Int
    private let time: any TimeSource
    private let print: @Sendable (String) -> Void
    private let entries = Locked<[Entry]>([])

    /// Creates the delivery.
    ///
    /// - Parameters:
    ///   - capacity: How many messages to keep.
    ///   - time: The clock.
    ///   - print: Takes a line for the terminal, with the message in plain text.
    package init(
        keeping capacity: Int = 100,
        time: any TimeSource,
        print: @escaping @Sendable (String) -> Void
    ) {
        self.capacity = capacity
        self.time = time
        self.print = print
    }

    package func deliver(_ message: Message, idempotencyKey: String) async throws(DeliveryError) {
        let entry = Entry(message: message, time: time.now)
        let isNew = entries.withLock { entries in
            guard !entries.contains(where: { $0.message.id == message.id }) else { return false }
            entries.append(entry)
            entries.removeFirst(max(0, entries.count - capacity))
            return true
        }
        if isNew { print(Self.line(message)) }
    }

    /// One line, whatever the message holds: nothing in it looks like a line of the server's own.
    private static func line(_ message: Message) -> String {
        let lines = message.body.exposed.split(whereSeparator: \.isNewline).joined(separator: " ")
        switch message.channel {
        case .sms: return "SMS to \(message.recipient): \(lines)"
        case .email: return "Mail to \(message.recipient): \(message.subject?.exposed ?? ""): \(lines)"
        }
    }

    /// The messages that are kept, the latest last.
    ///
    /// - Parameter recipient: Whose; nothing for all.
    /// - Returns: The messages.
    package func messages(to recipient: String? = nil) -> [Entry] {
        entries.withLock { entries in
            entries.filter { recipient == nil || $0.message.recipient == recipient }
        }
    }
}
