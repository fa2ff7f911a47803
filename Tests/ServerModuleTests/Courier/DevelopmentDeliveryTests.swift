import LatchkeyCourier
import LatchkeyModel
import LatchkeyTestKit
import Testing

@Suite struct `Delivery during development` {
    private func message(_ number: UInt64, to recipient: String = "+439999999999") -> Message {
        Message(
            id: Identifier(high: 0, low: number),
            channel: .sms,
            template: MessageKind.verificationCode.rawValue,
            recipient: recipient,
            body: Secret("text \(number)")
        )
    }

    @Test func `Each message is printed once and the latest messages are stored`() async throws {
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

    @Test func `An e-mail is printed on a single line without the line breaks in its content`() async throws {
        let lines = Locked<[String]>([])
        let delivery = DevelopmentDelivery(time: VirtualTime()) { line in lines.withLock { $0.append(line) } }
        let mail = Message(
            id: Identifier(),
            channel: .email,
            template: MessageKind.loginCode.rawValue,
            recipient: "user@example.com",
            subject: "Your code",
            body: "271501\n\nis it.\r\nServer stopped.\n",
            html: "<p>271501</p>"
        )
        try await delivery.deliver(mail, idempotencyKey: "1")

        #expect(
            lines.withLock(\.self) == ["Mail to user@example.com: Your code: 271501 is it. Server stopped."]
        )
    }
}
