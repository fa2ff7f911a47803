package import Latchkey

extension LatchkeyClient {
    /// Creates a client whose configuration a closure completes.
    package convenience init(
        server: String,
        app: String,
        apiOrigins: Set<String> = [],
        configure: (inout LatchkeyConfiguration) throws -> Void
    ) throws {
        var configuration = LatchkeyConfiguration(server: server, app: app, apiOrigins: apiOrigins)
        try configure(&configuration)
        try self.init(configuration)
    }
}
