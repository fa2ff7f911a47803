import LatchkeyAccounts
import LatchkeyCommerce
import LatchkeyCourier
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestContract
import TestDatabases
import Testing

/// A server with the flow and session routes, the current test database, an instant password hasher and a
/// virtual clock.
struct SelfServiceServer: Sendable {
    static let url = "https://id.example.com"

    let time = VirtualTime()
    let hasher = QuickHasher()
    let database: CountingDatabase
    let configuration: ServerConfiguration
    let resources: ServerResources
    let assembly: ServerAssembly
    let inbox = CodeInbox()
    let reported = Locked<[String]>([])
    private let router: any HTTPHandler
    let courier: Courier

    /// Creates a server, with a new database unless one is given.
    init(
        over existing: (any Database)? = nil,
        schema: String = "person",
        schemas: [String: String] = [:],
        breaches: (any BreachedPasswords)? = nil,
        catalog: String? = nil,
        incidents: Locked<[CourierIncident]>? = nil,
        methods: [any SignInMethod.Type] = .builtIn,
        responders: [any FlowResponder.Type] = .builtIn,
        authorization: (any AuthorizationContinuation)? = nil,
        dutySources: [any DutySource] = [],
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) async throws {
        var configuration = TestServer.configuration()
        configuration.schemas.standard = schema
        // Most tests only expect one message at a time.
        configuration.registration.sendsVerification = false
        configuration.registration.schemas = [schema, "customer", "person"]
        change(&configuration)
        self.configuration = configuration
        let storage = if let existing { existing } else { try await TestDatabase.current.open(time: time) }
        database = CountingDatabase(storage)
        let texts = schemas.mapValues { Array($0.utf8) }
        let schemaCatalog = try SchemaCatalog(texts, standard: schema)
        let uncounted = ServerResources(
            database: storage,
            hasher: hasher,
            secrets: ServerSecrets(signing: [UInt8](repeating: 7, count: 32)),
            schemas: schemaCatalog,
            time: time.background,
            random: SystemRandom()
        )
        var resources = uncounted
        resources.database = database
        resources.time = time
        resources.breaches = breaches
        let region = configuration.commerce.defaultRegion
        resources.catalog = try catalog.map { try ProductCatalog(Array($0.utf8), defaultRegion: region) }
        resources.methods = methods
        resources.responders = responders
        resources.authorization = authorization
        resources.dutySources = dutySources
        self.resources = resources
        // The courier uses the uncounted database so that its queries don't affect the counts.
        courier = try Courier(
            uncounted,
            delivery: inbox,
            options: CourierOptions(pause: .zero..<(.zero)),
            report: { incident in incidents?.withLock { $0.append(incident) } }
        )
        courier.start()
        assembly = ServerAssembly(
            configuration,
            url: Self.url,
            resources: resources,
            courier: courier,
            issuer: nil,
            log: .silent
        ) { [reported] error, _, _ in
            reported.withLock { $0.append("\(error)") }
        }
        // The documents describe the responses of the server's own responders.
        router =
            responders.count > [any FlowResponder.Type].builtIn.count
            ? assembly.handler : DocumentedHandler(assembly.handler, assembly.document.document)
    }

    var flows: FlowRepository {
        FlowRepository(
            database: database,
            settings: configuration.flows,
            schemas: resources.schemas,
            urls: ServerURLs(base: Self.url, basePath: configuration.basePath),
            secrets: resources.secrets
        )
    }

    func send(_ request: HTTP.Request, from host: String = "192.0.2.1") async -> Answer {
        Answer(await router.respond(to: request, from: PeerAddress(host: host, port: 40_000)))
    }

    func get(_ path: String, token: String? = nil, headers: HTTP.Headers = [:]) async -> Answer {
        await send(request(.get, path, token, headers))
    }

    func post(
        _ path: String,
        _ body: JSONValue,
        token: String? = nil,
        from host: String = "192.0.2.1",
        headers: HTTP.Headers = [:]
    ) async throws -> Answer {
        var request = request(.post, path, token, headers)
        request.headers["Content-Type"] = request.headers["Content-Type"] ?? "application/json"
        request.body = try JSONCoding.encode(body)
        return await send(request, from: host)
    }

    /// Sends a request to a path outside the base path.
    func plain(_ method: HTTP.Method, _ path: String, _ body: JSONValue, from host: String) async throws
        -> Answer
    {
        var request = HTTP.Request(method, path, headers: ["Content-Type": "application/json"])
        request.body = try JSONCoding.encode(body)
        return await send(request, from: host)
    }

    func delete(_ path: String, token: String? = nil) async -> Answer {
        await send(request(.delete, path, token, [:]))
    }

    func delete(_ path: String, _ body: JSONValue) async throws -> Answer {
        var request = request(.delete, path, nil, ["Content-Type": "application/json"])
        request.body = try JSONCoding.encode(body)
        return await send(request)
    }

    private func request(_ method: HTTP.Method, _ path: String, _ token: String?, _ headers: HTTP.Headers)
        -> HTTP.Request
    {
        let parts = path.split(separator: "?", maxSplits: 1)
        var request = HTTP.Request(
            method,
            "/a" + parts[0],
            query: parts.count > 1 ? String(parts[1]) : nil,
            headers: headers
        )
        if let token { request.headers["X-Session-Token"] = token }
        return request
    }
}

extension SelfServiceServer {
    static let password = "correct-Horse-7-battery"

    /// Begins a flow and returns its id.
    func begin(_ kind: FlowKind, _ query: String = "", token: String? = nil) async -> String {
        await get("/self-service/\(kind.rawValue)/api\(query)", token: token)["id"]?.text ?? "none"
    }

    /// Submits a body to an existing flow.
    func submit(
        _ kind: FlowKind,
        _ flow: String,
        _ body: JSONValue,
        token: String? = nil,
        from host: String = "192.0.2.1",
        headers: HTTP.Headers = [:]
    ) async throws -> Answer {
        try await post(
            "/self-service/\(kind.rawValue)?flow=\(flow)",
            body,
            token: token,
            from: host,
            headers: headers
        )
    }

    /// Returns the traits of the person with the given number.
    static func traits(_ number: Int = 1) -> JSONValue {
        .object([
            "email": .string("person\(number)@example.org"),
            "phone": .string("+4670" + String(1_000_000 + number)),
        ])
    }

    /// Registers the person with the given number.
    @discardableResult
    func register(_ number: Int = 1, password: String = password) async throws -> Answer {
        try await submit(
            .registration,
            await begin(.registration),
            .object(["method": "password", "password": .string(password), "traits": Self.traits(number)])
        )
    }

    /// Logs in with a password.
    func login(
        _ identifier: String = "person1@example.org",
        _ password: String = password,
        from host: String = "192.0.2.1"
    ) async throws -> Answer {
        try await submit(
            .login,
            await begin(.login),
            .object([
                "method": "password", "identifier": .string(identifier), "password": .string(password),
            ]),
            from: host
        )
    }
}

extension SelfServiceServer {
    /// Returns the number of rows in a table.
    func count(_ table: String) async throws -> Int64 {
        let sql: SQL =
            switch table {
            case "identities": "SELECT COUNT(*) FROM identities"
            case "identifiers": "SELECT COUNT(*) FROM identifiers"
            case "passwords": "SELECT COUNT(*) FROM passwords"
            case "sessions": "SELECT COUNT(*) FROM sessions"
            case "flows": "SELECT COUNT(*) FROM flows"
            case "codes": "SELECT COUNT(*) FROM codes"
            case "messages": "SELECT COUNT(*) FROM messages"
            case "limits": "SELECT COUNT(*) FROM limits"
            case "token_families": "SELECT COUNT(*) FROM token_families"
            default: "SELECT COUNT(*) FROM addresses"
            }
        return try await resources.database.rows(sql).first?.integer(0) ?? -1
    }
}

extension FlowKind {
    /// The kinds of flow that give access to an account.
    static let entrances: [FlowKind] = [.login, .registration]
}
