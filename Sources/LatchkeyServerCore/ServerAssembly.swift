package import LatchkeyCrypto

/// The server put together from its parts: what tests run is what ships.
package struct ServerAssembly: Sendable {
    /// What an operator can do beside the API.
    package let revocation: CertificateRevocation

    /// Answers the public listener's requests.
    package let handler: any HTTPHandler

    private let issuer: CertificateIssuer

    /// Puts the parts together and starts the threads that belong to them; database and hasher stay the caller's.
    ///
    /// - Parameters:
    ///   - context: The parts that all services share.
    ///   - authority: Who signs the certificates of devices.
    ///   - report: Is told about errors that no handler foresaw.
    /// - Throws: When the operating system refuses a thread.
    package init(
        _ context: ServerContext,
        authority: CertificateAuthority,
        report: @escaping Router.FailureReport = { _, _, _ in }
    ) throws {
        issuer = try CertificateIssuer(authority: authority, random: context.random)
        revocation = CertificateRevocation(database: context.database, time: context.time)
        handler = Router(
            LoginEndpoints(context).endpoints + RegistrationEndpoints(context).endpoints
                + SessionEndpoints(context).endpoints + SchemaEndpoints(context).endpoints
                + CertificateEnrolment(context, issuer: issuer).endpoints,
            basePath: context.settings.basePath,
            time: context.time,
            report: report
        )
    }

    /// Ends the threads when what was handed to them is done.
    package func shutDown() async {
        await issuer.shutDown()
    }
}
