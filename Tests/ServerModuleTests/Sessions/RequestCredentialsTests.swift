import LatchkeyModel
import LatchkeyWire
import Testing

@testable import LatchkeyServerKit

/// The tests cover which of several credentials of a request counts.
@Suite struct `Credentials of requests` {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let headers: [(String, String)]
        var carrier = SessionCredentials.Carrier.header
        let token: String?
        var isCookie = false
        var isMissing = false
    }

    private static let cookie = ("Cookie", "a=b; latchkey_session=cookie; c=d")

    private static let rows = [
        Row(testDescription: "none", headers: [], token: nil, isMissing: true),
        Row(testDescription: "the header", headers: [("X-Session-Token", "header")], token: "header"),
        Row(
            testDescription: "an empty header and a bearer token",
            headers: [("X-Session-Token", ""), ("Authorization", "Bearer bearer")],
            token: "bearer"
        ),
        Row(testDescription: "an empty header", headers: [("X-Session-Token", "")], token: nil),
        Row(
            testDescription: "a bearer token",
            headers: [("Authorization", "bearer bearer")],
            token: "bearer"
        ),
        Row(testDescription: "another scheme", headers: [("Authorization", "Basic YTpi")], token: nil),
        Row(testDescription: "a cookie that isn't accepted", headers: [cookie], token: nil, isMissing: true),
        Row(
            testDescription: "a cookie",
            headers: [cookie],
            carrier: .either,
            token: "cookie",
            isCookie: true
        ),
        Row(
            testDescription: "the header before the cookie",
            headers: [("X-Session-Token", "header"), cookie, ("Authorization", "Bearer bearer")],
            carrier: .either,
            token: "header"
        ),
        Row(
            testDescription: "the cookie before the bearer token",
            headers: [cookie, ("Authorization", "Bearer bearer")],
            carrier: .either,
            token: "cookie",
            isCookie: true
        ),
        Row(
            testDescription: "a bearer token if there is no cookie",
            headers: [("Authorization", "Bearer bearer")],
            carrier: .either,
            token: "bearer"
        ),
        Row(
            testDescription: "the bearer token if cookies aren't accepted",
            headers: [cookie, ("Authorization", "Bearer bearer")],
            token: "bearer"
        ),
        Row(
            testDescription: "a header and a bearer token if only cookies are accepted",
            headers: [("X-Session-Token", "header"), ("Authorization", "Bearer bearer")],
            carrier: .cookie,
            token: nil
        ),
        Row(
            testDescription: "the cookie if only cookies are accepted",
            headers: [("X-Session-Token", "header"), cookie],
            carrier: .cookie,
            token: "cookie",
            isCookie: true
        ),
        Row(
            testDescription: "two cookies of the same name in one field",
            headers: [("Cookie", "latchkey_session=one; latchkey_session=two")],
            carrier: .either,
            token: nil,
            isMissing: true
        ),
        Row(
            testDescription: "two cookies of the same name in two fields",
            headers: [("Cookie", "latchkey_session=one"), ("Cookie", "latchkey_session=one")],
            carrier: .either,
            token: nil,
            isMissing: true
        ),
        Row(
            testDescription: "an empty cookie",
            headers: [("Cookie", "latchkey_session=")],
            carrier: .either,
            token: nil,
            isMissing: true
        ),
        Row(
            testDescription: "a cookie whose name is longer",
            headers: [("Cookie", "latchkey_session_2=cookie")],
            carrier: .either,
            token: nil,
            isMissing: true
        ),
        Row(
            testDescription: "a cookie whose value contains an equals sign",
            headers: [("Cookie", "latchkey_session=a=b")],
            carrier: .either,
            token: "a=b",
            isCookie: true
        ),
    ]

    @Test(arguments: rows)
    func `The first accepted credential counts`(row: Row) {
        var headers = HTTP.Headers()
        for (name, value) in row.headers { headers.fields.append(.init(name: name, value: value)) }
        let request = HTTP.Request(.get, "/", headers: headers)
        let cookie = "latchkey_session"
        let found: (String?, isCookie: Bool) =
            switch RequestCredentials(request, in: row.carrier, cookie: cookie) {
            case .missing: (nil, false)
            case .token(let token): (token.exposed, false)
            case .cookie(let value): (value.exposed, true)
            }
        #expect(found.0 == row.token)
        #expect(found.isCookie == row.isCookie)
        #expect(RequestCredentials.areMissing(in: request, for: row.carrier, cookie: cookie) == row.isMissing)
    }
}
