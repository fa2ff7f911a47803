import LatchkeyCourier
package import LatchkeyServerKit

extension IdentityServer {
    /// Opens a server's data for administration and calls a closure with the admin API's handler.
    ///
    /// This also works while a server is running with the same data. No listener is opened, and requests to
    /// the handler don't need a token.
    ///
    /// Like starting a server, this migrates the database if necessary and registers the keys in the database.
    /// Messages to users are stored in the outbox until a
    /// running server sends them. The database is closed before this method returns.
    ///
    /// - Parameters:
    ///   - configuration: The server's configuration.
    ///   - parts: The clock, the random source and the log.
    ///   - createsData: Whether a missing data folder is created with new keys. If this is `false`, a folder
    ///     without data is an error.
    ///   - work: Called with the handler of the admin API.
    /// - Returns: The value returned by the closure.
    /// - Throws: ``IdentityServerError`` if the data cannot be opened, or any error thrown by the closure.
    package static func administer<Outcome: Sendable>(
        _ configuration: ServerConfiguration,
        parts: ServerParts,
        createsData: Bool = false,
        work: (any HTTPHandler) async throws -> Outcome
    ) async throws -> Outcome {
        let stores = try await ServerStores(
            configuration,
            files: OperatorFiles(configuration),
            parts: parts,
            createsData: createsData
        )
        let url = configuration.url ?? "http://\(configuration.host):\(configuration.port)"
        do {
            let resources = stores.resources(parts: parts)
            let assembly = ServerAssembly(
                configuration,
                url: url,
                resources: resources,
                // This courier is never started. A running server sends the messages.
                courier: try Courier(resources, delivery: NoDelivery(reason: "")),
                issuer: nil,
                log: parts.log
            )
            let outcome = try await work(assembly.localAdministration())
            await stores.close()
            return outcome
        } catch {
            await stores.close()
            throw error
        }
    }
}
