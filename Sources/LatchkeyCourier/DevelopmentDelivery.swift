package import LatchkeyModel

/// A delivery for development, which prints messages to the terminal and stores the latest ones in memory.
///
/// A repeated attempt to send a stored message is ignored.
package final class DevelopmentDelivery: MessageDelivery {
    /// A message that a real delivery would have sent.
    package struct Entry: Sendable {
        /// The message with its texts and its code in plain text.
        package let message: Message
        /// The time of the first attempt to deliver the message.
        package let time: Timestamp
    }

    private let capacity: Int
    private let time: any TimeSource
    /// Called outside the lock, so concurrent messages may be printed in a different order than they are
    /// stored.
    private let print: @Sendable (String) -> Void
    private let entries = Locked<[Entry]>([])

    /// Creates the delivery.
    ///
    /// - Parameters:
    ///   - capacity: The number of messages to store, beyond which the oldest messages are discarded.
    ///   - time: The clock that provides the times of delivery.
    ///   - print: Called with one line for each message, which contains the text and the code in plain text.
    package init(
        keeping capacity: Int = 100,
        time: any TimeSource,
        print: @escaping @Sendable (String) -> Void
    ) {
        self.capacity = capacity
        self.time = time
        self.print = print
    }

    /// Stores and prints the message without ever throwing an error.
    ///
    /// A message whose id is already stored is ignored. A message that was discarded from memory is printed
    /// again.
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

    /// Formats a message as a single line, so its content cannot imitate the server's log lines.
    private static func line(_ message: Message) -> String {
        let lines = message.body.exposed.split(whereSeparator: \.isNewline).joined(separator: " ")
        switch message.channel {
        case .sms: return "SMS to \(message.recipient): \(lines)"
        case .email: return "Mail to \(message.recipient): \(message.subject?.exposed ?? ""): \(lines)"
        }
    }

    /// Returns the stored messages, oldest first.
    ///
    /// - Parameter recipient: The address to filter by; `nil` for all messages.
    /// - Returns: The messages with the times of their delivery.
    package func messages(to recipient: String? = nil) -> [Entry] {
        entries.withLock { entries in
            entries.filter { recipient == nil || $0.message.recipient == recipient }
        }
    }
}
