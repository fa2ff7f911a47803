import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyTestKit
import LatchkeyWire
import Testing

@Suite struct `Passwords found in data breaches` {
    private struct List: BreachedPasswords {
        struct Gone: Error {}

        func occurrences(of password: Secret) async throws -> Int {
            switch password.exposed {
            case "breached-Horse-7": 3
            case let text where text.utf8.elementsEqual("breached-H\u{F6}rse-7".utf8): 3
            case "unreadable-Horse-7": throw Gone()
            default: 0
            }
        }
    }

    private func register(_ password: String, tolerating tolerated: Int = 0) async throws -> (
        Answer, SelfServiceServer
    ) {
        let server = try await SelfServiceServer(breaches: List()) {
            $0.passwords.toleratedBreaches = tolerated
        }
        return (try await server.register(password: password), server)
    }

    @Test(arguments: ["breached-Horse-7", "breached-H\u{F6}rse-7", "breached-Ho\u{308}rse-7"])
    func `A breached password is rejected during registration, in any Unicode form`(_ password: String)
        async throws
    {
        let (answer, server) = try await register(password)
        #expect(answer.status == 400)
        #expect(answer.messages("password") == [.passwordBreached])
        #expect(answer.value("traits.email") == "person1@example.org")
        #expect(server.hasher.work == 0)
        #expect(try await server.count("identities") == 0)
    }

    @Test func `A breached password is accepted if its number of breaches is within the operator's limit`()
        async throws
    {
        #expect(try await register("breached-Horse-7", tolerating: 3).0.status == 200)
        #expect(try await register("breached-Horse-7", tolerating: 2).0.status == 400)
    }

    @Test func `Passwords are rejected while the list of breached passwords can't be read`() async throws {
        let (answer, server) = try await register("unreadable-Horse-7")
        #expect(answer.status == 503)
        #expect(try await server.count("identities") == 0)
    }

    @Test func `A breached password is rejected in the settings`() async throws {
        let (answer, server) = try await register("other-Horse-7")
        let token = answer["session_token"]?.text
        let flow = await server.begin(.settings, token: token)
        let body = JSONValue.object(["method": "password", "password": "breached-Horse-7"])
        let refused = try await server.submit(.settings, flow, body, token: token)
        #expect(refused.messages("password") == [.passwordBreached])
        // The user can still log in with the old password.
        #expect(try await server.login("person1@example.org", "other-Horse-7").status == 200)
    }
}
