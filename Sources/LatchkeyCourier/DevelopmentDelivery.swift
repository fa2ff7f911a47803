package import LatchkeyModel

/// A delivery for development that prints messages to the terminal and keeps the most recent ones in memory.
///
/// If a message is delivered more than once, the repeated attempts are ignored.
package final class DevelopmentDelivery: MessageDelivery {
    /// A message that would have been sent in production.
    package struct Entry: Sendable {
        /// The message, with its text and code in plain text.
        package let message: Message
        /// The time of the first attempt to deliver the message.
        package let time: Timestamp
    }

    private let capacity: Int
    private let time: any TimeSource
    /// Prints a message.
    ///
    /// The closure isn't called under the lock, so concurrent messages may be printed in a different order
    /// than the one in which they are stored.
    private let output: @Sendable (String) -> Void
    private let entries = Locked<[Entry]>([])

    /// Creates a delivery that prints and stores messages.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of messages to keep. When it is exceeded, the oldest messages are
    ///     discarded.
    ///   - time: The clock that provides the time of each delivery.
    ///   - output: Called with one line per message, which contains the text and the code in plain text.
    package init(
        keeping capacity: Int = 100,
        time: any TimeSource,
        to output: @escaping @Sendable (String) -> Void
    ) {
        self.capacity = capacity
        self.time = time
        self.output = output
    }

    /// Stores and prints the message.
    ///
    /// Never throws an error.
    ///
    /// Messages whose id is already stored are ignored. If the stored message has since been discarded, it is
    /// printed again.
    package func deliver(_ message: Message, idempotencyKey: String) async throws(DeliveryError) {
        let entry = Entry(message: message, time: time.now)
        let isNew = entries.withLock { entries in
            guard !entries.contains(where: { $0.message.id == message.id }) else { return false }
            entries.append(entry)
            entries.removeFirst(max(0, entries.count - capacity))
            return true
        }
        if isNew { output(Self.line(message)) }
    }

    /// Formats a message as a single line, so that its content can't be mistaken for the server's own log
    /// lines.
    private static func line(_ message: Message) -> String {
        let lines = message.body.exposed.split(whereSeparator: \.isNewline).joined(separator: " ")
        switch message.channel {
        case .sms: return "SMS to \(message.recipient): \(lines)"
        case .email: return "Mail to \(message.recipient): \(message.subject?.exposed ?? ""): \(lines)"
        }
    }

    /// Returns the stored messages, oldest first.
    ///
    /// - Parameter recipient: The address to filter by, or `nil` to return the messages to all addresses.
    /// - Returns: The messages and their delivery times.
    package func messages(to recipient: String? = nil) -> [Entry] {
        entries.withLock { entries in
            entries.filter { recipient == nil || $0.message.recipient == recipient }
        }
    }
}
