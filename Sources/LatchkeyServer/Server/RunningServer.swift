import LatchkeyMicrohttpd
import LatchkeyModel
import LatchkeyServerKit
import LatchkeySodium

/// The resources of a running server, which are opened when it starts and closed when it stops.
struct RunningServer: Sendable {
    /// The maximum size of a request body on the admin listener, which accepts complete identities and
    /// batches of them.
    private static let operatorBodyLimit = 1 << 20

    /// The maximum number of connections to the admin listener, which few clients use.
    private static let operatorConnections = 256

    /// The URL under which clients reach the server.
    let url: String
    /// The URL of the admin listener.
    let adminURL: String
    /// The token that the admin listener accepts.
    let adminToken: Secret

    private let log: Log
    private let database: any Database
    private let hasher: Argon2idHasher
    private let assembly: ServerAssembly
    private let listeners: [HTTPServer]

    /// Opens the database and then the listeners, and starts the services last, so that a failed start leaves
    /// no background workers running.
    ///
    /// Unsafe settings are logged first. The listeners respond with 503 until the last step sets their
    /// handlers.
    ///
    /// - Parameters:
    ///   - configuration: The settings of the server.
    ///   - parts: The clock, the random source, the log and other dependencies.
    ///   - slot: The handler of the public listener, which the caller owns.
    /// - Throws: ``IdentityServerError``. The listeners and the database are closed before the error is
    ///   thrown.
    init(
        _ configuration: ServerConfiguration,
        parts: ServerParts,
        filling slot: ReplaceableHandler
    ) async throws(IdentityServerError) {
        for warning in configuration.warnings {
            parts.log.write(.warning, "configuration.unsafe", Log.Field("setting", warning))
        }
        let courier: CourierSetup
        do {
            courier = try CourierSetup(configuration.courier, parts: parts)
        } catch {
            throw IdentityServerError(starting: error)
        }
        let stores = try await ServerStores(configuration, parts: parts)
        var listeners: [HTTPServer] = []
        do {
            let operatorSlot = ReplaceableHandler()
            let clients = try Self.listen(
                Self.publicListener(configuration, parts: parts),
                handler: slot,
                appendingTo: &listeners
            )
            let operators = try Self.listen(
                Self.operatorListener(configuration),
                handler: operatorSlot,
                appendingTo: &listeners
            )
            url = configuration.url ?? clients
            adminURL = operators
            let tokens = try await AdminTokens(starting: configuration, stores.keys.secrets)
            adminToken = tokens.current
            // This must be the last step that can fail, because the error handling below does not stop the
            // workers that it starts.
            assembly = try ServerAssembly(
                configuration,
                url: url,
                resources: stores.resources(parts: parts, messageTexts: courier.texts),
                authority: stores.keys.authority,
                delivery: courier.delivery,
                options: courier.options,
                incidents: { [log = parts.log] incident in log.write(incident) },
                report: { [log = parts.log] error, method, _ in
                    log.write(.error, "request.failed", Log.Field("error", LoggedError(error)))
                }
            )
            slot.fill(Self.publicHandler(configuration, parts: parts, assembly: assembly))
            let places = OperatorPlaces(
                assembly,
                database: stores.database,
                development: courier.development,
                measuring: [
                    OutboxMetrics(database: stores.database, time: parts.time),
                    HashingMetrics(hasher: stores.hasher), DatabaseMetrics(database: stores.database),
                    ConnectionMetrics(listeners: zip(["public", "admin"], listeners).map { ($0, $1) }),
                    ProcessMetrics(),
                ],
                url: adminURL
            )
            let access = AdminAccess(configuration.admin, tokens: tokens)
            let refusals = AdminRefusals(parts, metrics: assembly.metrics, database: stores.database)
            operatorSlot.fill(
                Self.operatorHandler(configuration, parts: parts, places: places, metrics: assembly.metrics) {
                    router in
                    AdminAuthentication(router, access: access, refusals: refusals)
                }
            )
        } catch {
            for listener in listeners { await listener.stop() }
            await stores.close()
            throw IdentityServerError(starting: error)
        }
        database = stores.database
        hasher = stores.hasher
        log = parts.log
        self.listeners = listeners
        log.write(
            .info,
            "server.started",
            Log.Field("url", LoggedPlace(url)),
            Log.Field("admin_url", LoggedPlace(adminURL)),
            Log.Field("data", LoggedPlace(configuration.data)),
            Log.Field("database", LoggedPlace(ServerStores.place(of: configuration) ?? "sqlite"))
        )
    }

    /// Stops the listeners, then the services and finally the database.
    ///
    /// This method returns when everything is closed, and must be called exactly once.
    func stop(emptying slot: ReplaceableHandler) async {
        log.write(.info, "server.stopping")
        // Streams and polls would otherwise last until the drain timeout.
        assembly.closeEventStreams()
        for listener in listeners { await listener.stop() }
        slot.fill(nil)
        await assembly.shutDown()
        await hasher.close()
        await database.close()
        log.write(.info, "server.stopped")
    }

    /// Returns the settings of the public listener, and logs an event if the process cannot open enough files
    /// for the configured connection limit.
    private static func publicListener(
        _ configuration: ServerConfiguration,
        parts: ServerParts
    ) -> HTTPServer.Configuration {
        var listener = HTTPServer.Configuration(address: configuration.host, port: configuration.port)
        let wanted = configuration.connections.limit
        listener.maxConnections = ProcessLimits.connections(wanted: wanted)
        if listener.maxConnections < wanted {
            parts.log.write(
                // Lowering the default is not worth a warning, because the operator did not choose it.
                configuration.sources["connections.limit"] == nil ? .info : .warning,
                "connections.lowered",
                Log.Field("limit", listener.maxConnections),
                Log.Field("wanted", wanted),
                Log.Field("descriptors", ProcessLimits.descriptors),
                Log.Field("advice", "Raise the limit of open files (ulimit -n)." as StaticString)
            )
        }
        listener.maxConnectionsPerAddress = configuration.connectionsPerAddress(of: listener.maxConnections)
        return listener
    }

    /// Returns the settings of the admin listener, which has its own limits for bodies and connections.
    private static func operatorListener(_ configuration: ServerConfiguration) -> HTTPServer.Configuration {
        var listener = HTTPServer.Configuration(
            address: configuration.admin.host,
            port: configuration.admin.port
        )
        listener.bodyLimit = operatorBodyLimit
        listener.maxConnections = operatorConnections
        return listener
    }

    /// Starts a listener, appends it to the list and returns its URL.
    ///
    /// The URL contains the configured address and port. If the configured port is 0, the URL contains the
    /// port that the system selected.
    private static func listen(
        _ configuration: HTTPServer.Configuration,
        handler: ReplaceableHandler,
        appendingTo listeners: inout [HTTPServer]
    ) throws -> String {
        let server = HTTPServer(configuration: configuration, handler: handler)
        try server.start()
        listeners.append(server)
        let host = configuration.address
        let shown = host.contains(":") ? "[\(host)]" : host
        return "http://\(shown):\(server.boundPort ?? configuration.port)"
    }

    /// Wraps the public handler in the middleware for request IDs, forwarded addresses and the request log,
    /// in this order.
    private static func publicHandler(
        _ configuration: ServerConfiguration,
        parts: ServerParts,
        assembly: ServerAssembly
    ) -> any HTTPHandler {
        var handler = assembly.handler
        if configuration.logLevel >= .trace {
            handler = RequestLog(handler, log: parts.log, time: parts.time)
        }
        handler = ForwardedHeaderMiddleware(
            handler,
            trusting: configuration.trustedProxies,
            in: configuration.proxyHeader,
            notice: UntrustedProxyNotice(log: parts.log, time: parts.time)
        )
        return RequestIDMiddleware(handler, trusting: configuration.trustedProxies, random: parts.random)
    }

    /// Creates the handler of the admin listener with the middleware for request IDs, the request log and
    /// authentication, in this order.
    private static func operatorHandler(
        _ configuration: ServerConfiguration,
        parts: ServerParts,
        places: OperatorPlaces,
        metrics: ServerMetrics,
        authenticating: (Router) -> AdminAuthentication
    ) -> any HTTPHandler {
        let router = Router(
            places.document.endpoints,
            basePath: "",
            time: parts.time,
            metrics: metrics.requests,
            report: { [log = parts.log] error, _, _ in
                log.write(.error, "request.failed", Log.Field("error", LoggedError(error)))
            }
        )
        var handler: any HTTPHandler = authenticating(router)
        if configuration.logLevel >= .trace {
            handler = RequestLog(handler, log: parts.log, time: parts.time)
        }
        return RequestIDMiddleware(handler, trusting: configuration.trustedProxies, random: parts.random)
    }
}

extension ServerConfiguration {
    /// Returns the maximum number of connections per client address, given the total limit; 0 means no limit.
    func connectionsPerAddress(of all: Int) -> Int {
        connections.perAddress ?? (trustedProxies.isEmpty ? all / 4 : 0)
    }
}
