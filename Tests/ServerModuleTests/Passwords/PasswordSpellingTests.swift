import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyWire
import TestDatabases
import TestSpellings
import Testing

@Suite(.onEachDatabase) struct `Unicode forms of passwords` {
    private let composed = "Z\u{FC}rich-\u{C5}ngstr\u{F6}m-7"
    private let decomposed = "Zu\u{308}rich-A\u{30A}ngstro\u{308}m-7"

    /// Logs in with a form.
    private func loginByForm(_ identifier: String, _ password: String, on server: SelfServiceServer) async
        -> Answer
    {
        let fields = [("method", "password"), ("identifier", identifier), ("password", password)]
        var request = HTTP.Request(form: fields, to: "/a/self-service/login")
        request.query = "flow=" + (await server.begin(.login))
        return await server.send(request)
    }

    /// Stores a hash for the first account, as an import would.
    private func store(_ hash: String, on server: SelfServiceServer) async throws {
        try await server.resources.database.transaction { transaction in
            _ = try transaction.execute("UPDATE passwords SET hash = $1", .text(hash))
        }
    }

    private func storedHash(on server: SelfServiceServer) async throws -> String? {
        try await server.resources.database.rows("SELECT hash FROM passwords").first?.text(0)
    }

    @Test func `Passwords are compared in NFC after a registration, and no other mapping is applied`()
        async throws
    {
        let server = try await SelfServiceServer { $0.limits = .unlimited }
        for (number, spelling) in zip(1..., TypedSpellings.passwords) {
            #expect(try await server.register(number, password: spelling.set).status == 200, "\(spelling)")
            let status = spelling.isSame ? 200 : 400
            let email = "person\(number)@example.org"
            #expect(try await server.login(email, spelling.typed).status == status, "\(spelling)")
            #expect(await loginByForm(email, spelling.typed, on: server).status == status, "\(spelling)")
            #expect(try await server.login(email, spelling.set).status == 200, "\(spelling)")
        }
    }

    @Test func `Passwords are compared in NFC after an operator has set them`() async throws {
        let server = try await AdminServer { $0.limits = .unlimited }
        for (number, spelling) in zip(1..., TypedSpellings.passwords) {
            let password = try String(
                decoding: JSONCoding.encode(JSONValue.string(spelling.set)),
                as: UTF8.self
            )
            let created = await server.create(
                number,
                #""credentials": {"password": {"config": {"password": \#(password)}}}"#
            )
            #expect(created.status == 201, "\(spelling)")
            let answer = try await server.people.login("person\(number)@example.org", spelling.typed)
            #expect(answer.status == (spelling.isSame ? 200 : 400), "\(spelling)")
        }
    }

    @Test func `A new password in another Unicode form is the old one`() async throws {
        let client = try await SettingsClient { $0.limits = .unlimited }
        #expect(try await client.change(password: decomposed).status == 200)
        for same in [composed, decomposed] {
            let answer = try await client.change(password: same)
            #expect(answer.status == 400)
            #expect(answer.messages("password") == [.passwordUnchanged])
        }
        for same in [composed, decomposed] {
            #expect(try await client.server.login("person1@example.org", same).status == 200)
        }
    }

    @Test(arguments: ["quick2:", "import:"])
    func `A hash of a password as it was typed still matches and is replaced by one in NFC`(prefix: String)
        async throws
    {
        let server = try await SelfServiceServer { $0.limits = .unlimited }
        try await server.register()
        try await store(prefix + String(decomposed.reversed()), on: server)

        #expect(try await server.login("person1@example.org", composed).messages == [.invalidCredentials])
        #expect(try await server.login("person1@example.org", decomposed).status == 200)

        let hash = try #require(try await storedHash(on: server))
        #expect(hash.utf8.elementsEqual(("quick2:" + String(composed.reversed())).utf8))
        #expect(try await server.login("person1@example.org", composed).status == 200)
        #expect(try await server.login("person1@example.org", decomposed).status == 200)
    }

    @Test func `An imported hash of a password in NFC matches in every form`() async throws {
        let server = try await SelfServiceServer { $0.limits = .unlimited }
        try await server.register()
        try await store("import:" + String(composed.reversed()), on: server)

        #expect(try await server.login("person1@example.org", decomposed).status == 200)
        #expect(try await storedHash(on: server)?.hasPrefix("quick2:") == true)
    }

    @Test func `A wrong password in another form counts as one failure`() async throws {
        let server = try await SelfServiceServer {
            $0.limits.failuresPerAccount = [Rate(2, per: .seconds(3600))]
        }
        try await server.register(password: composed)
        for _ in 1...2 {
            let answer = try await server.login("person1@example.org", decomposed + "x", from: "198.51.100.7")
            #expect(answer.messages == [.invalidCredentials])
        }
        let refused = try await server.login("person1@example.org", decomposed + "x", from: "198.51.100.7")
        #expect(refused.status == 429)
    }
}
