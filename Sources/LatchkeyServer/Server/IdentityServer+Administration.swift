package import LatchkeyServerCore

extension IdentityServer {
    /// Opens the data of a configuration, whether or not a server runs on it, for an operator's work.
    ///
    /// - Parameters:
    ///   - configuration: The server's configuration.
    ///   - parts: The clock and the like.
    ///   - work: The work, which speaks the operator's API.
    /// - Returns: What the work returns.
    /// - Throws: ``IdentityServerError`` when the data cannot be opened, and what the work throws.
    package static func administer<Outcome: Sendable>(
        _ configuration: ServerConfiguration,
        _ parts: ServerParts,
        _ work: (any HTTPHandler) async throws -> Outcome
    ) async throws -> Outcome {
        let stores = try await ServerStores(configuration, parts)
        let url = configuration.url ?? "http://\(configuration.host):\(configuration.port)"
        let context = ServerContext(
            settings: configuration.settings(url: url),
            schemas: stores.schemas,
            database: stores.database,
            hasher: stores.hasher,
            secrets: stores.keys.secrets,
            time: parts.time,
            random: parts.random,
            formTexts: stores.formTexts,
            breaches: stores.breaches
        )
        do {
            let api = Router(AdminEndpoints(context).endpoints, basePath: "", time: parts.time)
            let outcome = try await work(api)
            await stores.close()
            return outcome
        } catch {
            await stores.close()
            throw error
        }
    }
}
