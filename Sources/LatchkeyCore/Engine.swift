package import LatchkeyModel
package import LatchkeyWire

/// Creates and connects all components of a client.
package struct Engine: Sendable {
    /// Manages the session and determines its state.
    package let keeper: SessionKeeper
    /// Runs the identity server's self-service flows.
    package let flows: FlowEngine
    /// Checks with the identity server whether the session is still valid.
    package let check: SessionCheck
    /// Receives events about the session once `start()` has been called.
    package let events: SessionEvents
    /// Sends the app's own requests with the user's credential.
    package let requests: AuthorizedRequests
    /// Stores data alongside the session.
    package let sideRecords: SideRecords
    /// Revokes sessions on the server after they have ended on this device, or `nil` if sessions aren't
    /// revoked.
    package let revocations: RevocationOutbox?
    /// Runs actions with the session, and presents a login when one is needed.
    package let access: AccessCoordinator
    /// Creates diagnostic reports about the login on this device.
    package let diagnose: Diagnostician
    /// Logs users in with a browser, or `nil` if the app isn't registered as an OAuth client.
    package let browserSignIn: BrowserSignIn?
    /// Sends requests to the identity server.
    package let api: IdentityAPI
    /// The device's clock.
    package let time: any TimeSource
    /// The device's source of randomness.
    package let random: any RandomSource
    /// The logger that receives log events, if any.
    package let logger: (any LatchkeyLogger)?

    /// Creates an engine and begins reading the store.
    ///
    /// - Parameters:
    ///   - server: The address of the identity server.
    ///   - basePath: The path of the server's self-service API.
    ///   - origins: The origins that the app may send requests to. If `nil`, only the identity server's
    ///     origin is allowed.
    ///   - headers: The header fields to add to requests to the identity server.
    ///   - credential: The credential to use for the app's own requests.
    ///   - revokesSessions: Whether to revoke sessions on the server when they end on this device.
    ///   - client: The app's registration as an OAuth client, if it has one.
    ///   - parts: The adapters for the store, keys, transport, clock and source of randomness.
    package init(
        server: WebAddress,
        basePath: BasePath = .standard,
        origins: APIOrigins? = nil,
        headers: ClientHeaders = ClientHeaders(),
        credential: Credential = .sessionToken,
        revokesSessions: Bool = false,
        client: ClientRegistration? = nil,
        parts: EngineParts
    ) {
        let transport: any Transport =
            if let logger = parts.logger {
                LoggingTransport(parts.transport, logger: logger)
            } else {
                parts.transport
            }
        let api = IdentityAPI(
            server: server,
            basePath: basePath,
            headers: headers,
            transport: transport,
            time: parts.time
        )
        (self.api, time, random, logger) = (api, parts.time, parts.random, parts.logger)
        let queue = BlockingQueue(label: "latchkey.session")
        let signer = DeviceSigner(keys: parts.deviceKeys, queue: queue, random: parts.random)
        var provider: ProviderTokens?
        if let client {
            let issuer = client.issuer ?? server.base
            let providerAPI = ProviderAPI(
                clock: client.issuer.flatMap { WebAddress($0) }.map {
                    ServerClock(home: $0.origin, time: parts.time)
                } ?? api.clock,
                headers: headers,
                transport: transport,
                time: parts.time
            )
            provider = ProviderTokens(
                client: client.id,
                directory: ProviderDirectory(issuer: issuer, api: providerAPI, time: parts.time),
                provider: providerAPI,
                signer: signer,
                time: parts.time
            )
        }
        keeper = SessionKeeper(
            store: parts.store,
            keys: parts.deviceKeys,
            time: parts.time,
            random: parts.random,
            queue: queue,
            renewal: TokenRenewal(
                api: api,
                signer: signer,
                grants: provider,
                type: credential == .boundAccessToken ? .dpop : .bearer,
                time: parts.time,
                random: parts.random
            ),
            credential: credential,
            logger: parts.logger
        )
        let enrolment = Enrolment(
            api: api,
            signer: signer,
            time: parts.time,
            random: parts.random,
            credential: credential
        )
        let completion = LoginCompletion(
            keeper: keeper,
            enrolment: enrolment,
            signer: signer,
            clock: api.clock,
            random: parts.random
        )
        flows = FlowEngine(
            api: api,
            keeper: keeper,
            completion: completion,
            enrolment: enrolment,
            signer: signer
        )
        check = SessionCheck(api: api, keeper: keeper, enrolment: enrolment, time: parts.time)
        events = SessionEvents(
            api: api,
            keeper: keeper,
            enrolment: enrolment,
            time: parts.time,
            random: parts.random
        )
        sideRecords = SideRecords(keeper: keeper, time: parts.time)
        var grants: GrantCompletion?
        if let client, let provider, let verifier = parts.signatures {
            grants = GrantCompletion(
                tokens: provider,
                opensSessions: client.issuer == nil,
                api: api,
                completion: completion,
                verifier: verifier
            )
        }
        // Logins in a browser or another app leave sessions of which the user doesn't know if they are abandoned.
        let outbox =
            revokesSessions || grants != nil
            ? RevocationOutbox(
                api: api,
                grants: provider,
                endLogin: grants?.revoke,
                records: sideRecords,
                time: parts.time,
                random: parts.random
            ) : nil
        revocations = revokesSessions ? outbox : nil
        if let revocations {
            keeper.whenLoginEnds { [weak revocations] in revocations?.add($0) }
        }
        outbox?.start()
        browserSignIn =
            if let client, let grants {
                BrowserSignIn(
                    client,
                    grants: grants,
                    login: completion,
                    keeper: keeper,
                    records: sideRecords,
                    revocations: outbox,
                    headers: headers,
                    time: parts.time,
                    random: parts.random
                )
            } else { nil }
        browserSignIn?.start()
        diagnose = Diagnostician(api: api, keeper: keeper, time: parts.time)
        // Proofs are signed on their own queue, so that requests don't have to wait for a store that is
        // blocked.
        let proofs = ProofOfPossession(
            signer: DeviceSigner(
                keys: parts.deviceKeys,
                queue: BlockingQueue(label: "latchkey.proofs"),
                random: parts.random
            ),
            time: parts.time,
            clock: api.clock
        )
        keeper.follow { change in
            if case .state(let state, _) = change, state.session == nil { proofs.forgetKey() }
        }
        requests = AuthorizedRequests(
            transport: transport,
            origins: origins ?? APIOrigins(server: server),
            api: api,
            keeper: keeper,
            maintenance: SessionMaintenance(
                keeper: keeper,
                check: check,
                time: parts.time,
                random: parts.random
            ),
            refused: RefusedTokens(time: parts.time, random: parts.random),
            proofs: proofs,
            credential: credential,
            time: parts.time
        )
        access = AccessCoordinator(
            keeper: keeper,
            flows: flows,
            requests: requests,
            browserSignIn: browserSignIn
        )
    }
}

/// The adapters that an engine depends on.
///
/// Each adapter can be replaced.
package struct EngineParts: Sendable {
    /// The store for the session record.
    package var store: any SessionStore
    /// Creates and restores the device's keys.
    package var deviceKeys: any DeviceKeyProvider
    /// The transport used for all requests.
    package var transport: any Transport
    /// The wall clock and the monotonic clock.
    package var time: any TimeSource
    /// The source of identifiers and random delays.
    package var random: any RandomSource
    /// The logger that receives log events, if any.
    package var logger: (any LatchkeyLogger)?
    /// Verifies the signatures of ID tokens, or `nil` if the app doesn't log users in with a browser.
    package var signatures: (any SignatureVerifier)?

    /// Creates a set of adapters, with the system's clock and source of randomness as defaults.
    package init(
        store: any SessionStore,
        deviceKeys: any DeviceKeyProvider,
        transport: any Transport,
        time: any TimeSource = SystemTime(),
        random: any RandomSource = SystemRandom(),
        logger: (any LatchkeyLogger)? = nil,
        signatures: (any SignatureVerifier)? = nil
    ) {
        self.signatures = signatures
        self.store = store
        self.deviceKeys = deviceKeys
        self.transport = transport
        self.time = time
        self.random = random
        self.logger = logger
    }
}
