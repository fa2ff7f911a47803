package import LatchkeyAccounts
import LatchkeyCommerce
package import LatchkeyCourier
package import LatchkeyCrypto
package import LatchkeyServerKit

/// The connected and running services of the identity server.
///
/// The executable and the tests use the same assembly, so the tests exercise the code that is shipped.
package struct ServerAssembly: Sendable {
    /// Revokes device certificates, an operation that no route of the API offers.
    package let revocation: CertificateRevocation

    /// The routes of the admin listener.
    ///
    /// The routes themselves require no credentials; see ``AdminAuthentication``.
    package let administration: [Endpoint]

    /// The counters and histograms of this server.
    package let metrics: ServerMetrics

    /// The OpenAPI document of the public listener, whose `endpoints` are the routes of that listener.
    package let document: PublishedDocument

    /// The request handler of the public listener.
    package let handler: any HTTPHandler

    /// The open streams of session events.
    private let eventStreams: EventStreams

    private let issuer: CertificateIssuer
    private let courier: Courier
    private let cleanUp: CleanUp
    private let limitAudit: LimitAudit
    private let purchaseRecovery: PurchaseRecovery?

    /// Creates the services and starts the background workers.
    ///
    /// No listener is opened. The courier and the clean-up task start immediately, so ``shutDown()`` must be
    /// called for every assembly.
    ///
    /// - Parameters:
    ///   - configuration: The server's configuration.
    ///   - url: The URL under which clients reach the server.
    ///   - resources: The database and the other external resources, which the caller owns and closes after
    ///     ``shutDown()``.
    ///   - authority: The authority that signs device certificates.
    ///   - delivery: The provider that sends messages.
    ///   - options: The channels, concurrency and retry policy of the courier.
    ///   - incidents: Called when a message is delayed or abandoned, the outbox cannot be reached, or the
    ///     limit for text messages is nearly reached.
    ///   - report: Called with each error for which the public listener responds with a status of 500 or
    ///     above.
    /// - Throws: An error if no thread can be started or no key for sealing messages can be derived.
    package init(
        _ configuration: ServerConfiguration,
        url: String,
        resources: ServerResources,
        authority: CertificateAuthority,
        delivery: any MessageDelivery,
        options: CourierOptions = CourierOptions(),
        incidents: @escaping @Sendable (CourierIncident) -> Void = { _ in },
        report: @escaping Router.FailureReport = { _, _, _ in }
    ) throws {
        courier = try Courier(resources, delivery: delivery, options: options, report: incidents)
        issuer = try CertificateIssuer(authority: authority, random: resources.random)
        let services = ServerServices(
            configuration,
            url: url,
            resources: resources,
            courier: courier,
            issuer: issuer
        )
        cleanUp = CleanUp(
            database: resources.database,
            erasure: services.erasure,
            time: resources.time,
            options: CleanUpOptions(
                sessions: configuration.sessions.retention,
                messages: configuration.courier.retention,
                audit: configuration.audit.retention
            )
        )
        revocation = services.revocation
        limitAudit = services.limitAudit
        purchaseRecovery = services.purchaseRecovery
        eventStreams = services.eventStreams
        administration = services.adminRoutes
        metrics = resources.metrics
        document = PublishedDocument(
            title: "Latchkey",
            summary:
                "Ory Kratos's self-service API for native apps, plus device certificates and access tokens.",
            server: url,
            basePath: configuration.basePath,
            services.publicRoutes + [VersionEndpoint().endpoint]
                + HealthEndpoints(database: resources.database).endpoints
        )
        handler = Router(
            document.endpoints,
            basePath: configuration.basePath,
            time: resources.time,
            metrics: metrics.requests,
            report: report
        )
        courier.start()
        cleanUp.start()
        purchaseRecovery?.start()
    }

    /// Ends all event streams and polls, now and in the future, so that their clients reconnect to another node.
    ///
    /// Call it before the listeners stop, which would otherwise wait for the polls.
    package func closeEventStreams() {
        eventStreams.close()
    }

    /// Stops the background workers once they have finished the work in progress.
    ///
    /// The courier finishes sending messages in progress within its grace period; see
    /// ``Courier/stop(grace:)``.
    ///
    /// This method returns when the workers have stopped and the audit events for exceeded rate limits are
    /// stored. It closes neither the database nor the hasher.
    package func shutDown() async {
        await purchaseRecovery?.stop()
        eventStreams.close()
        await cleanUp.stop()
        await courier.stop()
        await issuer.shutDown()
        await limitAudit.finish()
    }
}
