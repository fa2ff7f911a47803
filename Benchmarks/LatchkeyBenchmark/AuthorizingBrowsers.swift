import Foundation
import LatchkeyModel
import LatchkeyWire

/// Browsers whose users are logged in and have consented to a client.
///
/// Each browser sends one request at a time.
final class AuthorizingBrowsers: Sendable {
    private struct Browser: Sendable {
        var cookies: [String: String] = [:]
        var refreshToken = ""

        var header: String {
            "Cookie: " + cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ") + "\r\n"
        }

        mutating func keepCookies(of answer: BlockingConnection.Answer) {
            for field in answer.fields("Set-Cookie") {
                let pair = field.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
                if pair.count == 2 { cookies[String(pair[0])] = String(pair[1]) }
            }
        }
    }

    private let client: BenchClient
    private let idle = Locked<[Browser]>([])

    /// Registers users in browsers, and has each of them consent once.
    init(_ count: Int, of client: BenchClient, over connection: BlockingConnection, from person: Int) throws {
        self.client = client
        for number in 0..<count {
            var browser = try Self.registered(person + number, over: connection)
            let code = try consent(in: &browser, over: connection)
            // The key for RSA signatures is generated after the first request that needs it.
            browser.refreshToken = try redeem(code, over: connection).refreshToken
            idle.withLock { $0.append(browser) }
        }
    }

    /// Logs a user in who has a session and has consented: requests a code and redeems it.
    var logIn: Work.Unit {
        { [self] connection, _ in
            try borrow { browser in
                let answer = try connection.exchange(
                    "GET",
                    target: client.authorizationTarget,
                    headers: browser.header
                )
                guard let code = Self.code(in: answer) else { throw Self.unexpected }
                _ = try redeem(code, over: connection)
            }
        }
    }

    /// Refreshes the grant of a browser's user.
    var refresh: Work.Unit {
        { [self] connection, _ in
            try borrow { browser in
                let tokens = try send(
                    [("grant_type", "refresh_token"), ("refresh_token", browser.refreshToken)],
                    over: connection
                )
                browser.refreshToken = tokens.refreshToken
            }
        }
    }

    /// Returns new access tokens.
    func accessTokens(_ count: Int, over connection: BlockingConnection) throws -> [String] {
        try (0..<count).map { _ in
            var token = ""
            try borrow { browser in
                let tokens = try send(
                    [("grant_type", "refresh_token"), ("refresh_token", browser.refreshToken)],
                    over: connection
                )
                (browser.refreshToken, token) = (tokens.refreshToken, tokens.accessToken)
            }
            return token
        }
    }

    private func borrow(_ action: (inout Browser) throws -> Void) throws {
        guard var browser = idle.withLock({ $0.popLast() }) else { throw Self.unexpected }
        try action(&browser)
        idle.withLock { [browser] in $0.append(browser) }
    }

    // MARK: Logins

    private static func registered(_ person: Int, over connection: BlockingConnection) throws -> Browser {
        var browser = Browser()
        let started = try connection.exchange(
            "GET",
            target: "/a/self-service/registration/browser",
            headers: "Accept: application/json\r\n"
        )
        browser.keepCookies(of: started)
        let flow = try JSONCoding.decode(JSONValue.self, from: started.body)
        let token = flow["ui"]?["nodes"]?.array?.compactMap { $0["attributes"] }
            .first { $0["name"]?.text == "csrf_token" }?["value"]?.text
        guard let id = flow["id"]?.text, let token else { throw unexpected }
        let submitted = try connection.exchange(
            "POST",
            target: "/a/self-service/registration?flow=\(id)",
            headers: "Accept: application/json\r\n" + browser.header,
            body: Work.registrationBody(person, csrfToken: token)
        )
        guard submitted.status == 200 else { throw unexpected }
        browser.keepCookies(of: submitted)
        return browser
    }

    /// Answers the question about the client on its page, and returns the code.
    private func consent(in browser: inout Browser, over connection: BlockingConnection) throws -> String {
        let asked = try connection.exchange(
            "GET",
            target: client.authorizationTarget,
            headers: browser.header
        )
        browser.keepCookies(of: asked)
        guard let location = asked.fields("Location").first else { throw Self.unexpected }
        let page = try connection.exchange(
            "GET",
            target: String(location.dropFirst(LatchkeyServerSubject.url.count)),
            headers: browser.header
        )
        let html = String(decoding: page.body, as: UTF8.self)
        let action = html.firstMatch(of: /<form[^>]*\saction="([^"]*)"/)?.output.1
        guard page.status == 200, let action else { throw Self.unexpected }
        let inputs = html.matches(of: /<input[^>]*>/).compactMap { input -> (String, String)? in
            guard
                let name = input.output.firstMatch(of: /\sname="([^"]*)"/)?.output.1,
                let value = input.output.firstMatch(of: /\svalue="([^"]*)"/)?.output.1
            else { return nil }
            return (String(name), String(value))
        }
        var target = String(action).replacing("&amp;", with: "&")
        if target.hasPrefix(LatchkeyServerSubject.url) {
            target.removeFirst(LatchkeyServerSubject.url.count)
        }
        let answered = try connection.exchange(
            "POST",
            target: target,
            headers: browser.header,
            body: Work.form(inputs + [("decision", "approve")]),
            type: Self.formType
        )
        browser.keepCookies(of: answered)
        guard let code = Self.code(in: answered) else { throw Self.unexpected }
        return code
    }

    private static func code(in answer: BlockingConnection.Answer) -> String? {
        guard let location = answer.fields("Location").first, location.hasPrefix(BenchClient.redirectURI),
            let start = location.firstRange(of: "code=")?.upperBound
        else { return nil }
        return String(location[start...].prefix { $0 != "&" })
    }

    // MARK: Tokens

    private struct Tokens {
        let accessToken: String
        let refreshToken: String
    }

    private func redeem(_ code: String, over connection: BlockingConnection) throws -> Tokens {
        try send(
            [
                ("grant_type", "authorization_code"), ("code", code),
                ("redirect_uri", BenchClient.redirectURI), ("code_verifier", BenchClient.verifier),
            ],
            over: connection
        )
    }

    private func send(_ items: [(String, String)], over connection: BlockingConnection) throws -> Tokens {
        let answer = try connection.exchange(
            "POST",
            target: Route.token,
            body: Work.form(items + [("client_id", client.rawValue)]),
            type: Self.formType
        )
        let text = String(decoding: answer.body, as: UTF8.self)
        // We don't decode the response as JSON because the load generator would become the bottleneck.
        func member(_ name: String) -> String? {
            text.firstRange(of: "\"\(name)\":\"").map { mark in
                String(text[mark.upperBound...].prefix { $0 != "\"" })
            }
        }
        guard answer.status == 200, let access = member("access_token"), let refresh = member("refresh_token")
        else { throw BlockingConnection.Failure(what: "unexpected answer to a client: \(text)") }
        return Tokens(accessToken: access, refreshToken: refresh)
    }

    private static let formType = "application/x-www-form-urlencoded"
    private static let unexpected = BlockingConnection.Failure(what: "unexpected answer of the provider")
}
