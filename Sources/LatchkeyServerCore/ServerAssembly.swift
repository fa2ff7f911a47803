package import LatchkeyCrypto

/// The server put together from its parts: what tests run is what ships.
package struct ServerAssembly: Sendable {
    /// What an operator can do beside the API.
    package let revocation: CertificateRevocation

    /// The places of the operator's listener.
    package let administration: [Endpoint]

    /// What the server counts about itself.
    package let metrics: ServerMetrics

    /// The places of the public listener, written down.
    package let document: PublishedDocument

    /// Answers the public listener's requests.
    package let handler: any HTTPHandler

    private let issuer: CertificateIssuer
    private let courier: Courier
    private let cleanUp: CleanUp

    /// Puts the parts together and starts what works by itself; database and hasher stay the caller's.
    ///
    /// - Parameters:
    ///   - context: The parts that all services share.
    ///   - authority: Who signs the certificates of devices.
    ///   - delivery: The way that messages take.
    ///   - options: How they are sent.
    ///   - incidents: Is told about trouble with messages.
    ///   - report: Is told about errors that no handler foresaw.
    /// - Throws: When there is no thread to be had, or no key to seal messages with.
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
                "Customer identity: the self-service API of Ory Kratos for native apps, and what belongs to it.",
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

    /// Ends what works by itself, when what was handed to it is done.
    package func shutDown() async {
        await cleanUp.stop()
        await courier.stop()
        await issuer.shutDown()
    }
}
