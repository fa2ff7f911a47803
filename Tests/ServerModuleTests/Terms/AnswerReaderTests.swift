import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeySelfService

@Suite struct `Rules of answers` {
    private static func document(_ asks: TermsVersion.Request...) -> TermsDocument {
        TermsDocument(
            key: "shop",
            kind: .terms,
            clientID: nil,
            titles: ["en": "Terms"],
            defaultLanguage: "en",
            createdAt: Timestamp(seconds: 0),
            versions: asks.enumerated().map { index, asks in
                TermsVersion(
                    number: index + 1,
                    asks: asks,
                    effectiveAt: Timestamp(seconds: 0),
                    publishedAt: Timestamp(seconds: 0)
                )
            }
        )
    }

    /// Returns rows for answers such as `+1` for an acceptance, and `-1` for a refusal, of version 1.
    private static func rows(_ answers: String) -> [TermsEvidence] {
        answers.split(separator: " ").enumerated().map { index, answer in
            TermsEvidence(
                id: Identifier(),
                identityID: Identifier(high: 0, low: 0),
                number: index + 1,
                answer: TermsAnswer(
                    document: "shop",
                    version: Int(answer.dropFirst()) ?? 0,
                    language: "en",
                    hash: [1],
                    kind: answer.first == "+" ? .acceptance : .refusal,
                    shown: .appScreen
                ),
                sessionID: nil,
                clientID: nil,
                // The clocks of nodes differ, so the time doesn't decide which answer is the latest.
                answeredAt: Timestamp(seconds: Int64(100 - index))
            )
        }
    }

    /// Answers, and the version that they leave the account with, if version 3 is editorial.
    static let answers: [(String, Int?)] = [
        ("", nil), ("+1", 1), ("-1", nil), ("+1 -1", nil), ("-1 +1", 1), ("+1 -1 +1", 1), ("+1 +2", 2),
        ("+2 +1", 2), ("+1 +2 -2", 1), ("+2 -1", 2), ("+2 -1 -2", nil), ("+3", 3), ("+2 -3", nil),
        ("+3 -2", nil), ("-3 +2", 2), ("+4 -2", 4), ("+1 +3 -3", 1), ("+9", 9),
    ]

    @Test(arguments: answers.indices)
    func `The newest version whose latest answer isn't a refusal counts`(_ index: Int) {
        let (answers, version) = Self.answers[index]
        let document = Self.document(.acceptance, .acceptance, .nothing, .acceptance)
        #expect(document.answered(by: Self.rows(answers)) == version, "\(answers)")
    }

    @Test(
        arguments: [
            ("", "+1", false), ("+1", "+1", true), ("+1 -1", "-1", true), ("+1 -1", "+1", false),
            ("+1 +2", "+1", true), ("+2", "+3", false), ("+2 -3", "+2", false), ("+2 +3", "+3", true),
        ] as [(String, String, Bool)]
    )
    func `An answer is repeated only if it is the latest one to its question`(
        earlier: String,
        answer: String,
        isRepeated: Bool
    ) throws {
        let document = Self.document(.acceptance, .acceptance, .nothing)
        let (rows, new) = (Self.rows(earlier), try #require(Self.rows(answer).first?.answer))
        #expect((document.repeated(new, in: rows) != nil) == isRepeated, "\(earlier), \(answer)")
    }

    @Test func `Other documents make no difference`() {
        let other = TermsEvidence(
            id: Identifier(),
            identityID: Identifier(),
            number: 1,
            answer: TermsAnswer(
                document: "other",
                version: 1,
                language: "en",
                hash: [],
                kind: .acceptance,
                shown: .signUp
            ),
            sessionID: nil,
            clientID: nil,
            answeredAt: Timestamp(seconds: 0)
        )
        #expect(Self.document(.acceptance).answered(by: [other]) == nil)
    }
}

@Suite(.onEachDatabase) struct `Answers that are refused` {
    /// Members of an answer, and a part of the reason for which it is refused.
    static let refused: [([String: JSONValue], String)] = [
        (["document": "Shop"], "answers[0].document is not the key of a published document"),
        (["document": "other"], "answers[0].document is not the key of a published document"),
        (["document": .null], "missing the member answers"),
        (["document": 1], "document of the body has the wrong type"),
        (["document": "game"], "answers[0].document names a document that doesn't apply at this client"),
        (["version": 9], "answers[0].version is not a published version of shop"),
        (["version": 0], "answers[0].version is not a published version of shop"),
        (["version": "1"], "version of the body has the wrong type"),
        (["language": "nb"], "answers[0].language is not a language of shop, version 1"),
        (["language": ""], "answers[0].language is not a language of shop, version 1"),
        (
            ["hash": .string(TermsServer.hash("Be unkind."))],
            "answers[0].hash is not the hash of shop, version 1, in en"
        ),
        (["hash": "-"], "answers[0].hash is not the hash of shop, version 1, in en"),
        (["hash": .null], "missing the member answers"),
        (["answer": "acknowledgement"], "answers[0].answer must be acceptance or refusal"),
        (["answer": "yes"], "answers[0].answer must be acceptance or refusal"),
        (["version": 2], "answers[0].answer must be acknowledgement"),
        (["version": 2, "answer": "refusal"], "answers[0].answer must be acknowledgement"),
        (["document": "news"], "answers[0].version names a version of news that asks for no answer"),
        (["shown": "sign_up"], "answers[0].shown must be own_screen or app_screen"),
        (["shown": "import"], "answers[0].shown must be own_screen or app_screen"),
        (["shown": "x"], "answers[0].shown must be own_screen or app_screen"),
    ]

    private let terms: TermsServer
    private let user: TermsServer.User

    init() async throws {
        terms = try await TermsServer()
        try await terms.publish(1)
        try await terms.publish(2, ["asks": #""acknowledgement""#])
        try await terms.publish(1, ["asks": #""nothing""#], document: ["key": #""news""#])
        try await terms.publish(1, document: ["key": #""game""#, "client_id": #""game""#])
        user = try await terms.register()
    }

    private func expectNoChange() async throws {
        #expect(try await terms.count() == 0)
        #expect(await terms.asked(user.token) == ["terms.shop"])
    }

    @Test func `An answer that names something that wasn't published is refused with the reason`()
        async throws
    {
        for (members, reason) in Self.refused {
            let answer = try await terms.answer(user.token, "acceptance", 1, members)
            #expect(answer.status == 400, "\(members)")
            #expect(answer.reason.contains(reason), "\(members): \(answer.reason)")
        }
        try await expectNoChange()
    }

    @Test func `If one answer is refused, none is stored`() async throws {
        let right = TermsServer.answer("acknowledgement", 2)
        for wrong in [right, TermsServer.answer("acceptance", 1, ["document": "other"])] {
            let answer = try await terms.post([right, wrong], user.token)
            #expect(answer.status == 400 && answer.reason.contains("answers[1].document"), "\(answer.reason)")
        }
        try await expectNoChange()
    }

    @Test func `A request has 1 to 50 answers in JSON`() async throws {
        let answer = TermsServer.answer("acknowledgement", 2)
        #expect(try await terms.post([], user.token).reason == "The member answers must not be empty.")
        let many = [JSONValue](repeating: answer, count: 51)
        #expect(try await terms.post(many, user.token).reason.contains("at most 50"))
        #expect(try await terms.server.post(TermsServer.path, [answer], token: user.token).status == 400)
        let body = JSONValue.object(["answers": [answer]])
        for type in ["text/plain", "application/x-www-form-urlencoded"] {
            let headers: HTTP.Headers = ["Content-Type": type]
            let answer = try await terms.server.post(
                TermsServer.path,
                body,
                token: user.token,
                headers: headers
            )
            #expect(answer.status == 400 && answer.reason.contains("application/json"), "\(type)")
        }
        let large = JSONValue.object([
            "answers": [answer], "x": .string(String(repeating: "x", count: 65_536)),
        ])
        #expect(try await terms.server.post(TermsServer.path, large, token: user.token).status == 413)
        try await expectNoChange()
    }

    @Test func `Answers count as changes of the account`() async throws {
        let terms = try await TermsServer { $0.limits.changesPerAccount = [Rate(2, per: .seconds(3600))] }
        try await terms.publish()
        let user = try await terms.register()
        for status in [200, 200, 429] { #expect(try await terms.answer(user.token).status == status) }
        #expect(await terms.server.get(TermsServer.path, token: user.token).status == 200)
    }
}
