public import LatchkeyCore

extension LatchkeyClient {
    /// The object that presents logins, or `nil` if the app hasn't set one or the object was deallocated.
    ///
    /// The client holds the presenter weakly. If you set a different presenter, it is used for the next login
    /// that is presented.
    ///
    /// The presenter belongs to this client. If several clients share a session, each presents the logins
    /// that it asks for with its own presenter. A client without a presenter uses the one that was set last
    /// on the others. Setting the presenter of one client, or releasing the client, doesn't affect the
    /// presenters of the others.
    @MainActor public var presenter: (any Presenter)? {
        get { presenterSlot.presenter }
        set { presenterSlot.set(newValue, in: engine.access) }
    }

    /// The form that logins start with.
    ///
    /// By default, this is the server's login form. A change takes effect the next time a login is
    /// presented. Like the presenter, the form belongs to this client: it is used for the logins that this
    /// client asks for.
    @MainActor public var loginStart: LoginStart {
        get { presenterSlot.entry }
        set { presenterSlot.entry = newValue }
    }

    /// Chooses the app to which logins are handed over, such as a store app in which the user is logged in.
    ///
    /// The closure is called once for each login that is presented. If it returns `nil`, or if the login in the other
    /// app fails, the form is shown. The app must be registered as an OAuth client of the identity server, and must
    /// pass the URLs with which it is opened to ``handle(_:)``. Like the presenter, the closure belongs to this client.
    @MainActor public var appHandOff: (@MainActor () async -> AppHandOff?)? {
        get { presenterSlot.chooseApp }
        set { presenterSlot.chooseApp = newValue }
    }

    /// Presents a login, unless a user is already logged in.
    ///
    /// If a login is already being presented, this method waits for that login instead of presenting another
    /// one. The login remains on screen if the calling task is cancelled.
    ///
    /// - Parameter reason: The reason for the login, which a presenter may display.
    /// - Returns: The session.
    /// - Throws: ``LatchkeyCore/LatchkeyError``. The code is `dismissed` if the user dismissed the login,
    ///   `dutyRequired` if the user logged in but dismissed a required step such as verifying an address,
    ///   `signedOut` if the user signed out, `noPresenter` if the app hasn't set a presenter, and `cancelled`
    ///   if the task was cancelled. If the store cannot be read, its error is thrown, because a user may be
    ///   logged in.
    @discardableResult
    @concurrent public func requestLogin(
        because reason: LoginReason = .explicit
    ) async throws(LatchkeyError) -> UserSession {
        try await engine.access.logIn(because: reason, for: presenterSlot)
    }

    /// Runs an action that needs a user, and presents a login first if no user is logged in.
    ///
    /// If several actions are waiting, only one login is presented, and it resumes all of them. If the
    /// session ends while the action is running, a login is presented again and the action is run a second
    /// time, provided that `retry` permits it. The action is never run again as a different user or after a
    /// sign-out. The action is only run again if it throws `sessionEnded` or `signedOut`, so don't catch
    /// these errors in the action.
    ///
    /// ```swift
    /// let order = try await latchkey.withSession(because: .action("buy")) { access in
    ///     try await access.send(purchase, to: "https://api.example.com")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - policy: Whether to present a login if no user is logged in, or to fail with `signedOut`.
    ///   - reason: The reason for the login, which a presenter may display.
    ///   - retry: Whether the action may be run a second time.
    ///   - action: The action to run, which receives the session and uses it to send requests.
    /// - Returns: The value returned by the action.
    /// - Throws: Any error thrown by the action, unchanged. If the action didn't get a session,
    ///   ``LatchkeyCore/LatchkeyError`` with the same codes as ``requestLogin(because:)``. The code is
    ///   `superseded` if the session ended while the action was running and a different user logged in.
    @concurrent public func withSession<Value: Sendable>(
        _ policy: LoginPolicy = .onDemand,
        because reason: LoginReason = .action(""),
        retry: RetryPolicy = .ifNotSent,
        action: @Sendable (SessionAccess) async throws -> Value
    ) async throws -> Value {
        try await engine.access.run(
            policy,
            because: reason,
            retry: retry,
            for: presenterSlot,
            action: action
        )
    }
}
