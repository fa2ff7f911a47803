import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeySelfService

@Suite(.onEachDatabase) struct `Answering documents` {
    private let terms: TermsServer
    private let user: TermsServer.User

    private var server: SelfServiceServer { terms.server }

    init() async throws {
        terms = try await TermsServer()
        try await terms.publish()
        user = try await terms.register()
    }

    private func listed(_ token: String, _ headers: HTTP.Headers = [:]) async -> JSONValue? {
        let answer = await server.get(TermsServer.path, token: token, headers: headers)
        #expect(answer.status == 200)
        return answer["documents"]?.elements.first { $0["key"] == "shop" }
    }

    @Test func `An acceptance is stored with all that it refers to, and fulfils the duty`() async throws {
        let session = try #require(await server.get("/sessions/whoami", token: user.token)["id"])
        let answer = try await terms.answer(user.token, "acceptance", 1, ["shown": "own_screen"])
        #expect(answer.status == 200 && answer["duties"] == [] && answer["session_ended"] == nil)
        let row = try #require(answer["answers"]?.first)
        #expect(row["document"] == "shop" && row["version"] == 1 && row["language"] == "en")
        #expect(row["hash"]?.text == TermsServer.hash() && row["answer"] == "acceptance")
        #expect(row["shown"] == "own_screen" && row["session_id"] == session && row["client_id"] == nil)
        #expect(row["answered_at"]?.text == server.time.now.description)
        #expect(try await terms.rows(of: user) == ["acceptance 1"])
        #expect(await terms.asked(user.token) == [])
        #expect(await listed(user.token)?["answer"] == row)
    }

    @Test func `The place is a screen of the app unless the app says otherwise`() async throws {
        #expect(try await terms.answer(user.token)["answers"]?.first?["shown"] == "app_screen")
    }

    @Test func `Repeating the latest answer returns the first row`() async throws {
        let first = try await terms.answer(user.token)["answers"]
        server.time.advance(by: .seconds(60))
        let again = try await terms.answer(try await terms.logIn(), "acceptance", 1, ["shown": "own_screen"])
        #expect(again["answers"] == first)
        #expect(try await terms.rows(of: user) == ["acceptance 1"])
    }

    @Test func `A refusal undoes an acceptance, ends its session and deletes no data`() async throws {
        let other = try await terms.logIn()
        #expect(try await terms.answer(user.token).status == 200)
        let refused = try await terms.answer(user.token, "refusal")
        #expect(refused.status == 200 && refused["session_ended"] == true && refused["duties"] == nil)
        #expect(await !server.isAlive(user.token))
        #expect(try await server.actions(of: user.id).contains(.sessionRevoked))
        #expect(try await terms.rows(of: user) == ["acceptance 1", "refusal 1"])
        #expect(await terms.asked(other) == ["terms.shop"])
        #expect(await server.get("/account/export", token: other).status == 200)

        // Another device repeats the refusal, which is also logged out.
        let repeated = try await terms.answer(other, "refusal")
        #expect(repeated["answers"] == refused["answers"] && repeated["session_ended"] == true)
        #expect(await !server.isAlive(other))
        #expect(try await terms.answer(try await terms.logIn()).status == 200)
        #expect(try await terms.rows(of: user) == ["acceptance 1", "refusal 1", "acceptance 1"])
        #expect(await terms.asked(try await terms.logIn()) == [])
    }

    @Test func `An answer to an earlier version is stored and doesn't fulfil the duty`() async throws {
        try await terms.publish(2)
        let answer = try await terms.answer(user.token)
        #expect(answer.status == 200 && answer["duties"]?.first?["kind"] == "accept_terms")
        #expect(try await terms.rows(of: user) == ["acceptance 1"])
        #expect(await terms.asked(user.token) == ["terms.shop"])
        #expect(try await terms.answer(user.token, "acceptance", 2)["duties"] == [])
        // An earlier version that is accepted late doesn't reopen the question.
        #expect(try await terms.answer(try await terms.logIn(), "refusal", 1)["session_ended"] == true)
        #expect(await terms.asked(user.token) == [])
    }

    @Test func `A version that isn't in force yet can be answered, which counts from its date on`()
        async throws
    {
        let date = server.time.now + .seconds(3_600)
        try await terms.publish(2, ["effective_at": #""\#(date)""#])
        for version in [1, 2] {
            #expect(try await terms.answer(user.token, "acceptance", version)["duties"] == [])
        }
        let early = try await terms.register(2)
        #expect(try await terms.answer(early.token)["duties"] == [])
        server.time.advance(by: .seconds(3_600))
        #expect(await terms.asked(user.token) == [])
        #expect(await terms.asked(early.token) == ["terms.shop"])
    }

    @Test func `Users who read an editorial version answer the question of the version before it`()
        async throws
    {
        try await terms.publish(2, ["asks": #""nothing""#])
        #expect(await listed(user.token)?["current"]?["version"] == 2)
        #expect(await listed(user.token)?["current"]?["asks"] == "acceptance")
        #expect(try await terms.answer(user.token, "acceptance", 2)["duties"] == [])
        #expect(try await terms.answer(user.token, "refusal", 2)["session_ended"] == true)
        #expect(await terms.asked(try await terms.logIn()) == ["terms.shop"])
    }

    @Test func `A translation that is added later asks no one again`() async throws {
        #expect(try await terms.answer(user.token).status == 200)
        let texts = #"[\#(TermsServer.JSON.words), {"language": "nb", "text": "Vær snill."}]"#
        try await terms.publish(1, ["texts": texts])
        #expect(await terms.asked(user.token) == [])
        #expect(await listed(user.token, ["Accept-Language": "nb"])?["current"]?["language"] == "nb")
    }

    @Test func `The list has the versions that matter, in the preferred language`() async throws {
        let texts = """
            [{"language": "en", "text": "New.", "summary": "Kinder."}, \
            {"language": "nb", "text": "Ny.", "summary": "Snillere."}]
            """
        try await terms.publish(
            2,
            ["texts": texts, "effective_at": #""\#(server.time.now + .seconds(3_600))""#],
            document: ["titles": #"{"en": "Terms", "nb": "Vilkår"}"#]
        )
        let document = try #require(await listed(user.token, ["Accept-Language": "nb-NO, en;q=0.5"]))
        #expect(document["open"] == true && document["answer"] == nil && document["kind"] == "terms")
        // The version in force has no Norwegian text, so it has no Norwegian title.
        #expect(document["title"] == "Terms" && document["current"] == document["required"])
        #expect(document["current"]?["url"] == "https://id.example.com/terms/shop/1?lang=en")
        let upcoming = try #require(document["upcoming"])
        #expect(
            upcoming["version"] == 2 && upcoming["language"] == "nb" && upcoming["summary"] == "Snillere."
        )
        #expect(upcoming["hash"]?.text == TermsServer.hash("Ny."))
        #expect(upcoming["url"] == "https://id.example.com/terms/shop/2?lang=nb")
        server.time.advance(by: .seconds(3_600))
        let later = try #require(await listed(user.token, ["Accept-Language": "nb"]))
        #expect(later["title"] == "Vilkår" && later["current"] == upcoming && later["upcoming"] == nil)
    }

    @Test func `Several documents are answered at once`() async throws {
        try await terms.publish(1, ["asks": #""acknowledgement""#], document: ["key": #""privacy""#])
        let answers = [
            TermsServer.answer(), TermsServer.answer("acknowledgement", 1, ["document": "privacy"]),
        ]
        let answer = try await terms.post(answers, user.token)
        #expect(answer["answers"]?.elements.compactMap { $0["document"] } == ["shop", "privacy"])
        #expect(answer["duties"] == [])
        #expect(try await terms.rows(of: user) == ["acceptance 1", "acknowledgement 1"])
    }

    @Test func `The row names the session's client`() async throws {
        await terms.client("game")
        let user = try await terms.register(2, at: "game")
        #expect(try await terms.answer(user.token)["answers"]?.first?["client_id"] == "game")
    }

    @Test func `A session that has ended meanwhile stores no answer`() async throws {
        // The first transaction counts the change.
        let racing = RacingServer(server, at: .transaction(2)) { [server, user] in
            _ = try await server.logOut(user.token)
        }
        let body = JSONValue.object(["answers": [TermsServer.answer()]])
        let answer = try await racing.send(.post, TermsServer.path, body, token: user.token)
        #expect(answer.status == 401 && answer.errorID == .sessionInactive)
        #expect(try await terms.count() == 0)
    }

    @Test func `An account that is erased meanwhile gets no row`() async throws {
        let racing = RacingServer(server, at: .transaction(2)) { [terms, user] in
            #expect(await terms.admin.send(.delete, "/admin/identities/\(user.id)").status == 204)
        }
        let body = JSONValue.object(["answers": [TermsServer.answer()]])
        #expect(try await racing.send(.post, TermsServer.path, body, token: user.token).status == 401)
        #expect(try await terms.count() == 0)
    }

    @Test func `A browser answers with its cookie, and only on behalf of its own pages`() async throws {
        let visitor = PageVisitor(server)
        try await visitor.logIn()
        let browser = visitor.browser
        let body = try JSONCoding.encode(JSONValue.object(["answers": [TermsServer.answer()]]))
        func post(_ origin: String?) async -> Answer {
            var request = HTTP.Request(.post, "/a" + TermsServer.path, body: body)
            request.headers["Content-Type"] = "application/json"
            request.headers["Cookie"] = browser.cookies.map { "\($0.key)=\($0.value)" }.joined(
                separator: "; "
            )
            request.headers["Origin"] = origin
            return await server.send(request)
        }
        for origin in ["https://evil.example", "null"] {
            #expect(await post(origin).errorID == .csrfViolation)
        }
        #expect(try await terms.count() == 0)
        #expect(await post(SelfServiceServer.url).status == 200)
        #expect(try await terms.rows(of: user) == ["acceptance 1"])
    }

    @Test func `One hundred users with two devices each are asked once, and no second time`() async throws {
        let users = try await (2...101).asyncMap { try await terms.register($0) }
        let others = try await (2...101).asyncMap { try await terms.logIn($0) }
        try await terms.publish(2)
        for (index, user) in users.enumerated() {
            #expect(await terms.asked(user.token) == ["terms.shop"])
            let refuses = index % 10 == 0
            let answer = try await terms.answer(user.token, refuses ? "refusal" : "acceptance", 2)
            #expect(answer.status == 200 && (answer["session_ended"] == true) == refuses)
        }
        #expect(try await terms.count() == 100)
        for (index, (user, other)) in zip(users, others).enumerated() {
            let refuses = index % 10 == 0
            #expect(await server.isAlive(user.token) == !refuses)
            #expect(await terms.asked(other) == (refuses ? ["terms.shop"] : []))
        }
        #expect(try await terms.count() == 100)
    }
}

extension Sequence where Self: Sendable, Element: Sendable {
    /// Returns the results of a closure that is called with one element after the other.
    fileprivate func asyncMap<Result>(_ transform: (Element) async throws -> Result) async rethrows
        -> [Result]
    {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
