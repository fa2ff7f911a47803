import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Global limit on text messages` {
    private func ask(
        _ kind: FlowKind,
        _ server: SelfServiceServer,
        _ address: String,
        from host: String
    ) async throws -> Int {
        try await server.sendCode(kind, await server.begin(kind), to: address, from: host).status
    }

    /// Requests a sign-up code for a phone number that no account has verified.
    private func signUp(_ server: SelfServiceServer, _ number: Int) async throws -> Int {
        let body = JSONValue.object([
            "phoneNumber": .string("+4670900" + String(1000 + number)), "phoneType": "PRIMARY",
            "flowId": .string(await server.begin(.registration)), "flowType": "REGISTRATION",
        ])
        let path = "/identity/verification/flow/phone"
        return try await server.plain(.post, path, body, from: "203.0.113.\(number % 250)").status
    }

    /// Creates accounts with verified phone numbers.
    private func proven(_ server: SelfServiceServer, _ numbers: ClosedRange<Int>) async throws -> [String] {
        for number in numbers { try await server.register(number) }
        try await server.resources.database.transaction { transaction in
            _ = try transaction.execute(
                """
                INSERT INTO address_states (identity_id, via, value, state) \
                SELECT identity_id, 'sms', value, 'proven' FROM addresses \
                WHERE via = 'sms' AND kind = 'verifiable'
                """
            )
        }
        return numbers.map { "+4670" + String(1_000_000 + $0) }
    }

    @Test func `The limit applies to text messages from every kind of flow but not to e-mails`() async throws
    {
        let server = try await SelfServiceServer {
            $0.limits.textMessages = [Rate(10, per: .seconds(3600))]
        }
        for number in 1...5 { #expect(try await signUp(server, number) == 201) }
        #expect(try await signUp(server, 6) == 429)
        #expect(try await ask(.verification, server, "person1@example.org", from: "192.0.2.6") == 200)

        await server.messagesAreSent()
        server.time.advance(by: .seconds(3600))
        #expect(try await signUp(server, 6) == 201)
    }

    @Test func `Half of the text messages are reserved for verified phone numbers`() async throws {
        let server = try await SelfServiceServer {
            $0.limits.textMessages = [Rate(10, per: .seconds(3600))]
        }
        let phones = try await proven(server, 1...6)
        for number in 1...6 { #expect(try await signUp(server, number) == (number < 6 ? 201 : 429)) }
        for (number, phone) in phones.enumerated() {
            let status = try await ask(.verification, server, phone, from: "192.0.2.\(number)")
            #expect(status == (number < 5 ? 200 : 429), "\(phone)")
        }
    }

    @Test func `Unknown addresses get the same responses but don't use up the limit`() async throws {
        let server = try await SelfServiceServer {
            $0.limits.textMessages = [Rate(10, per: .seconds(3600))]
        }
        let phones = try await proven(server, 1...6)
        for number in 0..<20 {
            let phone = "+4679900" + String(1000 + number)
            #expect(try await ask(.verification, server, phone, from: "192.0.2.\(number)") == 200)
        }
        for phone in phones[..<5] {
            #expect(try await ask(.verification, server, phone, from: "192.0.2.1") == 200)
        }
        // The limit has been used up by the five messages, so known and unknown numbers are both rejected.
        #expect(try await ask(.verification, server, phones[5], from: "192.0.2.2") == 429)
        #expect(try await ask(.verification, server, "+46799005000", from: "192.0.2.2") == 429)
    }

    @Test func `The shards together never exceed the limit`() async throws {
        let server = try await SelfServiceServer {
            $0.limits.textMessages = [Rate(240, per: .seconds(3600))]
        }
        var sent = 0
        for number in 0..<160 { sent += try await signUp(server, number) == 201 ? 1 : 0 }
        // The shares aren't used evenly, so some of them may not have been used up yet.
        #expect((100...120).contains(sent))
    }

    @Test func `Operators are notified once an hour when four fifths of the limit are used up`() async throws
    {
        let reports = Locked<[CourierIncident]>([])
        let server = try await SelfServiceServer(incidents: reports) {
            $0.limits.textMessages = [Rate(20, per: .seconds(3600))]
        }
        for number in 1...7 { _ = try await signUp(server, number) }
        #expect(reports.withLock(\.isEmpty))
        for number in 8...10 { _ = try await signUp(server, number) }
        #expect(reports.withLock(\.self).map { "\($0)" } == ["textMessagesNearLimit"])
    }

    @Test func `The default limit is a thousand messages per hour`() {
        #expect(LimitSettings().textMessages == [Rate(1000, per: .seconds(3600))])
    }
}
