package import LatchkeyAccounts
package import LatchkeyCommerce
package import LatchkeyCourier
package import LatchkeyOAuth
import LatchkeyPages
package import LatchkeySelfService
package import LatchkeyServerKit

/// A server without its listeners: the modules, and the request handlers with their whole middleware chain.
///
/// The program, the tests and the benchmarks all use this type, so they exercise the code that is shipped.
package struct ServerAssembly: Sendable {
    /// Handles requests to the public listener.
    package let handler: any HTTPHandler

    /// The OpenAPI document of the public listener, with the routes that the listener serves.
    package let document: PublishedDocument

    /// The routes that the modules contribute to the admin listener.
    package let operatorRoutes: [Endpoint]

    package let metrics: ServerMetrics
    package let accounts: AccountsModule
    package let terms: TermsCatalog
    package let tokens: AccessTokens
    /// The purchase API, or `nil` if there is no catalog.
    package let commerce: CommerceModule?
    /// The rows that the clean-up deletes, of all modules.
    package let expiredRows: [ExpiredRows]
    package let cleanUp: CleanUp

    private let configuration: ServerConfiguration
    package let moduleMetrics: [any MetricsSource]
    private let resources: ServerResources
    private let log: Log
    private let report: Router.FailureReport
    private let workers: [any ServerWorker]

    /// Creates the modules and connects them.
    ///
    /// No background work starts before ``start()``, and the caller closes the resources after
    /// ``shutDown()``. Without an issuer, there are no routes for certificates.
    ///
    /// By default, errors behind responses with a status of 500 or above are logged.
    package init(
        _ configuration: ServerConfiguration,
        url: String,
        resources: ServerResources,
        courier: Courier,
        issuer: CertificateIssuer?,
        log: Log,
        report: Router.FailureReport? = nil
    ) {
        let modules = ServerModules(
            configuration,
            urls: ServerURLs(base: url, basePath: configuration.basePath),
            resources: resources,
            courier: courier,
            issuer: issuer
        )
        accounts = modules.accounts
        terms = modules.terms
        tokens = modules.tokens
        commerce = modules.commerce
        expiredRows = modules.all.flatMap(\.expiredRows)
        cleanUp = CleanUp(expiredRows, in: resources.database, time: resources.time)
        workers = modules.all.flatMap(\.workers) + [cleanUp]
        operatorRoutes = modules.all.flatMap(\.operatorRoutes)
        metrics = resources.metrics
        moduleMetrics = modules.all.flatMap(\.metrics)
        self.configuration = configuration
        self.resources = resources
        self.log = log
        let report =
            report ?? { error, _, _ in
                log.write(.error, "request.failed", Log.Field("error", LoggedError(error)))
            }
        self.report = report
        document = PublishedDocument(
            title: "Latchkey",
            summary:
                "Ory Kratos's self-service API for native apps and browsers, plus device certificates and access tokens.",
            server: url,
            sessionCookie: configuration.cookies.cookies(url: url).session,
            basePath: configuration.basePath,
            modules.all.flatMap(\.routes)
        )
        var handler: any HTTPHandler = Router(
            document.endpoints,
            basePath: configuration.basePath,
            time: resources.time,
            metrics: metrics.requests,
            report: report,
            errorPages: modules.pages.errorPages,
            isClientOrigin: { [clients = modules.accounts.clients] in try await clients.hasOrigin($0) }
        )
        if configuration.logLevel >= .trace {
            handler = RequestLog(handler, log: log, time: resources.time)
        }
        handler = ForwardedHeaderMiddleware(
            handler,
            trusting: configuration.trustedProxies,
            in: configuration.proxyHeader,
            notice: UntrustedProxyNotice(log: log, time: resources.time)
        )
        self.handler = RequestIDMiddleware(
            handler,
            trusting: configuration.trustedProxies,
            random: resources.random
        )
    }

    /// Starts the background work of all modules.
    package func start() {
        for worker in workers { worker.start() }
    }

    /// Ends event streams and long polls, and rejects new ones, so that clients reconnect to another node.
    ///
    /// Call this method before stopping the listeners. Otherwise, the listeners wait for the polls to finish.
    package func endWaits() {
        for worker in workers { worker.endWaits() }
    }

    /// Stops the background work, the modules that others use last.
    ///
    /// The database and the hasher stay open.
    package func shutDown() async {
        for worker in workers.reversed() { await worker.stop() }
    }

    // MARK: Administration

    /// Returns the OpenAPI document of the admin listener, and the handler of its requests.
    ///
    /// Responses to rejected requests are delayed. Without a development courier, there is no outbox. The
    /// sources are measured each time metrics are requested.
    func operatorListener(
        url: String,
        tokens: AdminTokens,
        delay: Duration,
        development: DevelopmentDelivery?,
        measuring sources: [any MetricsSource]
    ) -> (document: PublishedDocument, handler: any HTTPHandler) {
        let document = PublishedDocument(
            title: "Latchkey admin API",
            summary:
                "Ory Kratos's admin API for identities, sessions, recovery codes and messages, plus the audit log.",
            server: url,
            basePath: "",
            credentials: .adminToken,
            MetricsEndpoint(metrics, sources: moduleMetrics + sources).endpoints
                + (development.map { OutboxEndpoint($0).endpoints } ?? []) + operatorRoutes
        )
        let router = Router(
            document.endpoints,
            basePath: "",
            time: resources.time,
            metrics: metrics.requests,
            report: report
        )
        var handler: any HTTPHandler = AdminAuthentication(
            router,
            access: AdminAccess(configuration.admin, tokens: tokens, router: router),
            refusals: AdminRefusals(
                log: log,
                time: resources.time,
                random: resources.random,
                delay: delay,
                metrics: metrics,
                database: resources.database
            )
        )
        if configuration.logLevel >= .trace {
            handler = RequestLog(handler, log: log, time: resources.time)
        }
        return (
            document,
            RequestIDMiddleware(handler, trusting: configuration.trustedProxies, random: resources.random)
        )
    }

    /// Returns the admin API for an operator who has access to the server's data, and who needs no token.
    package func localAdministration() -> any HTTPHandler {
        Router(operatorRoutes, basePath: "", time: resources.time)
    }
}
