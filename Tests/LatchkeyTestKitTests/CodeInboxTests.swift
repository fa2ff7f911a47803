import LatchkeyCourier
import LatchkeyModel
import Testing

@testable import LatchkeyTestKit

@Suite struct `Code inbox` {
    private let inbox = CodeInbox()
    private let phone = "+439999999999"

    @Test func `Only the latest code is returned, and only once`() async throws {
        try await deliver("111111")
        try await deliver("222222")
        #expect(try await inbox.code(for: "+43 999 9999999").exposed == "222222")
        let next = Task { try await inbox.code(for: phone).exposed }
        try await deliver("333333")
        #expect(try await next.value == "333333")
        #expect(inbox.codes(for: phone).map(\.exposed) == ["111111", "222222", "333333"])
    }

    @Test func `Each phone has separate codes`() async throws {
        try await deliver("111111", to: "+4311111111")
        try await deliver("222222")
        #expect(try await inbox.code(for: phone).exposed == "222222")
        #expect(try await inbox.code(for: "+4311111111").exposed == "111111")
    }

    @Test(arguments: [
        "user@bücher.example", "User@BÜCHER.example", " user@bu\u{308}cher.example\n",
        "user@xn--bcher-kva.example",
    ])
    func `The code is found for every spelling of an e-mail address`(_ address: String) async throws {
        try await deliver("111111", to: "user@xn--bcher-kva.example", by: .email)

        #expect(inbox.codes(for: address).map(\.exposed) == ["111111"])
        #expect(inbox.messages(for: address).count == 1)
        #expect(try await inbox.code(for: address).exposed == "111111")
    }

    @Test func `A repeated delivery of a message is ignored`() async throws {
        let id = Identifier()
        try await deliver("111111", id: id)
        try await deliver("111111", id: id)
        #expect(inbox.codes(for: phone).count == 1)
    }

    @Test func `A code is retained if the task waiting for it is cancelled`() async throws {
        let waiting = Task { try await inbox.code(for: phone) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        try await deliver("111111")
        #expect(try await inbox.code(for: phone).exposed == "111111")
    }

    @Test func `If no code arrives in time, the error names the addresses that have received codes`()
        async throws
    {
        try await deliver("111111", to: "user@example.com", by: .email)
        try await deliver("222222", to: "+4311111111")
        try await deliver("333333")
        _ = try await inbox.code(for: phone)
        inbox.fail(.refused)

        let error = await #expect(throws: CodeInbox.NoCode.self) {
            try await inbox.code(for: phone, within: .milliseconds(1))
        }

        #expect(
            error?.description == """
                No code was sent to +439999999999 within 0.001 seconds. \
                The test has made all deliveries fail. \
                Codes that have already been returned: 1. \
                Other addresses that codes were sent to: +4311111111, user@example.com.
                """
        )
        // The next code is not lost.
        inbox.fail(nil)
        try await deliver("444444")
        #expect(try await inbox.code(for: phone).exposed == "444444")
    }

    @Test func `A cancelled task's code is dropped if a newer code has already been returned`()
        throws
    {
        var state = InboxState()
        let address = try #require(ContactAddress(phone))
        let (cancelled, next, last) = (OneShot<OneTimeCode>(), OneShot<OneTimeCode>(), OneShot<OneTimeCode>())
        #expect(state.takeCode(for: address, orEnqueue: cancelled) == nil)
        #expect(state.takeCode(for: address, orEnqueue: next) == nil)
        #expect(state.add(message("111111"), code: OneTimeCode("111111"), for: address) === cancelled)
        #expect(state.add(message("222222"), code: OneTimeCode("222222"), for: address) === next)
        state.removeWaiter(cancelled, for: address)
        #expect(state.takeCode(for: address, orEnqueue: last) == nil)
    }

    @Test func `If a waiting task is cancelled, its code is returned by the next call`() throws {
        var state = InboxState()
        let address = try #require(ContactAddress(phone))
        let waiter = OneShot<OneTimeCode>()
        #expect(state.takeCode(for: address, orEnqueue: waiter) == nil)
        #expect(state.add(message("111111"), code: OneTimeCode("111111"), for: address) === waiter)
        state.removeWaiter(waiter, for: address)
        #expect(state.takeCode(for: address, orEnqueue: waiter)?.exposed == "111111")
    }

    @Test func `Deliveries can be made to fail`() async throws {
        inbox.fail(.refused)
        await #expect(throws: DeliveryError.self) { try await deliver("111111") }
        inbox.fail(nil)
        try await deliver("222222")
        #expect(inbox.codes(for: phone).map(\.exposed) == ["222222"])
    }

    @Test func `Mail is received regardless of the address's case`() async throws {
        try await deliver("111111", to: "user@example.com", by: .email)
        try await deliver("222222")
        #expect(try await inbox.code(for: " User@Example.com").exposed == "111111")
        #expect(try await inbox.code(for: phone).exposed == "222222")
        #expect(inbox.messages(for: "user@example.com").map(\.channel) == [.email])
    }

    @Test func `Text that is not an address is rejected`() async {
        let error = await #expect(throws: CodeInbox.NoAddress.self) { try await inbox.code(for: "phone") }
        #expect(error?.description == "\"phone\" is neither a phone number nor an e-mail address.")
        #expect(inbox.codes(for: "phone").isEmpty)
    }

    private func deliver(
        _ code: String,
        to address: String = "+439999999999",
        by channel: Message.Channel = .sms,
        id: Identifier = Identifier()
    ) async throws {
        let message = message(code, to: address, by: channel, id: id)
        try await inbox.deliver(message, idempotencyKey: id.description)
    }

    private func message(
        _ code: String,
        to address: String = "+439999999999",
        by channel: Message.Channel = .sms,
        id: Identifier = Identifier()
    ) -> Message {
        Message(
            id: id,
            channel: channel,
            template: MessageKind.verificationCode.rawValue,
            recipient: address,
            body: Secret(code),
            code: Secret(code)
        )
    }
}
