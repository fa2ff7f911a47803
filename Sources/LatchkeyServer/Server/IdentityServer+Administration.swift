import LatchkeyCourier
package import LatchkeyServerKit

extension IdentityServer {
    /// Opens a server's data for administration, whether or not a server is running with that data.
    ///
    /// The database is migrated if necessary. No listener is opened, and requests to the handler need no
    /// token.
    ///
    /// As when a server starts, a missing data folder is created with new keys, and the keys are registered
    /// in the database. Messages to users are stored in the outbox, from which a running server sends them.
    /// The database is closed before the call returns.
    ///
    /// - Parameters:
    ///   - configuration: The server's configuration.
    ///   - parts: The clock, the random source and the log.
    ///   - work: The closure to call with the handler of the admin API.
    /// - Returns: The result of the closure.
    /// - Throws: ``IdentityServerError`` if the data cannot be opened, and the errors of the closure.
    package static func administer<Outcome: Sendable>(
        _ configuration: ServerConfiguration,
        parts: ServerParts,
        work: (any HTTPHandler) async throws -> Outcome
    ) async throws -> Outcome {
        let stores = try await ServerStores(configuration, parts: parts)
        let url = configuration.url ?? "http://\(configuration.host):\(configuration.port)"
        do {
            let resources = stores.resources(parts: parts)
            let services = ServerServices(
                configuration,
                url: url,
                resources: resources,
                // This courier sends no messages, because a running server sends them.
                courier: try Courier(resources, delivery: NoDelivery(reason: "")),
                issuer: nil
            )
            let api = Router(services.adminRoutes, basePath: "", time: parts.time)
            let outcome = try await work(api)
            await stores.close()
            return outcome
        } catch {
            await stores.close()
            throw error
        }
    }
}
