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
    ///   - options: The app's wishes for the login, such as scopes.
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
                message:
                    "A login in a browser needs the app's registration as an OAuth client, and a platform that verifies ID tokens."
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

    /// Completes the login that a URL belongs to, with which the app was opened.
    ///
    /// An app that is started only for the URL can wait for the result, unlike with ``handle(_:)``.
    ///
    /// - Parameter url: The URL, which may come from any program.
    /// - Returns: The new session, or `nil` if the URL isn't the answer to a login that this app has begun, or if
    ///   this process already waits for it in ``signIn(in:options:persistence:)``.
    /// - Throws: ``LatchkeyCore/LatchkeyError`` if the login can't be completed, with the codes of
    ///   ``signIn(in:options:persistence:)``.
    @discardableResult
    @concurrent public func completeSignIn(with url: String) async throws(LatchkeyError) -> UserSession? {
        try await engine.browserSignIn?.complete(with: url)
    }

    /// Passes on a URL with which the app was opened, as ``handle(_:)`` does, for a redirect URI that isn't part of the
    /// client's registration.
    package func handle(_ url: String, at redirect: RedirectAddress) -> Bool {
        engine.browserSignIn?.receive(url, at: redirect) ?? false
    }

    /// Completes a login as ``completeSignIn(with:)`` does, for a redirect URI that isn't part of the client's
    /// registration.
    @concurrent package func completeSignIn(
        with url: String,
        at redirect: RedirectAddress
    ) async throws(LatchkeyError) -> UserSession? {
        try await engine.browserSignIn?.complete(with: url, at: redirect)
    }
}
