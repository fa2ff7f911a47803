import LatchkeyModel
import LatchkeySelfService
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

/// Ten attackers try to guess the codes and the password of one account for a whole day.
@Suite(.onEachDatabase) struct `A day of online guessing` {
    private static let phone = "+46701000001"
    private static let minutes = 24 * 60

    @Test
    func `Attackers get ten messages and ten code guesses per phone, no matter how they combine flows`()
        async throws
    {
        let server = try await SelfServiceServer()
        try await server.register()
        var judged = 0
        for minute in stride(from: 0, to: Self.minutes, by: 7) {
            let attacker = "198.51.100.\(minute % 10)"
            judged += try await guess(server, minute, from: attacker)
            // Otherwise, a message in the queue would expire when the clock advances.
            await server.messagesAreSent()
            server.time.advance(by: .seconds(7 * 60))
        }
        #expect(judged == 10)
        #expect(server.inbox.messages(for: Self.phone).count == 10)
    }

    /// Requests a code and, if one is sent, enters two wrong codes.
    ///
    /// The kind of flow depends on the round. Returns the number of guesses that were checked.
    private func guess(_ server: SelfServiceServer, _ round: Int, from attacker: String) async throws -> Int {
        let kind: FlowKind = [.login, .verification, .registration][round % 3]
        var judged = 0
        let flow = await server.begin(kind)
        switch kind {
        case .registration:
            let path = "/identity/verification/flow/phone"
            let start = JSONValue.object([
                "phoneNumber": .string(Self.phone), "phoneType": "PRIMARY", "flowId": .string(flow),
                "flowType": "REGISTRATION",
            ])
            guard try await server.plain(.post, path, start, from: attacker).status == 201 else { return 0 }
            for _ in 0..<2 {
                let check = JSONValue.object([
                    "phoneType": "PRIMARY", "flowId": .string(flow), "otp": "000000",
                    "flowType": "REGISTRATION",
                ])
                let answer = try await server.plain(.patch, path, check, from: attacker)
                if answer.errorID == .codeInvalid { judged += 1 }
            }
        default:
            let sent = try await server.sendCode(kind, flow, to: Self.phone, from: attacker)
            guard sent["state"] == "sent_email" else { return 0 }
            for _ in 0..<2 {
                let answer = try await server.submitCode(kind, flow, ["code": "000000"], from: attacker)
                if answer.messages == [kind == .login ? .wrongLoginCode : .wrongVerificationCode] {
                    judged += 1
                }
            }
        }
        return judged
    }

    @Test func `Attackers on unknown networks get sixty password guesses and never lock out the owner`()
        async throws
    {
        let server = try await SelfServiceServer()
        try await server.register()
        let before = server.hasher.work
        var own = 0
        for minute in 0..<Self.minutes {
            _ = try await server.login(Self.phone, "guess-\(minute)", from: "198.51.100.\(minute % 10)")
            if minute % 240 == 239 {
                // This network is known because the account was registered from it.
                #expect(try await server.login(Self.phone, from: "192.0.2.1").status == 200)
                own += 1
            }
            server.time.advance(by: .seconds(60))
        }
        #expect(server.hasher.work - before - own == 60)
    }

    @Test func `An attacker on a known network gets at most forty password guesses`() async throws {
        let server = try await SelfServiceServer()
        try await server.register()
        let before = server.hasher.work
        for minute in 0..<Self.minutes {
            if minute < 130 || minute % 10 == 0 {
                _ = try await server.login(Self.phone, "guess-\(minute)", from: "192.0.2.1")
            }
            server.time.advance(by: .seconds(60))
        }
        #expect(server.hasher.work - before <= 40)
    }
}
