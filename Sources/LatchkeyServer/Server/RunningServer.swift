import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyMicrohttpd
import LatchkeyModel
import LatchkeyServerKit
import LatchkeySodium

/// The resources of a running server.
///
/// These resources are opened when the server starts and closed when it stops.
struct RunningServer: Sendable {
    /// The maximum size of request bodies on the admin listener, in bytes.
    ///
    /// The admin API accepts entire identities and batches of identities, so this limit is higher than on the
    /// public listener.
    private static let operatorBodyLimit = 1 << 20

    /// The maximum number of connections to the admin listener.
    ///
    /// The admin listener has only a few clients.
    private static let operatorConnections = 256

    /// The URL that clients use to reach the server.
    let url: String
    /// The URL of the admin listener.
    let adminURL: String
    /// The token for requests to the admin listener.
    let adminToken: Secret

    private let log: Log
    private let database: any Database
    private let hasher: Argon2idHasher
    private let assembly: ServerAssembly
    private let listeners: [HTTPServer]

    /// Opens the database and then the listeners, and starts the services.
    ///
    /// The services are started last, so that no background workers are left running if the server fails to
    /// start. The listeners respond with status 503 until the services have been started. Warnings about
    /// unsafe settings are logged first.
    ///
    /// - Parameters:
    ///   - configuration: The server's configuration.
    ///   - parts: The clock, the random source, the log and other dependencies.
    ///   - slot: The handler of the public listener. The caller owns the handler.
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
        let files = try await StartupCheck(configuration).usableFiles
        let courier: CourierSetup
        do {
            courier = try CourierSetup(configuration.courier, parts: parts)
        } catch {
            throw IdentityServerError(starting: error)
        }
        let stores = try await ServerStores(configuration, files: files, parts: parts, createsData: true)
        for warning in configuration.warnings(about: files.schemas) {
            parts.log.write(.warning, "schema.ignored", Log.Field("setting", warning))
        }
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
            // This must be the last step that can fail, because the error handling below doesn't stop the
            // threads that are started here.
            let resources = stores.resources(parts: parts)
            assembly = ServerAssembly(
                configuration,
                url: url,
                resources: resources,
                courier: try Courier(
                    resources,
                    delivery: courier.delivery,
                    options: courier.options,
                    report: { [log = parts.log] incident in log.write(incident) }
                ),
                issuer: try CertificateIssuer(authority: stores.keys.authority, random: parts.random),
                log: parts.log
            )
            assembly.start()
            slot.fill(assembly.handler)
            operatorSlot.fill(
                assembly.operatorListener(
                    url: adminURL,
                    tokens: tokens,
                    delay: parts.adminDelay,
                    development: courier.development,
                    measuring: [
                        OutboxMetrics(database: stores.database, time: parts.time),
                        HashingMetrics(hasher: stores.hasher), DatabaseMetrics(database: stores.database),
                        ConnectionMetrics(listeners: zip(["public", "admin"], listeners).map { ($0, $1) }),
                        ProcessMetrics(),
                    ]
                ).handler
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
    /// This method returns when everything is closed. Call this method exactly once.
    func stop(emptying slot: ReplaceableHandler) async {
        log.write(.info, "server.stopping")
        // Otherwise streams and polls would stay open until the drain timeout.
        assembly.endWaits()
        for listener in listeners { await listener.stop() }
        slot.fill(nil)
        await assembly.shutDown()
        await hasher.close()
        await database.close()
        log.write(.info, "server.stopped")
    }

    /// Returns the settings of the public listener.
    ///
    /// If the process cannot open enough files for the configured connection limit, the limit is lowered and
    /// an event is logged.
    private static func publicListener(
        _ configuration: ServerConfiguration,
        parts: ServerParts
    ) -> HTTPServer.Configuration {
        var listener = HTTPServer.Configuration(address: configuration.host, port: configuration.port)
        let wanted = configuration.connections.limit
        listener.maxConnections = ProcessLimits.connections(wanted: wanted)
        if listener.maxConnections < wanted {
            parts.log.write(
                // The operator didn't choose the default limit, so lowering it isn't worth a warning.
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

    /// Returns the settings of the admin listener.
    ///
    /// The admin listener has its own limits on body size and connections.
    private static func operatorListener(_ configuration: ServerConfiguration) -> HTTPServer.Configuration {
        var listener = HTTPServer.Configuration(
            address: configuration.admin.host,
            port: configuration.admin.port
        )
        listener.bodyLimit = operatorBodyLimit
        listener.maxConnections = operatorConnections
        return listener
    }

    /// Starts a listener, appends it to the list of listeners and returns its URL.
    ///
    /// If the configured port is 0, the URL contains the port that the system selected.
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
}

extension ServerConfiguration {
    /// Returns the maximum number of connections per client address, or 0 if there is no limit.
    func connectionsPerAddress(of all: Int) -> Int {
        connections.perAddress ?? (trustedProxies.isEmpty ? all / 4 : 0)
    }

    /// The maximum number of event streams and waiting polls on this node.
    ///
    /// Half of the connections that the process can have is left to other requests, so that streams never
    /// keep clients from logging in.
    package var eventStreams: Int {
        let half = ProcessLimits.connections(wanted: connections.limit) / 2
        return min(events.streams ?? half, max(1, half))
    }
}
