import LatchkeyModel
import LatchkeyServerCore
import LatchkeyTestKit
import Testing

@Suite struct `The development courier's delivery` {
    private func message(_ number: UInt64, to recipient: String = "+439999999999") -> Message {
        Message(
            id: Identifier(high: 0, low: number),
            channel: .sms,
            template: "verification_code",
            recipient: recipient,
            body: Secret("text \(number)")
        )
    }

    @Test func `shows a message once, however often it is sent, and keeps the last ones`() async throws {
        let lines = Locked<[String]>([])
        let delivery = DevelopmentDelivery(keeping: 3, time: VirtualTime()) { line in
            lines.withLock { $0.append(line) }
        }
        for number in [1, 2, 2, 3, 4, 4] as [UInt64] {
            try await delivery.deliver(message(number), idempotencyKey: "\(number)")
        }
        try await delivery.deliver(message(5, to: "+431111111111"), idempotencyKey: "5")

        #expect(lines.withLock(\.count) == 5)
        #expect(lines.withLock(\.first) == "SMS to +439999999999: text 1")
        #expect(delivery.messages().map(\.message.id.low) == [3, 4, 5])
        #expect(delivery.messages(to: "+439999999999").map(\.message.body) == ["text 3", "text 4"])
    }

    @Test(
        arguments: [
            (
                600, nil,
                "271501 is your verification code. It is valid for 10 minutes. Never give it to anybody."
            ),
            (
                60, "Shop",
                "271501 is your verification code for Shop. It is valid for 1 minute. Never give it to anybody."
            ),
            (
                90, nil,
                "271501 is your verification code. It is valid for 90 seconds. Never give it to anybody."
            ),
        ] as [(Int, String?, String)]
    )
    func `carries a text that says what the code is for and how long it is good`(
        seconds: Int,
        app: String?,
        text: String
    ) throws {
        let message = Message.verificationCode(
            try #require(OneTimeCode("271501")),
            to: try #require(PhoneNumber("+439999999999")),
            app: app,
            lifespan: .seconds(seconds),
            at: Timestamp(seconds: 0),
            random: SystemRandom()
        )
        #expect(message.body.exposed == text)
        #expect(message.expiresAt == Timestamp(seconds: Int64(seconds)))
    }
}
