import LatchkeyModel
import LatchkeyServer
import LatchkeyTestKit
import TestDatabases
import Testing

@testable import LatchkeyAccounts
@testable import LatchkeyCourier
@testable import LatchkeyServerKit

/// Everything a courier depends on, such as an outbox, a clock and secrets.
struct CourierEnvironment {
    let time = VirtualTime()
    let database: any Database
    private let schemas: SchemaCatalog
    static let secret = [UInt8](repeating: 7, count: 32)

    init() async throws {
        schemas = try SchemaCatalog(standard: "customer")
        database = try await TestDatabase.current.open()
    }

    func resources(
        secrets: ServerSecrets = ServerSecrets(signing: secret),
        database: (any Database)? = nil
    ) -> ServerResources {
        ServerResources(
            database: database ?? self.database,
            hasher: QuickHasher(),
            secrets: secrets,
            schemas: schemas,
            time: time,
            random: SeededRandom()
        )
    }

    func courier(
        _ delivery: any MessageDelivery,
        channels: [Message.Channel] = [.sms],
        workers: Int = 1,
        pause: Range<Duration> = .zero..<(.zero),
        retries: RetryPolicy = RetryPolicy(),
        report: @escaping @Sendable (CourierIncident) -> Void = { _ in }
    ) throws -> Courier {
        try Courier(
            resources(),
            delivery: delivery,
            options: CourierOptions(
                channels: channels,
                workers: workers,
                attempts: [.sms: .seconds(50), .email: .seconds(50)],
                pause: pause,
                retries: retries
            ),
            report: report
        )
    }

    func message(lifespan: Duration = .seconds(600)) -> Message {
        MessageWriter().message(
            .verificationCode,
            to: "+439999999999",
            by: .sms,
            code: OneTimeCode("271501"),
            lifespan: lifespan,
            language: .english,
            at: time.now,
            random: SystemRandom()
        )
    }

    /// Creates an e-mail message.
    func mail(
        _ kind: MessageKind = .loginCode,
        to address: String = "user@example.com",
        app: String? = nil,
        language: Language = .english,
        lifespan: Duration = .seconds(600)
    ) -> Message {
        MessageWriter().message(
            kind,
            to: address,
            by: .email,
            code: kind.carriesCode ? OneTimeCode("271501") : nil,
            lifespan: lifespan,
            language: language,
            app: app,
            at: time.now,
            random: SystemRandom()
        )
    }

    @discardableResult
    func post(_ message: Message, with courier: Courier) async throws -> Identifier {
        try await database.transaction { try courier.enqueue(message, in: $0) }
        return message.id
    }

    func deleteFinished(before time: Timestamp) async throws {
        _ = try await database.transaction { transaction in
            try MessageRepository.deleteFinished(before: time, atMost: 100, in: transaction)
        }
    }

    func status(_ id: Identifier) async throws -> String {
        try await database.rows("SELECT status FROM messages WHERE id = $1", .identifier(id))[0].text(0)
    }

    func due(_ id: Identifier) async throws -> Timestamp {
        try await database.rows("SELECT due_at FROM messages WHERE id = $1", .identifier(id))[0].time(0)
    }

    func sealed(_ id: Identifier) async throws -> [UInt8]? {
        try await database.rows("SELECT sealed FROM messages WHERE id = $1", .identifier(id))[0]
            .optional(0, as: Row.blob)
    }
}
