import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The admin endpoints for OAuth clients, which are compatible with Hydra's.
struct ClientEndpoints: Sendable {
    /// The maximum size of a request body, which leaves room for several operations of a patch.
    private static let bodyLimit = 256 * 1024

    private let administration: ClientAdministration
    private let database: any Database

    init(administration: ClientAdministration, database: any Database) {
        self.administration = administration
        self.database = database
    }

    var endpoints: [Endpoint] {
        [
            endpoint(.get, at: AdminRoute.clients, operation: .listClients, answer: list),
            endpoint(.post, at: AdminRoute.clients, operation: .createClient, answer: create),
            endpoint(.get, at: AdminRoute.client, operation: .getClient, answer: show),
            endpoint(.put, at: AdminRoute.client, operation: .replaceClient, answer: replace),
            endpoint(.patch, at: AdminRoute.client, operation: .patchClient, answer: patch),
            endpoint(.delete, at: AdminRoute.client, operation: .deleteClient, answer: delete),
            endpoint(
                .put,
                at: AdminRoute.clientLifespans,
                operation: .setClientLifespans,
                answer: setLifespans
            ),
            endpoint(
                .post,
                at: AdminRoute.clientSecretRotation,
                operation: .rotateClientSecret,
                answer: rotateSecret
            ),
            endpoint(
                .delete,
                at: AdminRoute.clientSecretRotation,
                operation: .deleteRotatedClientSecrets,
                answer: revokePreviousSecret
            ),
        ]
    }

    private func endpoint(
        _ method: HTTP.Method,
        at path: String,
        operation: APIOperation,
        answer: @escaping Endpoint.Answer
    ) -> Endpoint {
        Endpoint(method, path, below: .server, accepts: .adminToken, operation: operation, answer: answer)
    }

    private func list(_ context: RequestContext) async throws -> HTTP.Response {
        let request = try PageRequest(context.query, keySizes: 1...OAuthClient.longestID)
        let (name, owner) = (context.query["client_name"] ?? "", context.query["owner"] ?? "")
        let filter = ClientRepository.Filter(
            name: name.isEmpty ? nil : name,
            owner: owner.isEmpty ? nil : owner
        )
        // The key is the last id of the previous page, and no id has other characters.
        let last = String(decoding: request.key ?? [], as: UTF8.self)
        guard last.isEmpty || OAuthClient.isID(last) else {
            throw ServerError.malformed("The page_token is invalid.")
        }
        let found = try await ClientRepository.clients(
            filter,
            after: last,
            limit: request.size + 1,
            in: database
        )
        return Page(found, for: request) { Array($0.id.utf8) }.response(
            AdminRoute.clients,
            filters: [("client_name", name), ("owner", owner)]
        ) { client, writer in writer.client(client) }
    }

    private func create(_ context: RequestContext) async throws -> HTTP.Response {
        let result = try await administration.create(try body(of: context), in: context)
        var response = Self.response(201, with: result)
        let segment = PathSegment.encode(result.client.id) ?? ""
        response.headers["Location"] = AdminRoute.clients + "/" + segment
        return response
    }

    private func show(_ context: RequestContext) async throws -> HTTP.Response {
        guard let client = try await ClientRepository.find(try id(in: context), in: database) else {
            throw ServerError.notFound
        }
        return Self.response(200, with: AdministeredClient(client: client, secret: nil))
    }

    private func replace(_ context: RequestContext) async throws -> HTTP.Response {
        let (id, body) = (try id(in: context), try body(of: context))
        return Self.response(200, with: try await administration.replace(id, with: body, in: context))
    }

    private func patch(_ context: RequestContext) async throws -> HTTP.Response {
        let (id, body) = (try id(in: context), try body(of: context))
        return Self.response(200, with: try await administration.patch(id, with: body, in: context))
    }

    private func delete(_ context: RequestContext) async throws -> HTTP.Response {
        try await administration.delete(try id(in: context), in: context)
        return HTTP.Response(204)
    }

    private func setLifespans(_ context: RequestContext) async throws -> HTTP.Response {
        let (id, body) = (try id(in: context), try body(of: context))
        return Self.response(200, with: try await administration.setLifespans(of: id, to: body, in: context))
    }

    private func rotateSecret(_ context: RequestContext) async throws -> HTTP.Response {
        let body = context.request.body.isEmpty ? OrderedJSON.object([]) : try body(of: context)
        guard case .object = body else { throw ServerError.malformed("The body must be a JSON object.") }
        return Self.response(
            200,
            with: try await administration.rotateSecret(of: try id(in: context), with: body, in: context)
        )
    }

    private func revokePreviousSecret(_ context: RequestContext) async throws -> HTTP.Response {
        Self.response(
            200,
            with: try await administration.revokePreviousSecret(of: try id(in: context), in: context)
        )
    }

    // MARK: Requests and responses

    private func body(of context: RequestContext) throws(ServerError) -> OrderedJSON {
        try context.json(limit: Self.bodyLimit)
    }

    /// Returns the client id in the path, which is percent-encoded there.
    private func id(in context: RequestContext) throws -> String {
        let id = try PercentEncoding.decode(context.parameter)
        guard OAuthClient.isID(id) else { throw ServerError.notFound }
        return id
    }

    private static func response(_ status: Int, with result: AdministeredClient) -> HTTP.Response {
        var json = JSONWriter()
        json.client(result.client, secret: result.secret)
        var response = HTTP.Response.json(status, body: json.bytes)
        response.headers["Cache-Control"] = "no-store"
        return response
    }
}
