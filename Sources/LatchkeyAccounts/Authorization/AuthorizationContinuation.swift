package import LatchkeyModel
package import LatchkeyServerKit

/// A protocol for the provider's part of an authorization request (RFC 6749, section 4.1.1) that flows belong
/// to.
///
/// Flows carry the id of the request, which is called `login_challenge` in URLs. Browsers are led back to the
/// provider when the user has logged in. Apps get the answer with the response of their flow.
package protocol AuthorizationContinuation: Sendable {
    /// Returns the open authorization request with an id.
    ///
    /// - Parameters:
    ///   - id: The id of the request.
    ///   - browser: The state of the browser that wants to continue the request, or `nil` for the flow of an app.
    ///   - now: The current time.
    /// - Returns: The request, or `nil` if it is unknown, completed or expired, or if it belongs to another
    ///   browser, or to a browser instead of an app or the other way around.
    /// - Throws: ``DatabaseError``.
    func request(
        _ id: Identifier,
        of browser: BrowserState?,
        at now: Timestamp
    ) async throws -> PendingAuthorization?

    /// Returns the client of a request, whichever browser the request belongs to, so that a page can name it.
    ///
    /// - Throws: ``DatabaseError``.
    func client(of id: Identifier) async throws -> OAuthClient?

    /// Makes a request last for an hour, because the user has submitted a form of one of its flows.
    ///
    /// - Throws: ``DatabaseError``.
    func extend(
        _ id: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError)

    /// Opens a request that a client has pushed (RFC 9126), for a flow of the client's app.
    ///
    /// A request can be opened once, by an app, a browser or an app that approves it. A flow of an app has no page
    /// that names the client, so only the operator's own clients without consent can use it.
    ///
    /// - Parameters:
    ///   - uri: The `request_uri`.
    ///   - client: The client that the app names.
    ///   - now: The current time.
    /// - Returns: The request.
    /// - Throws: ``ServerError`` with status 400 if the request can't be opened, or ``DatabaseError``.
    func open(_ uri: String, of client: OAuthClient, at now: Timestamp) async throws -> PendingAuthorization

    /// Answers the request of an app's flow whose user has logged in.
    ///
    /// - Parameters:
    ///   - id: The id of the request.
    ///   - session: The session that the flow has opened, or in which it was completed.
    ///   - isProvisional: Whether the session lacks the device certificate that it needs.
    ///   - context: The request that has completed the flow.
    /// - Returns: The redirect URI with a code or an error, or `nil` if the request was answered or has expired.
    /// - Throws: ``DatabaseError``.
    func answer(
        _ id: Identifier,
        by session: AuthenticatedSession,
        isProvisional: Bool,
        in context: RequestContext
    ) async throws -> String?

    /// Stores the request of an app's sign-up or login that continues with a mailed link.
    ///
    /// - Parameters:
    ///   - query: The parameters of an authorization request, in which `response_type` may be missing.
    ///   - client: The client that the app names.
    ///   - context: The request that starts the flow.
    /// - Returns: The request.
    /// - Throws: ``ServerError`` with status 400 if the parameters are invalid or the client has to ask for consent,
    ///   or 429 if too many requests were stored for the network. Also throws ``DatabaseError``.
    func begin(
        byLink query: String,
        of client: OAuthClient,
        in context: RequestContext
    ) async throws -> PendingAuthorization

    /// Gives a request that continues with a mailed link the account of the mail, and a new expiry.
    ///
    /// - Throws: ``DatabaseError``.
    func attach(
        _ id: Identifier,
        to account: Identifier,
        until expiresAt: Timestamp,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError)

    /// Returns the client of an account's request that continues with a mailed link, if the link of an address can
    /// answer it now.
    ///
    /// - Throws: ``DatabaseError``.
    func client(
        awaiting id: Identifier,
        confirming address: ContactAddress,
        of account: Identifier,
        at now: Timestamp
    ) async throws -> OAuthClient?

    /// Answers a request that continues with a mailed link, after the code in the mail was entered or confirmed.
    ///
    /// A request that was answered before gets a new code, unless its code was redeemed or another address was
    /// confirmed.
    ///
    /// - Parameters:
    ///   - id: The id of the request.
    ///   - address: The address of the mail, which the redemption of the code proves from inside the account.
    ///   - account: The account of the mail.
    ///   - context: The request that has the code.
    /// - Returns: The redirect URI with a code, or `nil` if the request isn't one of the account, can't be answered
    ///   any more, or the account doesn't have the address any more or its devices need a certificate.
    /// - Throws: ``DatabaseError``.
    func answer(
        _ id: Identifier,
        confirming address: ContactAddress,
        of account: Identifier,
        in context: RequestContext
    ) async throws -> String?

    /// Returns the address at which a browser continues a request.
    ///
    /// If the request was answered or has expired, the address shows a page that says so and leads to the client.
    func address(continuing id: Identifier) -> String

    /// Returns the address to which a form is posted that refuses a request.
    ///
    /// The form must contain the CSRF token of the browser.
    func address(refusing id: Identifier) -> String
}

/// An authorization request that waits for its user.
///
/// It is a class because flows, which are copied a lot, usually have none.
package final class PendingAuthorization: Sendable {
    /// The id, which is the `login_challenge` in URLs.
    package let id: Identifier
    /// The client that asks.
    package let client: OAuthClient
    /// The URL of the authorization request, without the parameters that only concern the client.
    package let requestURL: String
    /// The requested scopes.
    package let scopes: [String]
    /// The text that fills in the identifier on the login page (`login_hint`).
    package let loginHint: String?
    /// The languages that the client prefers for the pages (`ui_locales`).
    package let uiLocales: String?
    /// Whether the request continues with a mailed link, so that its flow opens no session.
    package let continuesByLink: Bool

    package init(
        id: Identifier,
        client: OAuthClient,
        requestURL: String,
        scopes: [String],
        loginHint: String? = nil,
        uiLocales: String? = nil,
        continuesByLink: Bool = false
    ) {
        self.continuesByLink = continuesByLink
        (self.id, self.client, self.requestURL, self.scopes) = (id, client, requestURL, scopes)
        (self.loginHint, self.uiLocales) = (loginHint, uiLocales)
    }
}
