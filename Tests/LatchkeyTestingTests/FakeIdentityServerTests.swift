import Latchkey
import LatchkeyModel
import LatchkeyTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct `App tests with a fake identity server` {
    private let server = FakeIdentityServer()
    private let time = VirtualTime()

    private func client(keys: FakeDeviceKeys = FakeDeviceKeys()) throws -> LatchkeyClient {
        var configuration = LatchkeyConfiguration(server: FakeIdentityServer.origin, app: "com.example.app")
        configuration.store = MemoryStore()
        configuration.deviceKeys = keys
        configuration.transport = server
        configuration.languages = []
        configuration.time = time
        return try LatchkeyClient(configuration)
    }

    @Test func `A test can log a user in and out without a server`() async throws {
        let client = try client()

        let session = try await client.signIn(phone: "+439999999999", password: "000000")
        #expect(client.sessionState == .signedIn(session))
        #expect(client.signOut().storageFailure == nil)
        #expect(client.sessionState == .signedOut)
    }

    @Test func `A test can take a user through a sign-up`() async throws {
        let sent = try await client().signUp.begin(phone: "+439999999999")
        let verified = try await sent.verify("271501")

        let session = try await verified.finish(password: "000000", name: .init(first: "User", last: "Test"))

        #expect(session.identity.name == .init(first: "User", last: "Test"))
        #expect(server.log.contains("PATCH /identity/verification/flow/phone"))
    }

    @Test func `A test can choose which errors the app receives`() async throws {
        server.plan("POST /a/self-service/login", .fail(.timedOut), .respond(.init(503)))
        let keys = FakeDeviceKeys()
        let client = try client(keys: keys)

        for code in [LatchkeyError.Code.timedOut, .serverFailed] {
            let error = await #expect(throws: LatchkeyError.self) {
                try await client.signIn(phone: "+439999999999", password: "000000")
            }
            #expect(error?.code == code)
        }
        #expect(keys.living.isEmpty)
    }
}
