import Dispatch
public import LatchkeyCore

/// A client for an identity server.
///
/// Use a client to sign users up and in, to keep them signed in, and to send requests on their behalf. Create
/// one client per server, app and account slot, and keep it for the lifetime of the process. Clients that
/// have the same configuration and use only the platform's defaults share one session in memory. The
/// ``presenter``, the ``loginStart`` and `followsSessionEvents` belong to each client. All methods can be
/// called from any thread.
public final class LatchkeyClient: Sendable {
    let shared: SharedEngine
    let presenterSlot = PresenterSlot()
    private let followsSessionEvents: Bool

    /// The engine.
    ///
    /// Clients with the same configuration share an engine.
    package var engine: Engine { shared.engine }

    /// Creates a client with the default configuration, and reads the stored session.
    ///
    /// - Parameters:
    ///   - server: The URL of the identity server, such as `https://id.example.com`. Plain `http` is only
    ///     accepted for this machine.
    ///   - app: The app's id, such as `com.example.shop`. The id separates the app's stored records from
    ///     those of other apps. The id must not contain control characters or `#`.
    ///   - apiOrigins: The scheme, host and port of each of the app's own servers, such as
    ///     `https://api.example.com`. The session's credentials are only sent to these servers and to the
    ///     identity server.
    /// - Throws: ``LatchkeyCore/LatchkeyError``, as ``init(_:)``.
    public convenience init(
        server: String,
        app: String,
        apiOrigins: Set<String> = []
    ) throws(LatchkeyError) {
        try self.init(LatchkeyConfiguration(server: server, app: app, apiOrigins: apiOrigins))
    }

    /// Creates a client and reads the stored session.
    ///
    /// A session in memory or in an encrypted file is read before the initializer returns. A keyring is read
    /// in the background. Until the keyring has been read, ``sessionState`` is `unavailable(.notReadYet)`.
    ///
    /// - Parameter configuration: The configuration, which is validated first.
    /// - Throws: ``LatchkeyCore/LatchkeyError`` with the code `invalidInput` if the URL, the base path, an
    ///   origin, the app id or a language is invalid, or an error if the platform's store or transport cannot
    ///   be created.
    public init(_ configuration: LatchkeyConfiguration) throws(LatchkeyError) {
        shared = try configuration.engine()
        followsSessionEvents = configuration.followsSessionEvents
        if followsSessionEvents { shared.engine.events.start() }
    }

    deinit {
        if followsSessionEvents { shared.engine.events.stop() }
    }

    /// Creates accounts in several steps.
    public var signUp: SignUp {
        SignUp(engine: engine.flows)
    }

    /// Where the session is stored on this device, and why.
    ///
    /// This property queries the operating system on a background thread.
    public var storage: StorageReport {
        get async {
            await withCheckedContinuation { [keeper = engine.keeper] continuation in
                DispatchQueue.global().async { continuation.resume(returning: keeper.storageReport) }
            }
        }
    }

    /// The current state of the session: signed in, signed out, or unavailable while the store cannot be
    /// read.
    public var sessionState: SessionState {
        engine.keeper.state
    }

    /// The states of the session.
    ///
    /// The first element is the stored state. A new element follows whenever the state changes.
    public var sessionStates: SessionStates {
        engine.keeper.states
    }

    /// Returns the state of the session as soon as the store has been read.
    ///
    /// Use this method to select the first screen of your app. This method doesn't send any requests and only
    /// waits for the store. A session in a file or in memory is available immediately. The result is
    /// `unavailable` if the store cannot be read.
    ///
    /// - Returns: The state of the session. If the task is cancelled, this is the current ``sessionState``.
    @concurrent public func restored() async -> SessionState {
        for await state in sessionStates where state != .unavailable(.notReadYet) { return state }
        return sessionState
    }

    /// Adds an observer that is called on the main actor when the session changes.
    ///
    /// The client holds the observer weakly.
    ///
    /// - Parameter observer: The observer, which first receives the current state and then each change
    ///   exactly once. Adding the same observer again has no effect.
    public func addObserver(_ observer: any SessionObserver) {
        engine.keeper.add(observer)
    }

    /// Removes an observer.
    ///
    /// You can call this method from the observer's `deinit`.
    ///
    /// - Parameter observer: The observer to remove. The observer doesn't receive any more states, not even
    ///   those that have already been scheduled.
    public func removeObserver(_ observer: any SessionObserver) {
        engine.keeper.remove(observer)
    }

    /// Checks the session store and the connection to the server.
    ///
    /// The session isn't changed.
    ///
    /// - Returns: The report.
    @concurrent public func diagnose() async -> Diagnosis {
        await engine.diagnose()
    }

    /// Returns the reason why a user is signed in or signed out on this device.
    ///
    /// For example, you can use this method to help a user who asks "Why was I signed out?".
    ///
    /// - Returns: The explanation, which includes the reason and the session's journal. If the store is
    ///   persistent, the journal also contains entries from earlier processes. The journal never contains
    ///   secrets or personal data.
    @concurrent public func explain() async -> SessionExplanation {
        await engine.keeper.explain()
    }

    /// Signs out and cancels all logins in progress.
    ///
    /// This method doesn't wait for the server, a keyring or another process. After this method returns, the
    /// session cannot be restored, not even by restarting the app. If a keyring is locked or doesn't respond,
    /// the token, the key, the certificate or the profile may remain in the keyring until it responds.
    ///
    /// The client then revokes the session on the server in the background, unless `revokesSessions` is
    /// `false`. Until the server has responded, the client keeps the token in the store, separate from the
    /// session, so that it can retry the revocation. Use ``signOutAndRevoke()`` if you want to wait for the
    /// server.
    ///
    /// - Returns: Whether parts of the session may still be on disk. The user is signed out in any case, and the
    ///   client keeps trying to remove the remaining data.
    @discardableResult
    public func signOut() -> SignOutReport {
        SignOutReport(
            isRevoked: false,
            storageFailure: engine.keeper.signOut().map {
                LatchkeyError(.storageFailed, message: $0.message, retry: .later, cause: $0)
            }
        )
    }

    /// Signs out in the same way as ``signOut()``, and waits for one attempt to revoke the session on the
    /// server.
    ///
    /// - Returns: The result. If the session could not be revoked, the client tries again later, even after a
    ///   restart.
    @discardableResult
    @concurrent public func signOutAndRevoke() async -> SignOutReport {
        var report = signOut()
        report.isRevoked = await engine.revocations?.settle() ?? false
        return report
    }

    /// Asks the server whether the session is still valid.
    ///
    /// Call this method when your app enters the foreground. A session only ends if the server says so, and
    /// never because of a network, server or store error. This method also renews the device certificate when
    /// two thirds of its lifetime have passed.
    ///
    /// - Returns: The state after the check.
    /// - Throws: ``LatchkeyCore/LatchkeyError`` if the check failed, in which case the session doesn't
    ///   change.
    @discardableResult
    @concurrent public func checkSession() async throws(LatchkeyError) -> SessionState {
        engine.events.wake()
        do throws(LatchkeyError) {
            return try await engine.check()
        } catch {
            throw engine.keeper.settled(error)
        }
    }
}
