import LatchkeyModel
import LatchkeyWire

/// The operator's routes about identities, as Kratos has them.
struct IdentityEndpoints: Sendable {
    private static let bodyLimit = 256 * 1024
    private static let batchLimit = 1 << 20
    private static let mostIDs = 500
    static let credentialKinds: Set<String> = [
        "password", "oidc", "totp", "lookup_secret", "webauthn", "code", "passkey", "profile", "saml",
        "deviceauthn", "identifier_first", "link_recovery", "code_recovery",
    ]

    private let administration: IdentityAdministration
    private let directory: IdentityDirectory
    private let writer: IdentityWriter

    init(_ context: ServerContext) {
        administration = IdentityAdministration(context)
        directory = IdentityDirectory(context)
        writer = IdentityWriter(context)
    }

    var endpoints: [Endpoint] {
        [
            Endpoint(.get, AdminRoute.identities, below: .server, .listIdentities, answer: list),
            Endpoint(.post, AdminRoute.identities, below: .server, .createIdentity, answer: create),
            Endpoint(.patch, AdminRoute.identities, below: .server, .createIdentities, answer: createMany),
            Endpoint(.get, AdminRoute.identity, below: .server, .getIdentity, answer: show),
            Endpoint(
                .get,
                AdminRoute.identityByExternalID,
                below: .server,
                .getIdentityByExternalID,
                answer: showByExternalID
            ),
            Endpoint(.put, AdminRoute.identity, below: .server, .replaceIdentity, answer: replace),
            Endpoint(.patch, AdminRoute.identity, below: .server, .patchIdentity, answer: patch),
            Endpoint(.delete, AdminRoute.identity, below: .server, .deleteIdentity, answer: delete),
            Endpoint(
                .delete,
                AdminRoute.identityCredential,
                below: .server,
                .removeCredential,
                answer: removeCredential
            ),
        ]
    }

    private func list(_ exchange: Exchange) async throws -> HTTPResponse {
        let request = try PageRequest(exchange.query, keySize: 16)
        if let identifier = exchange.query["credentials_identifier"], !identifier.isEmpty {
            let found = try await directory.find(identifier: identifier)
            let page = Page(found.map { [$0] } ?? [], request) { $0.record.id.bytes }
            return answer(page, filters: [("credentials_identifier", identifier)])
        }
        guard exchange.query["preview_credentials_identifier_similar"] ?? "" == "" else {
            throw ServerError.malformed(
                "Identifiers are found here by their whole, with credentials_identifier."
            )
        }
        let ids = exchange.query.values("ids").flatMap { $0.split(separator: ",").map(String.init) }
        guard !ids.isEmpty else { return answer(try await directory.page(request)) }
        guard ids.count <= Self.mostIDs else {
            throw ServerError.malformed("At most \(Self.mostIDs) ids can be asked for at once.")
        }
        let identifiers = try ids.map { id throws(ServerError) in
            guard let identifier = Identifier(id) else { throw .malformed("One of the ids is no UUID.") }
            return identifier
        }
        let page = try await directory.page(request, among: Set(identifiers))
        return answer(page, filters: ids.map { ("ids", $0) })
    }

    private func answer(
        _ page: Page<AdministeredIdentity>,
        filters: [(name: String, value: String)] = []
    ) -> HTTPResponse {
        page.response(AdminRoute.identities, filters: filters) { [writer] identity, json in
            writer.write(identity, to: &json)
        }
    }

    private func create(_ exchange: Exchange) async throws -> HTTPResponse {
        let draft = try IdentityDraft(try exchange.json(limit: Self.bodyLimit))
        let id = try await administration.create(draft, exchange)
        var response = try answer(201, try await directory.find(id))
        response.headers["Location"] = AdminRoute.identities + "/" + id.description
        return response
    }

    private func createMany(_ exchange: Exchange) async throws -> HTTPResponse {
        try await IdentityBatch(try exchange.json(limit: Self.batchLimit), administration).answer(exchange)
    }

    private func show(_ exchange: Exchange) async throws -> HTTPResponse {
        try answer(200, try await directory.find(try exchange.id()), showsKind: showsKind(exchange))
    }

    private func showByExternalID(_ exchange: Exchange) async throws -> HTTPResponse {
        guard let externalID = QueryItems("id=" + exchange.parameter)["id"] else {
            throw ServerError.notFound
        }
        return try answer(
            200,
            try await directory.find(externalID: externalID),
            showsKind: showsKind(exchange)
        )
    }

    private func replace(_ exchange: Exchange) async throws -> HTTPResponse {
        let id = try exchange.id()
        let draft = try IdentityDraft(try exchange.json(limit: Self.bodyLimit))
        try await administration.replace(id, with: draft, exchange)
        return try answer(200, try await directory.find(id))
    }

    private func patch(_ exchange: Exchange) async throws -> HTTPResponse {
        let id = try exchange.id()
        let patch = try IdentityPatch(try exchange.json(limit: Self.bodyLimit))
        try await administration.patch(id, patch, exchange)
        return try answer(200, try await directory.find(id))
    }

    private func delete(_ exchange: Exchange) async throws -> HTTPResponse {
        try await administration.delete(try exchange.id(), exchange)
        return HTTPResponse(204)
    }

    private func removeCredential(_ exchange: Exchange) async throws -> HTTPResponse {
        let id = try exchange.id()
        guard exchange.parameters.last == "password" else {
            throw ServerError(404, reason: "The identity has no credential of this kind.")
        }
        try await administration.removePassword(of: id, exchange)
        return HTTPResponse(204)
    }

    private func showsKind(_ exchange: Exchange) throws(ServerError) -> Bool {
        let kinds = exchange.query.values("include_credential")
        guard Self.credentialKinds.isSuperset(of: kinds) else {
            throw .malformed("One of the kinds in include_credential is none.")
        }
        return kinds.contains("password")
    }

    private func answer(_ status: Int, _ identity: AdministeredIdentity?, showsKind: Bool = false) throws
        -> HTTPResponse
    {
        guard let identity else { throw ServerError.notFound }
        var json = JSONWriter()
        writer.write(identity, showsKind: showsKind, to: &json)
        return .json(status, json.bytes)
    }
}
