import LatchkeyModel
import LatchkeyOAuth
import LatchkeyServerKit
import LatchkeyWire

extension FuzzTarget {
    /// The tokens and cookies with which requests are authenticated.
    static let credentials = FuzzTarget(
        name: "credentials",
        summary: "the credentials of requests for a session or for a user's claims",
        words: [
            "Bearer ", "DPoP ", "bearer  ", "Basic ", "lk_st_", "lk_bs_", "lk_gt_", "access_token=",
            "%61ccess_token=", "latchkey_session=", "; ", ".", "\u{FF}",
        ]
    ) { bytes in
        let input = FuzzInput(bytes)
        let request = request(input)
        try checkToken(of: request)
        try checkSession(of: request)
        try checkRepetition(of: request)
    }

    private static let cookie = "latchkey_session"

    /// Returns a request with an `Authorization` field, a query, a form, a session token and cookies, of which
    /// empty ones are left out.
    private static func request(_ input: FuzzInput) -> HTTP.Request {
        var request = HTTP.Request(.post, Route.userInfo)
        for (index, name) in [(0, "Authorization"), (3, "X-Session-Token"), (4, "Cookie")] {
            let value = input.text(index)
            if !value.isEmpty { request.headers[name] = value }
        }
        let query = input.text(1)
        if !query.isEmpty { request.query = query }
        request.body = input.bytes(2)
        if !request.body.isEmpty { request.headers["Content-Type"] = "application/x-www-form-urlencoded" }
        return request
    }

    /// Checks the access token of a request for claims.
    private static func checkToken(of request: HTTP.Request) throws {
        let found: UserInfoToken
        do throws(OAuthError) {
            found = try UserInfoToken(request)
        } catch {
            try expect(!error.reason.isEmpty, "a rejection has a reason")
            try expect([400, 401].contains(error.status), "a rejection has a status")
            let hasChallenge = error.headers[AuthenticationChallenge.header] != nil
            try expect(hasChallenge == (error.status == 401), "the status 401 has a challenge")
            return
        }
        let field = request.headers["Authorization"] ?? ""
        let token = found.secret.exposed
        try expect(!token.isEmpty && token.utf8.first != 0x20, "a token doesn't begin with a space")
        try expect(field.utf8.suffix(token.utf8.count).elementsEqual(token.utf8), "it ends the field")
        let scheme = field.utf8.prefix { $0 != 0x20 }
        try expect(
            String(decoding: scheme, as: UTF8.self).equalsIgnoringASCIICase(found.scheme.rawValue),
            "the scheme begins the field"
        )
        try expect([.bearer, .dpop].contains(found.scheme), "only two schemes have access tokens")
        try expect(QueryItems(request.query ?? "")["access_token"] == nil, "there is no token in the query")
    }

    /// Checks the credential of a request for a session.
    private static func checkSession(of request: HTTP.Request) throws {
        let bearer = request.token(by: .bearer)
        for carrier in [SessionCredentials.Carrier.header, .cookie, .either] {
            let isMissing = RequestCredentials.areMissing(in: request, for: carrier, cookie: cookie)
            switch RequestCredentials(request, in: carrier, cookie: cookie) {
            case .missing: continue
            case .cookie(let value):
                try expect(carrier != .header, "a cookie isn't accepted as a header field")
                try expect(request.cookies(cookie) == [value.exposed], "a cookie isn't repeated")
            case .token(let token):
                try expect(carrier != .cookie, "a header field isn't accepted as a cookie")
                let own = request.headers["X-Session-Token"].flatMap { $0.isEmpty ? nil : Secret($0) }
                try expect(token == own ?? bearer, "the session token precedes the bearer token")
            }
            try expect(!isMissing, "a credential that is used isn't missing")
        }
    }

    /// Checks that a second field hides both tokens.
    private static func checkRepetition(of request: HTTP.Request) throws {
        guard let field = request.headers["Authorization"] else { return }
        var repeated = request
        repeated.headers.fields.append(HTTP.Headers.Field(name: "authorization", value: field))
        try expect(repeated.token(by: .bearer) == nil, "a repeated field has no bearer token")
        try expect((try? UserInfoToken(repeated)) == nil, "a repeated field has no access token")
    }
}
