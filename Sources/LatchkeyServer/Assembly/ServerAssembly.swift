package import LatchkeyAccounts
import LatchkeyCommerce
package import LatchkeyCourier
package import LatchkeyCrypto
package import LatchkeyServerKit

/// The connected and running services of the identity server.
///
/// The executable and the tests both use this type, so the tests exercise the code that is shipped.
package struct ServerAssembly: Sendable {
    /// Revokes device certificates.
    ///
    /// The API has no endpoint for revoking certificates.
    package let revocation: CertificateRevocation

    /// The endpoints of the admin listener.
    ///
    /// These endpoints don't check credentials themselves; see ``AdminAuthentication``.
    package let administration: [Endpoint]

    /// The server's metrics.
    package let metrics: ServerMetrics

    /// The OpenAPI document of the public listener.
    ///
    /// The `endpoints` property of the document contains the endpoints that the listener serves.
    package let document: PublishedDocument

    /// The health checks, which both listeners serve.
    let health: HealthEndpoints

    /// Handles requests to the public listener.
    package let handler: any HTTPHandler

    /// The open session event streams.
    private let eventStreams: EventStreams

    private let issuer: CertificateIssuer
    private let courier: Courier
    private let cleanUp: CleanUp
    private let limiter: Limiter
    private let purchaseRecovery: PurchaseRecovery?

    /// Creates the services and starts the background workers.
    ///
    /// This initializer doesn't open any listeners. The courier and the clean-up task start immediately, so
    /// you must call ``shutDown()`` when you no longer need the assembly.
    ///
    /// - Parameters:
    ///   - configuration: The server's configuration.
    ///   - url: The URL that clients use to reach the server.
    ///   - resources: The database and the other external resources. The caller owns the resources and must
    ///     close them after calling ``shutDown()``.
    ///   - authority: The certificate authority that signs device certificates.
    ///   - delivery: Delivers messages to the provider.
    ///   - options: The courier's channels, concurrency and retry policy.
    ///   - incidents: Called when a message is delayed or abandoned, when the outbox cannot be accessed, or
    ///     when the limit on text messages is almost reached.
    ///   - report: Called with the error when the public listener responds with a status of 500 or above.
    /// - Throws: An error if a thread cannot be started or if the key for encrypting messages cannot be
    ///   derived.
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
                sessions: configuration.sessions,
                messages: configuration.courier.retention,
                audit: configuration.audit.retention
            )
        )
        revocation = services.revocation
        limiter = services.limiter
        purchaseRecovery = services.purchaseRecovery
        eventStreams = services.eventStreams
        administration = services.adminRoutes
        metrics = resources.metrics
        health = HealthEndpoints(database: resources.database, time: resources.time)
        document = PublishedDocument(
            title: "Latchkey",
            summary:
                "Ory Kratos's self-service API for native apps, plus device certificates and access tokens.",
            server: url,
            basePath: configuration.basePath,
            services.publicRoutes + [VersionEndpoint().endpoint]
                + health.endpoints
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

    /// Closes all event streams and long polls, and rejects new ones, so that clients reconnect to another
    /// node.
    ///
    /// Call this method before stopping the listeners. Otherwise the listeners wait for the polls to finish.
    package func closeEventStreams() {
        eventStreams.close()
    }

    /// Stops the background workers after they have finished their current work.
    ///
    /// The courier is given a grace period to finish sending messages; see ``Courier/stop(grace:)``.
    ///
    /// This method returns when the workers have stopped and the audit events for exceeded rate limits have
    /// been stored. The database and the hasher stay open.
    package func shutDown() async {
        await purchaseRecovery?.stop()
        eventStreams.close()
        await cleanUp.stop()
        await courier.stop()
        await issuer.shutDown()
        await limiter.finish()
    }
}
