package import LatchkeyModel

/// The client engine, put together from its parts.
package struct Engine: Sendable {
    package let keeper: SessionKeeper
    package let signIn: SignIn
    package let signUp: SignUpEngine
    package let check: SessionCheck
    package let requests: AuthorizedRequests
    package let diagnose: Diagnostician

    /// Puts an engine together and begins to read the store.
    ///
    /// - Parameters:
    ///   - server: Where the identity server is.
    ///   - basePath: The path of its self-service API.
    ///   - origins: Where the app's requests may go; to the identity server alone if not given.
    ///   - headers: The fields of requests to the identity server.
    ///   - credential: What the app's requests carry.
    ///   - parts: What the engine works with.
    package init(
        server: WebAddress,
        basePath: BasePath = .standard,
        origins: APIOrigins? = nil,
        headers: ClientHeaders = ClientHeaders(),
        credential: Credential = .sessionToken,
        parts: EngineParts
    ) {
        let transport = parts.transport
        let api = IdentityAPI(
            server: server,
            basePath: basePath,
            headers: headers,
            transport: transport,
            time: parts.time
        )
        let queue = BlockingQueue(label: "latchkey.session")
        let signer = DeviceSigner(keys: parts.deviceKeys, queue: queue, random: parts.random)
        keeper = SessionKeeper(
            store: parts.store,
            keys: parts.deviceKeys,
            time: parts.time,
            random: parts.random,
            queue: queue,
            renewal: TokenRenewal(api: api, signer: signer, time: parts.time, random: parts.random),
            credential: credential
        )
        let enrolment = Enrolment(api: api, signer: signer, time: parts.time, random: parts.random)
        let admission = Admission(keeper: keeper, enrolment: enrolment, signer: signer, time: parts.time)
        signIn = SignIn(api: api, keeper: keeper, admission: admission)
        signUp = SignUpEngine(api: api, keeper: keeper, admission: admission, schema: nil)
        check = SessionCheck(api: api, keeper: keeper, enrolment: enrolment, time: parts.time)
        diagnose = Diagnostician(api: api, keeper: keeper, time: parts.time)
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
            time: parts.time
        )
    }
}

/// What an engine works with; each part can be replaced.
package struct EngineParts: Sendable {
    package var store: any SessionStore
    package var deviceKeys: any DeviceKeyProvider
    package var transport: any Transport
    package var time: any TimeSource
    package var random: any RandomSource

    package init(
        store: any SessionStore,
        deviceKeys: any DeviceKeyProvider,
        transport: any Transport,
        time: any TimeSource = SystemTime(),
        random: any RandomSource = SystemRandom()
    ) {
        self.store = store
        self.deviceKeys = deviceKeys
        self.transport = transport
        self.time = time
        self.random = random
    }
}
