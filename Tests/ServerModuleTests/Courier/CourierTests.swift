import LatchkeyCourier
import LatchkeyModel
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Message courier` {
    private let office: CourierEnvironment

    init() async throws {
        office = try await CourierEnvironment()
    }

    @Test func `A message is sent with its id as the idempotency key, and waiting requests are notified`()
        async throws
    {
        let delivery = ScriptedDelivery(time: office.time)
        let courier = try office.courier(delivery)
        courier.start()
        let id = try await office.post(office.message(), with: courier)

        #expect(await courier.waitForFirstAttempt(id, atMost: .seconds(5)) == .sent)
        #expect(await courier.waitForFirstAttempt(id, atMost: .seconds(5)) == .sent)
        let attempt = try #require(delivery.attempts.first)
        #expect(delivery.attempts.count == 1)
        #expect(attempt.key == id.description)
        #expect(attempt.message.recipient == "+439999999999")
        #expect(attempt.message.body.exposed.hasPrefix("271501 is your code to confirm this number"))
        #expect(attempt.message.code == "271501")
        await courier.stop()
    }

    @Test func `A message isn't sent if its transaction was rolled back`() async throws {
        let delivery = ScriptedDelivery(time: office.time)
        let courier = try office.courier(delivery)
        courier.start()
        let message = office.message()
        await #expect(throws: CancellationError.self) {
            try await office.database.transaction { transaction in
                try courier.enqueue(message, in: transaction)
                throw CancellationError()
            }
        }
        courier.wake()
        await office.time.sleepers(atLeast: 1)

        #expect(delivery.attempts.isEmpty)
        await courier.stop()
    }

    @Test func `Queued messages are encrypted, and sent messages are erased`() async throws {
        let courier = try office.courier(ScriptedDelivery(time: office.time))
        let id = try await office.post(office.message(), with: courier)

        let sealed = try #require(try await office.sealed(id))
        for secret in ["271501", "+439999999999", "verification"] {
            #expect(sealed.firstRange(of: Array(secret.utf8)) == nil)
        }
        courier.start()
        #expect(await courier.waitForFirstAttempt(id, atMost: .seconds(5)) == .sent)
        #expect(try await office.sealed(id) == nil)
        await courier.stop()
    }

    @Test func `A delivery that takes too long is reported as pending`() async throws {
        let courier = try office.courier(ScriptedDelivery(time: office.time))
        let id = try await office.post(office.message(), with: courier)

        async let heard = courier.waitForFirstAttempt(id, atMost: .seconds(5))
        await office.time.sleepers(atLeast: 1)
        office.time.advance(by: .seconds(5))
        #expect(await heard == .pending)
    }

    @Test func `All parts of an e-mail are preserved in the queue`() async throws {
        let delivery = ScriptedDelivery(time: office.time)
        let courier = try office.courier(delivery, channels: [.email])
        let mail = office.mail(.loginCode, app: "Bjørn & Sønner", language: .norwegian)
        courier.start()
        try await office.post(mail, with: courier)

        #expect(await courier.waitForFirstAttempt(mail.id, atMost: .seconds(5)) == .sent)
        let sent = try #require(delivery.attempts.first).message
        #expect(sent.subject == mail.subject && sent.body == mail.body && sent.html == mail.html)
        #expect(sent.subject == "Innloggingskoden din for Bjørn & Sønner")
        #expect(sent.recipient == "user@example.com" && sent.channel == .email && sent.code == "271501")
        #expect(sent.template == "login_code_valid" && sent.expiresAt == mail.expiresAt)
        await courier.stop()
    }

    @Test func `Messages that no request is waiting for are sent after a random delay`() async throws {
        let delivery = ScriptedDelivery(time: office.time)
        let courier = try office.courier(delivery, pause: .seconds(1)..<(.seconds(3)))
        courier.start()
        let (awaited, other) = (office.message(), office.message())
        try await office.database.transaction { transaction in
            try courier.enqueue(other, in: transaction)
            try courier.enqueue(awaited, isAwaited: true, in: transaction)
        }

        #expect(await courier.waitForFirstAttempt(awaited.id, atMost: .seconds(5)) == .sent)
        let due = try await office.due(other.id)
        #expect(due >= office.time.now + .seconds(1) && due < office.time.now + .seconds(3))
        #expect(try await office.status(other.id) == "queued")
        try await office.passTime(untilStatus: "sent", of: other.id)
        #expect(delivery.attempts.map(\.key) == [awaited.id.description, other.id.description])
        // The message is sent when it is due, not at the next poll half a minute later. Each poll may be up
        // to one second late.
        let sent = try #require(delivery.attempts.last).time
        #expect(sent >= due && sent < due + .seconds(15))
        await courier.stop()
    }

    @Test func `A decoy is stored like a real message but never sent`() async throws {
        let delivery = ScriptedDelivery(time: office.time)
        let courier = try office.courier(delivery, channels: [.email])
        let (message, decoy) = (office.mail(), office.mail())
        try await office.database.transaction { transaction in
            try courier.enqueue(message, in: transaction)
            try courier.enqueue(decoy, asDecoy: true, in: transaction)
        }
        let sealed = [try await office.sealed(message.id), try await office.sealed(decoy.id)]
        #expect(sealed[0]?.count == sealed[1]?.count)
        #expect(sealed[0] != sealed[1])

        courier.start()
        #expect(try await office.eventually("sent", message.id))
        office.time.advance(by: .seconds(86_400))
        courier.wake()
        await office.time.sleepers(atLeast: 1)
        #expect(try await office.status(decoy.id) == "decoy")
        #expect(delivery.attempts.map(\.key) == [message.id.description])
        await courier.stop()

        try await office.deleteFinished(before: office.time.now)
        #expect(try await office.database.rows("SELECT id FROM messages").isEmpty)
    }

    @Test func `An encrypted message that was moved to another row is rejected`() async throws {
        let delivery = ScriptedDelivery(time: office.time)
        let courier = try office.courier(delivery)
        let first = try await office.post(office.message(), with: courier)
        let second = try await office.post(office.message(), with: courier)
        _ = try await office.database.transaction { transaction in
            try transaction.execute(
                "UPDATE messages SET sealed = (SELECT sealed FROM messages WHERE id = $1) WHERE id = $2",
                .identifier(first),
                .identifier(second)
            )
        }
        courier.start()

        #expect(await courier.waitForFirstAttempt(second, atMost: .seconds(5)) == .refused)
        #expect(try await office.eventually("sent", first))
        #expect(delivery.attempts.map(\.key) == [first.description])
        await courier.stop()
    }

    @Test(arguments: [(true, FirstAttempt.sent), (false, .refused)])
    func `Messages encrypted with an older secret can be decrypted only if that secret is still configured`(
        isKept: Bool,
        outcome: FirstAttempt
    ) async throws {
        let before = try office.courier(ScriptedDelivery(time: office.time))
        let id = try await office.post(office.message(), with: before)
        let secrets = ServerSecrets(signing: [1, 2, 3], older: isKept ? [CourierEnvironment.secret] : [])
        let after = try Courier(
            office.resources(secrets: secrets),
            delivery: ScriptedDelivery(time: office.time)
        )
        after.start()

        #expect(await after.waitForFirstAttempt(id, atMost: .seconds(5)) == outcome)
        await after.stop()
    }

    @Test func `Messages in the first format can still be decrypted`() async throws {
        let sealed: [UInt8] = [
            0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A, 0x0B, 0x40, 0x9A, 0x7D, 0xA5,
            0x66, 0x27, 0x0D, 0x43, 0x2C, 0xA1, 0x34, 0x96, 0xC6, 0x86, 0x10, 0x4D, 0xE2, 0xC8, 0xA5, 0x17,
            0xC8, 0x02, 0xB5, 0x0E, 0xCA, 0xDC, 0xE5, 0xC4, 0x6D, 0xDC, 0x76, 0x62, 0xA0, 0x35, 0xFC, 0x40,
            0x6A, 0xE9, 0x9A, 0x85, 0x25, 0xA9, 0x60, 0x0E, 0xF9, 0x9E, 0x88, 0xEF, 0x21, 0xEF, 0x30, 0x60,
            0x3D, 0x75, 0x44, 0xAE, 0x61, 0xC6, 0x97, 0xC5, 0xDA, 0x1D, 0xD6, 0x25, 0x5B, 0x73, 0x74, 0x40,
            0x06, 0xD1, 0x7B, 0x37, 0x30, 0x85, 0xA3, 0x47, 0x7F, 0xDC, 0x24, 0x69, 0x48, 0xB5, 0x84, 0x26,
            0xD7, 0x95, 0xF0, 0x91, 0xF7, 0x41, 0xB6, 0xEE, 0xCC, 0x7B, 0x4F, 0x3F, 0x33, 0x3A, 0xF8, 0xE0,
            0x47, 0x33, 0xCA, 0x7B, 0x03, 0xE7, 0x60, 0xA2, 0x19, 0xFD, 0x71, 0x9B, 0xD0, 0x70, 0xC4, 0xA5,
            0xFA, 0x9F, 0xAE, 0x60, 0xDF, 0xE1, 0xA4, 0xF8, 0xD9, 0xB0, 0xAD, 0x47, 0xF0, 0xD2, 0xF1, 0x88,
            0x60,
        ]
        let id = try #require(Identifier(bytes: Array(0..<16)))
        _ = try await office.database.transaction { transaction in
            try transaction.execute(
                """
                INSERT INTO messages (
                    id, channel, template, sealed, status, attempts, due_at, leased_until, created_at, updated_at
                ) VALUES ($1, 'sms', 'verification_code', $2, 'queued', 0, 0, 0, 0, 0)
                """,
                .identifier(id),
                .blob(sealed)
            )
        }
        let delivery = ScriptedDelivery(time: office.time)
        let courier = try office.courier(delivery)
        courier.start()

        #expect(try await office.eventually("sent", id))
        let message = try #require(delivery.attempts.first?.message)
        #expect(message.body == "271501 is your verification code." && message.code == "271501")
        #expect(message.recipient == "+439999999999" && message.subject == nil && message.html == nil)
        await courier.stop()
    }

    @Test func `Deleting finished messages doesn't affect queued ones`() async throws {
        let courier = try office.courier(ScriptedDelivery(time: office.time))
        courier.start()
        let id = try await office.post(office.message(), with: courier)
        #expect(await courier.waitForFirstAttempt(id, atMost: .seconds(5)) == .sent)
        await courier.stop()
        try await office.post(office.message(), with: courier)
        try await office.deleteFinished(before: office.time.now + .seconds(1))

        let left = try await office.database.rows("SELECT status FROM messages")
        #expect(try left.map { try $0.text(0) } == ["queued"])
    }
}
