import Dispatch
public import LatchkeyCore
public import LatchkeyModel

/// A device's way to log people in, keep them logged in, and act as them.
///
/// Make one for each server and app and keep it. All of its methods can be called from anywhere.
public final class LatchkeyClient: Sendable {
    package let engine: Engine
    private let store: any SessionStore

    /// Creates a client and reads what the store holds.
    ///
    /// A session in memory or in an encrypted file is known when the initializer returns. A keyring is read in the
    /// background; until then, ``sessionState`` is `unavailable(.notReadYet)`.
    ///
    /// - Parameters:
    ///   - server: The identity server's address, such as `https://id.example.com`. Plain `http` is accepted
    ///     for this machine only.
    ///   - app: The app's id, such as `com.example.shop`; tells its records from those of other apps. It must not hold
    ///     control characters or `#`.
    ///   - basePath: The path of the server's self-service API: empty, or with a slash in front and none at the end.
    ///   - apiOrigins: Scheme, host and port of the app's own servers, such as `https://api.example.com`. The session's
    ///     credentials are sent to these and to the identity server only.
    ///   - store: What keeps the session; the platform's own when not given.
    ///   - storage: Which of the platform's own stores; see ``storage`` for the one that is used.
    ///   - credential: What the app's own requests carry.
    ///   - deviceKeys: What makes and keeps the device's key; the platform's own when not given.
    ///   - transport: What carries the requests; the platform's own when not given.
    ///   - proxy: The proxy that the platform's own transport uses; a transport that is given decides for itself.
    ///   - languages: The languages of the user, the preferred one first, as tags such as `de-AT`: the server's messages to
    ///     the user, text messages and mails come in the first that it has. When not given, they are those of the
    ///     environment (`LANGUAGE`, `LC_ALL`, `LC_MESSAGES`, `LANG`); when empty, the server decides.
    ///   - time: The device's clock.
    ///   - random: The device's source of randomness.
    ///   - exchangeOptions: What `exchanges` is told.
    ///   - exchanges: Is told about every request and its answer, without secrets; called on any thread.
    /// - Throws: ``LatchkeyCore/LatchkeyError`` with the code `invalidInput` for an address, an app id or a language that
    ///   cannot be right, or when the platform refuses one of its parts.
    public init(
        server: String,
        app: String,
        basePath: String = "/a",
        apiOrigins: Set<String> = [],
        store: (any SessionStore)? = nil,
        storage: StorageChoice = .automatic,
        credential: Credential = .sessionToken,
        deviceKeys: (any DeviceKeyProvider)? = nil,
        transport: (any Transport)? = nil,
        proxy: ProxyChoice = .environment,
        languages: [String]? = nil,
        time: any TimeSource = SystemTime(),
        random: any RandomSource = SystemRandom(),
        exchangeOptions: ExchangeOptions = ExchangeOptions(),
        exchanges: (@Sendable (Exchange) -> Void)? = nil
    ) throws(LatchkeyError) {
        let address = try WebAddress(server: server)
        let app = try AppID(app)
        guard let basePath = BasePath(basePath) else {
            throw LatchkeyError(
                .invalidInput,
                "The base path is empty, or starts with a slash and does not end with one, such as /a."
            )
        }
        let origins = try APIOrigins(server: address, adding: apiOrigins)
        let preferences =
            if let languages { try LanguagePreferences(languages) } else { Platform.languages() }
        let carrier = if let transport { transport } else { try Platform.transport(proxy: proxy) }
        let keeper =
            if let store { store } else {
                try Platform.store(server: address.base, app: app.text, choice: storage)
            }
        self.store = keeper
        engine = Engine(
            server: address,
            basePath: basePath,
            origins: origins,
            headers: ClientHeaders(app: app.text, languages: preferences),
            credential: credential,
            parts: EngineParts(
                store: keeper,
                deviceKeys: deviceKeys ?? Platform.deviceKeys(),
                transport: exchanges.map { tap in
                    TappedTransport(carrier, server: address.origin, options: exchangeOptions, tap: tap)
                } ?? carrier,
                time: time,
                random: random
            )
        )
    }

    /// Makes an account, step by step.
    public var signUp: SignUp {
        SignUp(engine: engine.signUp)
    }

    /// Where the session is kept on this device, and why there.
    ///
    /// Asks the operating system, in a background thread.
    public var storage: StorageReport {
        get async {
            await withCheckedContinuation { [store] continuation in
                DispatchQueue.global().async { continuation.resume(returning: store.report) }
            }
        }
    }

    /// Whether somebody is logged in, as far as it is known now.
    public var sessionState: SessionState {
        engine.keeper.state
    }

    /// The states of the session: first the truth on disk, then every change.
    public var sessionStates: SessionStates {
        engine.keeper.states
    }

    /// Adds an object that is told what becomes of the session, on the main actor; it is not kept alive.
    ///
    /// - Parameter observer: The object; told the state first, and nothing twice when it is there already.
    public func addObserver(_ observer: any SessionObserver) {
        engine.keeper.add(observer)
    }

    /// Removes an object that was added; can be called where it goes away.
    ///
    /// - Parameter observer: The object; it is told nothing more, not even what is on its way.
    public func removeObserver(_ observer: any SessionObserver) {
        engine.keeper.remove(observer)
    }

    /// Examines where the session is kept, and whether the server can be worked with; changes nothing.
    ///
    /// - Returns: What was found.
    @concurrent public func diagnose() async -> Diagnosis {
        await engine.diagnose()
    }

    /// Says why somebody is logged in on this device, or no longer is.
    ///
    /// It answers the question "Why was I signed out?".
    ///
    /// - Returns: The reason, and what is remembered of the session; in stores that outlive the process also from before
    ///   it began. Nothing in it is secret or personal.
    @concurrent public func explain() async -> SessionExplanation {
        await engine.keeper.explain()
    }

    /// Logs whoever is logged in out, and ends every login that is under way.
    ///
    /// Nothing is sent, and no keyring and no other process is waited for. When it returns, nothing can bring back the
    /// token, the key, the certificate and the profile, not even a restart. What a keyring that is locked or hangs
    /// still holds of them is erased when it answers.
    ///
    /// - Returns: Why something may still be on disk, for instance on a disk that became read-only. Nobody is
    ///   logged in all the same, and the removal is tried again at every occasion.
    @discardableResult
    public func signOut() -> LatchkeyError? {
        engine.keeper.signOut().map { LatchkeyError(.storageFailed, $0.message, retry: .later, cause: $0) }
    }

    /// Asks the server whether the session is still good; call it when the app comes to the foreground.
    ///
    /// Only the server's word ends a session: trouble of the network, of the server or of the store never does.
    /// A certificate that has passed two thirds of its life is renewed.
    ///
    /// - Returns: The state after the check.
    /// - Throws: ``LatchkeyCore/LatchkeyError`` when nothing could be found out; the session stands as it was.
    @discardableResult
    @concurrent public func checkSession() async throws(LatchkeyError) -> SessionState {
        do throws(LatchkeyError) {
            return try await engine.check()
        } catch {
            throw engine.keeper.settled(error)
        }
    }
}
