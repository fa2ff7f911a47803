import Dispatch
public import LatchkeyCore
public import LatchkeyModel
import LatchkeyWire

/// A client for an identity server.
///
/// Use a client to sign users up and in, to keep them signed in, and to send requests on their behalf. Create
/// one client per server, app and account slot, and keep it for the lifetime of the process. Clients that
/// have the same configuration and use only the platform's defaults share one session in memory. The
/// ``presenter``, the ``loginEntry`` and `followsSessionEvents` belong to each client. All methods can be
/// called from any thread.
public final class LatchkeyClient: Sendable {
    let shared: SharedEngine
    let presenterSlot = PresenterSlot()
    private let followsSessionEvents: Bool

    /// The engine.
    ///
    /// Clients with the same configuration share an engine.
    package var engine: Engine { shared.engine }

    /// Creates a client and reads the stored session.
    ///
    /// A session in memory or in an encrypted file is read before the initializer returns. A keyring is read
    /// in the background. Until the keyring has been read, ``sessionState`` is `unavailable(.notReadYet)`.
    ///
    /// - Parameters:
    ///   - server: The URL of the identity server, such as `https://id.example.com`. Plain `http` is only
    ///     accepted for this machine.
    ///   - app: The app's id, such as `com.example.shop`. The id separates the app's stored records from
    ///     those of other apps. The id must not contain control characters or `#`.
    ///   - slot: The account slot, for apps that let users log in to several accounts at the same time.
    ///   - basePath: The path of the server's self-service API. The path must be empty, or start with a slash
    ///     and not end with one.
    ///   - apiOrigins: The scheme, host and port of each of the app's own servers, such as
    ///     `https://api.example.com`. The session's credentials are only sent to these servers and to the
    ///     identity server.
    ///   - store: Where the session is stored. If this is `nil`, the platform's store is used.
    ///   - storage: The platform's store to use if `store` is `nil`. The ``storage`` property returns the
    ///     store that is actually used.
    ///   - credential: The type of credential that is sent with the app's own requests.
    ///   - revokesSessions: Whether a session is also revoked on the server when the user signs out or logs
    ///     in again on this device. If the server cannot be reached, the session is revoked later.
    ///   - client: The app's registration as an OAuth client, which logins in a browser need.
    ///   - deviceKeys: Creates and stores the device's keys. If this is `nil`, the platform's provider is
    ///     used.
    ///   - transport: The transport for all requests. If this is `nil`, the platform's transport is used.
    ///   - proxy: The proxy that the platform's transport uses. It is ignored if `transport` isn't `nil`.
    ///   - languages: The user's preferred languages as tags such as `de-AT`, in order of preference. The
    ///     server uses the first language that it supports for messages, text messages and e-mails to the
    ///     user. If this is `nil`, the languages are read from the system's settings, or on Linux from the
    ///     environment (`LANGUAGE`, `LC_ALL`, `LC_MESSAGES`, `LANG`). If the list is empty, the server
    ///     chooses the language.
    ///   - followsSessionEvents: Whether the client keeps a connection to the server open while a user is
    ///     signed in. If this is `true`, the client notices within seconds if the session is revoked or the
    ///     profile changes. Clients that share a session follow the events as long as at least one client
    ///     exists that is configured to do so.
    ///   - time: The device's clock.
    ///   - random: The device's source of random bytes.
    ///   - logger: Receives log events about session changes and requests. The events don't contain secrets
    ///     or personal data.
    ///   - recordingOptions: The options for `exchanges`, such as whether it receives the bodies of requests
    ///     to the app's own API.
    ///   - exchanges: Called on any thread with every request and its response. Secrets are redacted.
    /// - Throws: ``LatchkeyCore/LatchkeyError`` with the code `invalidInput` if the URL, the base path, an
    ///   origin, the app id or a language is invalid, or an error if the platform's store or transport cannot
    ///   be created.
    public init(
        server: String,
        app: String,
        slot: AccountSlot = .default,
        basePath: String = "/a",
        apiOrigins: Set<String> = [],
        store: (any SessionStore)? = nil,
        storage: StorageChoice = .automatic,
        credential: Credential = .sessionToken,
        revokesSessions: Bool = true,
        client: ClientRegistration? = nil,
        deviceKeys: (any DeviceKeyProvider)? = nil,
        transport: (any Transport)? = nil,
        proxy: ProxyChoice = .system,
        languages: [String]? = nil,
        followsSessionEvents: Bool = false,
        time: any TimeSource = SystemTime(),
        random: any RandomSource = SystemRandom(),
        logger: (any LatchkeyLogger)? = nil,
        recordingOptions: RecordingOptions = RecordingOptions(),
        exchanges: (@Sendable (RecordedExchange) -> Void)? = nil
    ) throws(LatchkeyError) {
        let address = try WebAddress(server: server)
        let app = try AppID(app)
        guard let basePath = BasePath(basePath) else {
            throw LatchkeyError(
                .invalidInput,
                message: "The base path must be empty, or start but not end with a slash, such as /a."
            )
        }
        let origins = try APIOrigins(server: address, adding: apiOrigins)
        let preferences =
            if let languages { try LanguagePreferences(languages) } else { Platform.languages() }
        let record = try app.record(of: slot)
        let hasOwnParts =
            store != nil || deviceKeys != nil || transport != nil || exchanges != nil || logger != nil
            || !(time is SystemTime) || !(random is SystemRandom)
        let configuration = SharedEngine.Configuration(
            server: address.base,
            basePath: basePath,
            origins: apiOrigins,
            app: app.text,
            slot: slot,
            storage: storage,
            credential: credential,
            revokesSessions: revokesSessions,
            client: client,
            proxy: proxy,
            languages: preferences.tags
        )
        shared = try SharedEngine.engine(for: hasOwnParts ? nil : configuration) {
            () throws(LatchkeyError) -> Engine in
            let carrier = if let transport { transport } else { try Platform.transport(proxy: proxy) }
            let keys = if let deviceKeys { deviceKeys } else { try Platform.deviceKeys() }
            let keeper =
                if let store { store } else {
                    try Platform.store(server: address.base, app: record, choice: storage)
                }
            return Engine(
                server: address,
                basePath: basePath,
                origins: origins,
                headers: ClientHeaders(app: app.text, languages: preferences),
                credential: credential,
                revokesSessions: revokesSessions,
                client: client,
                parts: EngineParts(
                    store: keeper,
                    deviceKeys: keys,
                    transport: exchanges.map { record in
                        RecordingTransport(
                            carrier,
                            server: address.origin,
                            options: recordingOptions,
                            record: record
                        )
                    } ?? carrier,
                    time: time,
                    random: random,
                    logger: logger,
                    signatures: Platform.signatures()
                )
            )
        }
        self.followsSessionEvents = followsSessionEvents
        if followsSessionEvents { shared.engine.events.start() }
    }

    deinit {
        if followsSessionEvents { shared.engine.events.stop() }
    }

    /// Creates accounts in several steps.
    public var signUp: SignUp {
        SignUp(engine: engine.signUp)
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
    /// - Returns: `nil`, or the reason why parts of the session may still be on disk, for example because the
    ///   disk has become read-only. The user is signed out in any case, and the client keeps trying to remove
    ///   the remaining data.
    @discardableResult
    public func signOut() -> LatchkeyError? {
        engine.keeper.signOut().map {
            LatchkeyError(.storageFailed, message: $0.message, retry: .later, cause: $0)
        }
    }

    /// Signs out in the same way as ``signOut()``, and waits for one attempt to revoke the session on the
    /// server.
    ///
    /// - Returns: The result. If the session could not be revoked, the client tries again later, even after a
    ///   restart.
    @discardableResult
    @concurrent public func signOutAndRevoke() async -> SignOutReport {
        let failure = signOut()
        return SignOutReport(
            isRevoked: await engine.revocations?.settle() ?? false,
            storageFailure: failure
        )
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
