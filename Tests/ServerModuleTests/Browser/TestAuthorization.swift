import LatchkeyModel
import LatchkeySelfService
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import Testing

@testable import LatchkeyAccounts

/// A table of authorization requests, in place of the provider.
///
/// As in the provider, a request belongs to one browser, lasts 10 minutes, and an hour once it is extended.
final class TestAuthorization: AuthorizationContinuation {
    private struct Entry {
        let pending: PendingAuthorization
        let secret: CSRFSecret
        var endsAt: Timestamp
    }

    static let client = """
        {"client_name": "The <Shop>", "client_uri": "https://shop.example", "logo_uri": "https://shop.example/l.png",
         "policy_uri": "https://shop.example/privacy", "tos_uri": "https://shop.example/terms",
         "redirect_uris": ["https://shop.example/in"], "scope": "openid email", "metadata": {"note": "internal"}}
        """

    private let entries = Locked<[Identifier: Entry]>([:])
    private let calls = Locked<[Identifier]>([])

    /// The ids of the requests that were extended, once for each time.
    var extended: [Identifier] { calls.withLock { $0 } }

    /// Makes a request of a browser, which gets a CSRF cookie if it has none.
    func request(
        by browser: TestBrowser,
        hint: String? = nil,
        locales: String? = nil
    ) async throws -> Identifier {
        if browser.csrfCookie == nil { await browser.get(FlowKind.login.startPath(for: .browser)) }
        let now = browser.server.time.now
        let pending = PendingAuthorization(
            id: Identifier(),
            client: OAuthClient(
                id: "shop",
                metadata: try ClientMetadata(try JSONParser.parse(Array(Self.client.utf8)), rules: nil),
                secrets: ClientSecrets(.generated([1])),
                createdAt: now,
                updatedAt: now
            ),
            requestURL: SelfServiceServer.url + "/oauth2/auth?client_id=shop",
            scopes: ["openid", "email"],
            loginHint: hint,
            uiLocales: locales
        )
        let secret = try #require(browser.csrfCookie?.secret)
        let entry = Entry(pending: pending, secret: secret, endsAt: now + .seconds(600))
        entries.withLock { $0[pending.id] = entry }
        return pending.id
    }

    /// Ends a request, as when the user has answered it.
    func end(_ id: Identifier) {
        entries.withLock { $0[id] = nil }
    }

    // MARK: Continuation

    func request(
        _ id: Identifier,
        of browser: BrowserState?,
        at now: Timestamp
    ) async throws -> PendingAuthorization? {
        guard let browser, let entry = entries.withLock({ $0[id] }), now < entry.endsAt,
            browser.hasSecret(where: { $0 == entry.secret })
                || browser.hadSecret(where: { $0 == entry.secret })
        else { return nil }
        return entry.pending
    }

    func client(of id: Identifier) async throws -> OAuthClient? {
        entries.withLock { $0[id]?.pending.client }
    }

    /// Throws an error, because no requests are pushed to the table.
    func open(_ uri: String, of client: OAuthClient, at now: Timestamp) async throws -> PendingAuthorization {
        throw ServerError.loginChallengeInvalid
    }

    func answer(
        _ id: Identifier,
        by session: AuthenticatedSession,
        isProvisional: Bool,
        in context: RequestContext
    ) async throws -> String? { nil }

    /// Throws an error, because the table has no requests that continue with a mailed link.
    func begin(
        byLink query: String,
        of client: OAuthClient,
        in context: RequestContext
    ) async throws -> PendingAuthorization {
        throw ServerError.loginChallengeInvalid
    }

    func attach(
        _ id: Identifier,
        to account: Identifier,
        until expiresAt: Timestamp,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {}

    func client(
        awaiting id: Identifier,
        confirming address: ContactAddress,
        of account: Identifier,
        at now: Timestamp
    ) async throws -> OAuthClient? { nil }

    func answer(
        _ id: Identifier,
        confirming address: ContactAddress,
        of account: Identifier,
        in context: RequestContext
    ) async throws -> String? { nil }

    func extend(
        _ id: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        calls.withLock { $0.append(id) }
        entries.withLock { $0[id]?.endsAt = now + .seconds(3600) }
    }

    func address(continuing id: Identifier) -> String { Self.address(of: id) }

    func address(refusing id: Identifier) -> String {
        SelfServiceServer.url + "/oauth2/auth/refuse?login_challenge=\(id)"
    }

    static func address(of id: Identifier) -> String {
        SelfServiceServer.url + "/oauth2/auth/continue?login_challenge=\(id)"
    }
}

extension TestBrowser {
    var csrfCookie: CSRFCookie? { cookies[Self.csrfCookie].flatMap { CSRFCookie($0) } }
}

extension Answer {
    /// The address that the response leads to, as a redirection or as the first step of `continue_with`.
    var next: String? { location ?? steps.first?["redirect_browser_to"]?.text }
}
