import Latchkey
import LatchkeyModel
import LatchkeyTestKit
import Observation
import Testing

@Suite(.timeLimit(.minutes(10))) @MainActor struct `Observable session model` {
    @Test func `The model reflects the client's state and publishes each change`() async throws {
        let app = try await TestApp.loggedIn()
        let model = SessionModel(app.client)
        #expect(model.session?.identity.phone?.e164 == TestAccount.phone)

        let changes = Locked(0)
        withObservationTracking {
            _ = model.state
        } onChange: {
            changes.withLock { $0 += 1 }
        }
        app.client.signOut()
        while model.state != .signedOut, !Task.isCancelled { await Task.yield() }
        #expect(changes.withLock { $0 } == 1)
        #expect(model.session == nil)

        try await app.client.signIn(phone: TestAccount.phone, password: TestAccount.passcode)
        while model.session == nil, !Task.isCancelled { await Task.yield() }
        #expect(model.session?.identity.phone?.e164 == TestAccount.phone)
    }

    @Test func `The model can be released while its client still exists`() async throws {
        let client = LatchkeyClient.preview(.signedOut)
        weak var released: SessionModel?
        do {
            let model = SessionModel(client)
            released = model
            #expect(model.state == .signedOut)
        }
        #expect(released == nil)
        client.signOut()
    }
}
