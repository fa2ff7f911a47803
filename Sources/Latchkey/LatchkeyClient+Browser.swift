public import LatchkeyCore
import LatchkeyModel

extension LatchkeyClient {
    /// Signs in with the pages of an OpenID provider in a browser.
    ///
    /// The provider is the identity server, unless the client is registered at another one. The new session replaces
    /// any existing session. If the app is ended while the user is in the browser, pass the URL with which it is
    /// opened to ``handle(_:)``, which completes the login.
    ///
    /// - Parameters:
    ///   - browser: Opens the provider's page.
    ///   - options: What the app asks of the login, such as scopes.
    ///   - persistence: Where the session is stored.
    /// - Returns: The new session.
    /// - Throws: ``LatchkeyCore/LatchkeyError``, in which case an existing session isn't affected. The code is
    ///   `dismissed` if the user refuses in the browser, `flowExpired` if the provider's answer arrives too late,
    ///   `superseded` if a newer login has begun, or `invalidInput` if the client has no registration.
    @discardableResult
    @concurrent public func signIn(
        in browser: any BrowserHandOff,
        options: AuthorizationOptions = AuthorizationOptions(),
        persistence: Persistence = .device
    ) async throws(LatchkeyError) -> UserSession {
        guard let signIn = engine.browserSignIn else {
            throw LatchkeyError(
                .invalidInput,
                message: "A login in a browser needs the app's registration as an OAuth client."
            )
        }
        return try await signIn(in: browser, options: options, persistence: persistence)
    }

    /// Passes on a URL with which the app was opened.
    ///
    /// Any program can open such a URL. Only the answer to a login that this app has begun has an effect, once. This
    /// method returns immediately; the login continues in the background, and its result is that of ``signIn(in:options:persistence:)``
    /// or, if the app was started again, the next state of the session.
    ///
    /// - Parameter url: The URL.
    /// - Returns: `true` if the URL leads to a redirect URI of this client, whether or not it has an effect.
    @discardableResult
    public func handle(_ url: String) -> Bool {
        engine.browserSignIn?.receive(url) ?? false
    }
}
