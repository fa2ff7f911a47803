import LatchkeyAccounts
import LatchkeyServerKit
import LatchkeyWire

/// The public route that lists the documents of an OAuth client.
struct ClientTermsEndpoints: Sendable {
    /// How long apps and proxies may use a response without asking again.
    private static let maxAge = 60

    private let clients: ClientRegistry
    private let limiter: Limiter
    private let catalog: TermsCatalog
    private let writer: TermsWriter
    private let database: any Database

    init(_ environment: ServerEnvironment, accounts: AccountsModule, terms: TermsCatalog) {
        clients = accounts.clients
        limiter = accounts.limiter
        catalog = terms
        writer = TermsWriter(urls: environment.urls)
        database = environment.database
    }

    var endpoints: [Endpoint] {
        [
            Endpoint(
                .get,
                Route.clients + "/{}/terms",
                accepts: .none,
                operation: .listClientTerms,
                answer: list
            )
        ]
    }

    /// Handles `GET /clients/{client_id}/terms`.
    ///
    /// A disabled client is answered like one that doesn't exist.
    private func list(_ context: RequestContext) async throws -> HTTP.Response {
        try await limiter.require(LimitedEvent.publicReads(from: context.peer), at: context.now, in: database)
        guard let client = try await clients.client(PercentEncoding.decode(context.parameter)) else {
            throw ServerError(404, reason: "The client does not exist.")
        }
        let ranges = context.request.headers["Accept-Language"].map { LanguageRanges($0) }
        let documents = try await catalog.documents().filter { $0.applies(to: client) }
            .compactMap { writer.document($0, preferring: ranges, at: context.now) }
        var response = HTTP.Response.cacheable(
            body: try JSONCoding.encode(ClientTermsBody(documents: documents)),
            for: context.request,
            maxAge: Self.maxAge
        )
        response.headers["Vary"] = "Accept-Language"
        return response
    }
}
