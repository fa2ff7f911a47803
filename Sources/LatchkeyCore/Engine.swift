package import LatchkeyModel
package import LatchkeyWire

/// The client engine, which combines all components of a client.
package struct Engine: Sendable {
    /// The component that owns the session and determines its state.
    package let keeper: SessionKeeper
    /// The password login.
    package let signIn: SignIn
    /// The steps of a sign-up, for accounts of any schema.
    package let signUp: SignUpEngine
    /// The self-service flows of the identity server.
    package let flows: FlowEngine
    /// Checks the session with the identity server.
    package let check: SessionCheck
    /// Follows the events of the session, once it is started.
    package let events: SessionEvents
    /// Sends the app's own requests.
    package let requests: AuthorizedRequests
    /// The data beside the session that outlives a call.
    package let sideRecords: SideRecords
    /// Revokes sessions that have ended on this device only; `nil` if the server is not told.
    package let revocations: RevocationOutbox?
    /// Gives sessions to actions, and presents a login when one is needed.
    package let access: AccessCoordinator
    /// Examines this device's login.
    package let diagnose: Diagnostician
    /// The identity server's API.
    package let api: IdentityAPI
    /// The device's clock.
    package let time: any TimeSource
    /// The device's random source.
    package let random: any RandomSource
    /// The receiver of log events.
    package let logger: (any LatchkeyLogger)?

    /// Creates an engine and begins to read the store.
    ///
    /// - Parameters:
    ///   - server: The address of the identity server.
    ///   - basePath: The path of its self-service API.
    ///   - origins: The origins that the app may send requests to; `nil` allows only the identity server's
    ///     origin.
    ///   - headers: The header fields to add to requests to the identity server.
    ///   - credential: The credential of the app's requests.
    ///   - revokesSessions: Whether sessions that have ended on this device are revoked at the server.
    ///   - parts: The adapters: store, keys, transport, clock and random source.
    package init(
        server: WebAddress,
        basePath: BasePath = .standard,
        origins: APIOrigins? = nil,
        headers: ClientHeaders = ClientHeaders(),
        credential: Credential = .sessionToken,
        revokesSessions: Bool = false,
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
        keeper = SessionKeeper(
            store: parts.store,
            keys: parts.deviceKeys,
            time: parts.time,
            random: parts.random,
            queue: queue,
            renewal: TokenRenewal(
                api: api,
                signer: signer,
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
            time: parts.time,
            random: parts.random
        )
        signIn = SignIn(api: api, keeper: keeper, completion: completion)
        flows = FlowEngine(
            api: api,
            keeper: keeper,
            completion: completion,
            enrolment: enrolment,
            signer: signer,
            time: parts.time
        )
        signUp = SignUpEngine(
            api: api,
            keeper: keeper,
            completion: completion,
            flows: flows,
            schema: nil
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
        revocations =
            revokesSessions
            ? RevocationOutbox(api: api, records: sideRecords, time: parts.time, random: parts.random) : nil
        if let revocations {
            keeper.whenLoginEnds { [weak revocations] in revocations?.add($0) }
            revocations.start()
        }
        diagnose = Diagnostician(api: api, keeper: keeper, time: parts.time)
        // A queue of its own, so that requests do not wait for a store that does not respond.
        let proofs = ProofOfPossession(
            signer: DeviceSigner(
                keys: parts.deviceKeys,
                queue: BlockingQueue(label: "latchkey.proofs"),
                random: parts.random
            ),
            time: parts.time
        )
        keeper.observe { event in
            if event.state.session == nil { proofs.forgetKey() }
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
        access = AccessCoordinator(keeper: keeper, flows: flows, requests: requests)
    }
}

/// The adapters that an engine depends on; each can be replaced.
package struct EngineParts: Sendable {
    /// The store of the session's record.
    package var store: any SessionStore
    /// The provider of the device's keys.
    package var deviceKeys: any DeviceKeyProvider
    /// The transport for all requests.
    package var transport: any Transport
    /// The wall clock and the monotonic clock.
    package var time: any TimeSource
    /// The source of identifiers and random delays.
    package var random: any RandomSource
    /// The receiver of log events.
    package var logger: (any LatchkeyLogger)?

    /// Creates a set of adapters; by default, it uses the system's clock and random source.
    package init(
        store: any SessionStore,
        deviceKeys: any DeviceKeyProvider,
        transport: any Transport,
        time: any TimeSource = SystemTime(),
        random: any RandomSource = SystemRandom(),
        logger: (any LatchkeyLogger)? = nil
    ) {
        self.store = store
        self.deviceKeys = deviceKeys
        self.transport = transport
        self.time = time
        self.random = random
        self.logger = logger
    }
}
