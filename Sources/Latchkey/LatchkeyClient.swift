import Dispatch
public import LatchkeyCore
public import LatchkeyModel

/// A client for an identity server: it signs users up and in, keeps them signed in, and sends requests on
/// their behalf.
///
/// Create one client per server, app and account slot, and keep it for the lifetime of the process. Clients with
/// equal configurations and without parts of their own share one session in memory. All methods can be called
/// from any thread.
public final class LatchkeyClient: Sendable {
    let shared: SharedEngine

    /// The engine, which other clients of the same configuration share.
    package var engine: Engine { shared.engine }

    /// Creates a client and reads the stored session.
    ///
    /// A session in memory or in an encrypted file is read before the initializer returns. A keyring is read
    /// in the background; until then, ``sessionState`` is `unavailable(.notReadYet)`.
    ///
    /// - Parameters:
    ///   - server: The URL of the identity server, such as `https://id.example.com`. Plain `http` is accepted
    ///     only for this machine.
    ///   - app: The app's id, such as `com.example.shop`, which separates its stored records from those of
    ///     other apps. It must not contain control characters or `#`.
    ///   - slot: The account slot, for apps in which several accounts can be logged in at once.
    ///   - basePath: The path of the server's self-service API: empty, or with a leading slash and no
    ///     trailing slash.
    ///   - apiOrigins: Scheme, host and port of the app's own servers, such as `https://api.example.com`. The
    ///     session's credentials are sent only to these and to the identity server.
    ///   - store: The store of the session; `nil` uses the platform's store.
    ///   - storage: The platform store to use when `store` is `nil`; ``storage`` reports the one in use.
    ///   - credential: The credential that authenticates the app's own requests.
    ///   - revokesSessions: Whether a session that ends on this device, by a sign-out or another login, is also
    ///     revoked at the server, at once or as soon as the server can be reached.
    ///   - deviceKeys: The provider of the device key; `nil` uses the platform's provider.
    ///   - transport: The transport for all requests; `nil` uses the platform's transport.
    ///   - proxy: The proxy that the platform's transport uses; ignored if `transport` is given.
    ///   - languages: The user's languages as tags such as `de-AT`, most preferred first. The server's
    ///     messages to the user, text messages and e-mails are in the first of these languages that the
    ///     server supports. `nil` reads them from the environment (`LANGUAGE`, `LC_ALL`, `LC_MESSAGES`,
    ///     `LANG`); an empty list leaves the choice to the server.
    ///   - followsSessionEvents: Whether the client keeps a connection to the server open while a user is signed
    ///     in, so that a session that was revoked, or a changed profile, is noticed within seconds. Clients that share
    ///     an engine follow the events if one of them does.
    ///   - time: The device's clock.
    ///   - random: The device's random source.
    ///   - logger: Receives the changes of the session and the requests, without secrets and personal data.
    ///   - recordingOptions: The options for `exchanges`, such as whether it receives the bodies of the app's
    ///     own API.
    ///   - exchanges: Called on any thread with every request and its response, with secrets redacted.
    /// - Throws: ``LatchkeyCore/LatchkeyError`` with the code `invalidInput` for an invalid URL, base path,
    ///   origin, app id or language, and the error of the platform's store or transport if it cannot be
    ///   created.
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
        deviceKeys: (any DeviceKeyProvider)? = nil,
        transport: (any Transport)? = nil,
        proxy: ProxyChoice = .environment,
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
                    logger: logger
                )
            )
        }
        if followsSessionEvents { shared.engine.events.start() }
    }

    /// Creates accounts, step by step.
    public var signUp: SignUp {
        SignUp(engine: engine.signUp)
    }

    /// The kind of storage that holds the session on this device, and the reason for it.
    ///
    /// Queries the operating system on a background thread.
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

    /// The states of the session: first the stored state, as soon as it is known, then every change.
    public var sessionStates: SessionStates {
        engine.keeper.states
    }

    /// Returns the state of the session as soon as the store has been read.
    ///
    /// Use it to select the first screen of an app. It sends no request, and waits only for the store: a session
    /// in a file or in memory is known at once. The result is `unavailable` if the store cannot be read.
    ///
    /// - Returns: The state; ``sessionState`` at that time if the task is cancelled first.
    @concurrent public func restored() async -> SessionState {
        for await state in sessionStates where state != .unavailable(.notReadYet) { return state }
        return sessionState
    }

    /// Adds an observer, which is held weakly and is notified of session changes on the main actor.
    ///
    /// - Parameter observer: The observer. It first receives the current state, then every change once;
    ///   adding it again has no effect.
    public func addObserver(_ observer: any SessionObserver) {
        engine.keeper.add(observer)
    }

    /// Removes an observer; can be called from its `deinit`.
    ///
    /// - Parameter observer: The observer; it receives no further state, not even one that is already
    ///   scheduled.
    public func removeObserver(_ observer: any SessionObserver) {
        engine.keeper.remove(observer)
    }

    /// Examines the session store and the connection to the server, without changing the session.
    ///
    /// - Returns: The report.
    @concurrent public func diagnose() async -> Diagnosis {
        await engine.diagnose()
    }

    /// Returns the reason why a user is, or is no longer, signed in on this device.
    ///
    /// It answers the question "Why was I signed out?".
    ///
    /// - Returns: The reason and the journal of the session. Persistent stores also hold entries from earlier
    ///   processes. The journal contains no secrets or personal data.
    @concurrent public func explain() async -> SessionExplanation {
        await engine.keeper.explain()
    }

    /// Signs out and cancels every login in progress.
    ///
    /// It does not wait for the server, a keyring or another process. After it returns, the session can no longer
    /// be restored, even by restarting the app. If a locked or unresponsive keyring still holds the token, the key,
    /// the certificate or the profile, they are erased as soon as it responds.
    ///
    /// The client then revokes the session at the server in the background, unless `revokesSessions` is `false`.
    /// Until the server has answered, the token remains in the store, apart from the session and for this
    /// purpose only. ``signOutAndRevoke()`` waits for the server.
    ///
    /// - Returns: `nil`, or the reason why parts of the record may still be on disk, for instance because the
    ///   disk became read-only. The user is signed out nevertheless, and the client retries the removal at
    ///   every opportunity.
    @discardableResult
    public func signOut() -> LatchkeyError? {
        engine.keeper.signOut().map {
            LatchkeyError(.storageFailed, message: $0.message, retry: .later, cause: $0)
        }
    }

    /// Signs out like ``signOut()``, and waits for one attempt to revoke the session at the server.
    ///
    /// - Returns: The report. If the session is not revoked, the client tries again later, also after a restart.
    @discardableResult
    @concurrent public func signOutAndRevoke() async -> SignOutReport {
        let failure = signOut()
        return SignOutReport(
            isRevoked: await engine.revocations?.settle() ?? false,
            storageFailure: failure
        )
    }

    /// Checks with the server whether the session is still valid; call it when the app enters the foreground.
    ///
    /// Only a response from the server ends a session; network, server and store errors never do. The call
    /// also renews a certificate after two thirds of its lifetime.
    ///
    /// - Returns: The state after the check.
    /// - Throws: ``LatchkeyCore/LatchkeyError`` when the check failed; the session is unchanged.
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
