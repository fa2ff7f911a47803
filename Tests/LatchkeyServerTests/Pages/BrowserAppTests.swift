import Foundation
import Latchkey
import TestProcesses
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Logins of apps in Chromium` {
    @Test func `Every way to log in leads back to the app, and the server's log contains no secret`()
        async throws
    {
        let apps = try await BrowserApps()
        for journey in ["sign-up", "password", "code", "recovery"] { try await logIn(apps, by: journey) }
        try await refuseAndConsent(apps)
        try await logInOnCommandLine(apps)
        let browser = try await apps.finish()
        let log = await apps.server.stop().text

        let secrets = browser.merging(apps.network.secrets) { $0.union($1) }
        #expect(
            secrets.keys.sorted() == [
                "Authorization", "DPoP", "X-Session-Token", "access_token", "code", "code_verifier",
                "cookie csrf", "cookie latchkey", "form code", "form csrf_token", "form email",
                "form identifier", "form login_challenge", "form password", "form traits.email",
                "form traits.phone", "id_token", "message code", "nonce", "query code", "query flow",
                "query login_challenge", "query request_uri", "query state", "recipient", "refresh_token",
                "request_uri", "state", "subject_token",
            ]
        )
        #expect(Self.names(of: secrets, in: log) == [])

        // The log is that of these logins, and the search finds secrets that are added to it.
        for path in ["/login", "/registration", "/recovery", "/consent", "/oauth2/par", "/oauth2/token"] {
            #expect(log.contains(#""path":"\#(path)""#))
        }
        let planted = secrets.values.joined().joined(separator: "\n")
        #expect(Self.names(of: secrets, in: log + planted) == secrets.keys.sorted())
    }

    /// Logs in to an app of the operator, which gets a session.
    private func logIn(_ apps: BrowserApps, by journey: String) async throws {
        let client = try apps.client(BrowserApps.own)
        let session = try await apps.perform(journey) { try await client.signIn(in: apps.browser) }

        #expect(client.sessionState.session?.id == session.id)
        let whoami = HTTP.Request(.get, "/a/sessions/whoami")
        #expect(try await client.send(whoami, to: apps.server.url).status == 200)
    }

    /// Refuses to log in to an app of another vendor, and then allows it, so that it gets a grant.
    private func refuseAndConsent(_ apps: BrowserApps) async throws {
        let client = try apps.client(BrowserApps.other, issuer: apps.server.url)
        let options = AuthorizationOptions(scopes: ["email", "profile", "offline_access"])
        let refusal = await #expect(throws: LatchkeyError.self) {
            try await apps.perform("refusal") { try await client.signIn(in: apps.browser, options: options) }
        }
        #expect(refusal?.code == .dismissed && client.sessionState == .signedOut)

        let session = try await apps.perform("consent") {
            try await client.signIn(in: apps.browser, options: options)
        }
        #expect(client.sessionState.session?.identity.id == session.identity.id)
        let userInfo = try await client.send(HTTP.Request(.get, "/userinfo"), to: apps.server.url)
        let claims = try JSONCoding.decode(JSONValue.self, from: userInfo.body)
        #expect(claims["sub"]?.text == session.identity.id && claims["email"]?.text != nil)
        let error = await #expect(throws: LatchkeyError.self) { try await client.account.identity() }
        #expect(error?.code == .sessionRequired)
    }

    private func logInOnCommandLine(_ apps: BrowserApps) async throws {
        let login = try await apps.perform("command") {
            try await apps.run("login", "--browser", "--client", BrowserApps.own)
        }
        #expect(login.code == 0 && login.output.contains("Logged in."), "\(login.text)")
        let whoami = try await apps.run("whoami")
        #expect(whoami.code == 0 && whoami.output.contains("@example.org"), "\(whoami.text)")
    }

    /// Returns the names of secrets that a log contains in any encoding.
    private static func names(of secrets: [String: Set<String>], in log: String) -> [String] {
        // The digits of a one-time code can also be a part of an id or a time, or the duration of a request.
        let words = Set(
            log.replacing(#/"microseconds":\d+/#, with: "").split { !$0.isLetter && !$0.isNumber }
        )
        let bytes = Data(log.utf8)
        let isLogged = { (name: String, secret: String) in
            if secret.utf8.count < 8 { return words.contains(Substring(secret)) }
            // A phone number may be logged without the first character.
            return !SecretTraces(name, text: String(secret.trimmingPrefix("+"))).found(in: bytes).isEmpty
        }
        return secrets.filter { name, values in values.contains { isLogged(name, $0) } }.keys.sorted()
    }
}
