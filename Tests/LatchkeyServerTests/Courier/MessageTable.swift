import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeySQLite
import LatchkeyServerKit

@testable import LatchkeyServer

/// The outbox in a server's data folder.
///
/// Tests read and write this outbox without going through the server.
struct MessageTable {
    /// The state of a message, as stored in its row.
    struct Row: Sendable {
        let status: String
        let attempts: Int64
        /// Whether a worker has leased the message.
        let isLeased: Bool
    }

    private let folder: String
    private let database: SQLiteDatabase

    /// Creates the folder if it does not exist and adds messages to its outbox.
    init(in folder: String, _ messages: [Message]) async throws {
        self.folder = folder
        let parts = ServerParts.system(logging: .error)
        let configuration = ServerConfiguration(data: folder)
        let stores = try await ServerStores(
            configuration,
            files: OperatorFiles(configuration),
            parts: parts,
            createsData: true
        )
        let courier = try Courier(
            stores.resources(parts: parts),
            delivery: NoDelivery(reason: "Nobody sends here.")
        )
        try await stores.database.transaction { transaction in
            for message in messages { try courier.enqueue(message, in: transaction) }
        }
        await stores.close()
        database = try await SQLiteDatabase.open(.file(folder + "/latchkey.db"), migrations: .all)
    }

    /// Returns the states of all messages.
    func rows() async throws -> [Identifier: Row] {
        let rows = try await database.rows("SELECT id, status, attempts, leased_until FROM messages")
        return try Dictionary(
            uniqueKeysWithValues: rows.map { row in
                let isLeased = try row.integer(3) != 0
                return (
                    try row.identifier(0),
                    Row(status: try row.text(1), attempts: try row.integer(2), isLeased: isLeased)
                )
            }
        )
    }

    func close() async {
        await database.close()
    }

    /// Returns a message with a unique recipient.
    static func message(_ number: Int, by channel: Message.Channel) -> Message {
        let address = channel == .email ? "user\(number)@example.com" : "+43\(9_000_000 + number)"
        return MessageWriter().message(
            .passwordChanged,
            to: address,
            by: channel,
            language: .english,
            at: Timestamp(seconds: 0),
            random: SystemRandom()
        )
    }
}
