package import LatchkeyCrypto

/// The identity server's services, wired together and running.
///
/// The executable and the tests use the same assembly, so that tests exercise what is shipped.
package struct ServerAssembly: Sendable {
    /// Revokes device certificates; operators call it outside the API.
    package let revocation: CertificateRevocation

    /// The routes of the admin listener.
    package let administration: [Endpoint]

    /// The counters and histograms of this server.
    package let metrics: ServerMetrics

    /// The OpenAPI document of the public listener, which also provides its routes.
    package let document: PublishedDocument

    /// The request handler of the public listener.
    package let handler: any HTTPHandler

    private let issuer: CertificateIssuer
    private let courier: Courier
    private let cleanUp: CleanUp

    /// Creates the services and starts the background workers.
    ///
    /// The database and the password hasher remain owned by the caller, who closes them after ``shutDown()``.
    ///
    /// - Parameters:
    ///   - context: The dependencies that all services share.
    ///   - authority: The authority that signs device certificates.
    ///   - delivery: The provider that messages are sent through.
    ///   - options: The channels, concurrency and retry policy of the courier.
    ///   - incidents: Called when a message is delayed or abandoned, the outbox cannot be reached, or the limit
    ///     of text messages is nearly reached.
    ///   - report: Called with every error that a handler of the public listener answers with a status of 500
    ///     or above.
    /// - Throws: An error if no thread can be started or no key for sealing messages can be derived.
    package init(
        _ context: ServerContext,
        authority: CertificateAuthority,
        delivery: any MessageDelivery,
        options: CourierOptions = CourierOptions(),
        incidents: @escaping @Sendable (CourierIncident) -> Void = { _ in },
        report: @escaping Router.FailureReport = { _, _, _ in }
    ) throws {
        courier = try Courier(context, delivery: delivery, options: options, report: incidents)
        cleanUp = CleanUp(context, options: context.settings.cleanUp)
        issuer = try CertificateIssuer(authority: authority, random: context.random)
        revocation = CertificateRevocation(database: context.database, time: context.time)
        administration = AdminEndpoints(context).endpoints
        metrics = context.metrics
        document = PublishedDocument(
            title: "Latchkey",
            summary:
                "Customer identity: the self-service API of Ory Kratos for native apps, device certificates and access tokens.",
            server: context.settings.baseURL,
            basePath: context.settings.basePath,
            LoginEndpoints(context, courier: courier).endpoints
                + RegistrationEndpoints(context, courier: courier).endpoints
                + VerificationEndpoints(context, courier: courier).endpoints
                + RecoveryEndpoints(context, courier: courier).endpoints
                + SettingsEndpoints(context, courier: courier).endpoints
                + SessionEndpoints(context).endpoints + OwnSessionEndpoints(context).endpoints
                + SchemaEndpoints(context).endpoints
                + PhoneVerification(context, courier: courier).endpoints
                + CertificateEnrolment(context, issuer: issuer, courier: courier).endpoints
                + TokenEndpoints(context).endpoints + KeySetEndpoints(context).endpoints
                + [VersionEndpoint().endpoint] + HealthEndpoints(database: context.database).endpoints
        )
        handler = Router(
            document.endpoints,
            basePath: context.settings.basePath,
            time: context.time,
            metrics: context.metrics,
            report: report
        )
        courier.start()
        cleanUp.start()
    }

    /// Stops the background workers after their current work.
    ///
    /// The courier finishes messages in flight within its grace period; see ``Courier/stop(grace:)``.
    package func shutDown() async {
        await cleanUp.stop()
        await courier.stop()
        await issuer.shutDown()
    }
}
