public import LatchkeyCore

extension LatchkeyClient {
    /// The presenter of logins, which is held weakly; `nil` if the app has not set one or it was deallocated.
    ///
    /// A new presenter is used from the next presentation on.
    @MainActor public var presenter: (any Presenter)? {
        get { engine.access.presenter }
        set { engine.access.presenter = newValue }
    }

    /// The first form of the logins that are presented; by default, the server's login form.
    ///
    /// A change takes effect with the next presentation.
    @MainActor public var loginEntry: LoginEntry {
        get { engine.access.entry }
        set { engine.access.entry = newValue }
    }

    /// Presents a login, unless a user is logged in.
    ///
    /// If a login is presented already, it joins that one. The presentation remains when the caller is cancelled.
    ///
    /// - Parameter reason: The reason, which a presenter may show.
    /// - Returns: The session.
    /// - Throws: ``LatchkeyCore/LatchkeyError``: `dismissed` if the user dismissed the login, `dutyOpen` if the
    ///   user logged in but dismissed a duty such as verifying an address, `signedOut` after a sign-out,
    ///   `noPresenter` if the app has set no presenter, a store error if a user may be logged in, and `cancelled`.
    @discardableResult
    @concurrent public func requestLogin(
        because reason: LoginReason = .explicit
    ) async throws(LatchkeyError) -> UserSession {
        do throws(LatchkeyError) {
            return try await engine.access.logIn(because: reason)
        } catch {
            throw engine.keeper.settled(error)
        }
    }

    /// Runs an action as the user, and presents a login first if no user is logged in.
    ///
    /// However many actions wait, one login is presented; it resumes them all. If the session ends while the
    /// action runs, a login is presented again and the action runs a second time, as far as `replay` permits, but
    /// not as another user and not after a sign-out. To let that happen, the action must not catch the errors
    /// `sessionEnded` and `signedOut`.
    ///
    /// ```swift
    /// let order = try await latchkey.withSession(because: .action("buy")) { access in
    ///     try await access.send(purchase, to: "https://api.example.com")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - policy: Whether to present a login if no user is logged in, or to fail with `signedOut`.
    ///   - reason: The reason, which a presenter may show.
    ///   - replay: Whether the action may run a second time.
    ///   - action: The action; it receives the session and sends requests with it.
    /// - Returns: The value that the action returns.
    /// - Throws: The error of the action; or, if it received no session, ``LatchkeyCore/LatchkeyError`` with the
    ///   same codes as ``requestLogin(because:)``. The code is `superseded` if the session ended while the action
    ///   ran and another user logged in.
    @concurrent public func withSession<Value: Sendable>(
        _ policy: LoginPolicy = .onDemand,
        because reason: LoginReason = .action(""),
        replay: Replay = .ifNotSent,
        action: @Sendable (SessionAccess) async throws -> Value
    ) async throws -> Value {
        do {
            return try await engine.access.run(policy, because: reason, replay: replay, action: action)
        } catch let error as LatchkeyError {
            throw engine.keeper.settled(error)
        }
    }
}
