import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The admin endpoints for identities.
///
/// The endpoints are compatible with Kratos.
struct IdentityEndpoints: Sendable {
    /// The maximum size of a request body that contains a single identity or patch: 256 KiB.
    private static let bodyLimit = 256 * 1024
    /// The maximum size of a request body that contains several identities: 1 MiB.
    private static let batchLimit = 1 << 20
    /// The credential types that Kratos defines.
    ///
    /// This server only supports `password` and `code`.
    static let credentialKinds: Set<String> = [
        "password", "oidc", "totp", "lookup_secret", "webauthn", "code", "passkey", "profile", "saml",
        "deviceauthn", "identifier_first", "link_recovery", "code_recovery",
    ]

    private let administration: IdentityAdministration
    private let directory: IdentityDirectory
    private let writer: IdentityWriter

    /// Creates the endpoints.
    ///
    /// - Parameters:
    ///   - administration: Creates, changes and deletes identities.
    ///   - directory: Reads identities.
    ///   - writer: Writes identities as JSON.
    init(administration: IdentityAdministration, directory: IdentityDirectory, writer: IdentityWriter) {
        self.administration = administration
        self.directory = directory
        self.writer = writer
    }

    /// The endpoints that read and change identities.
    ///
    /// Request bodies are limited to 256 KiB, or 1 MiB if they contain several identities.
    var endpoints: [Endpoint] {
        [
            Endpoint(
                .get,
                AdminRoute.identities,
                below: .server,
                accepts: .adminToken,
                operation: .listIdentities,
                answer: list
            ),
            Endpoint(
                .post,
                AdminRoute.identities,
                below: .server,
                accepts: .adminToken,
                operation: .createIdentity,
                answer: create
            ),
            Endpoint(
                .patch,
                AdminRoute.identities,
                below: .server,
                accepts: .adminToken,
                operation: .createIdentities,
                answer: createMany
            ),
            Endpoint(
                .get,
                AdminRoute.identity,
                below: .server,
                accepts: .adminToken,
                operation: .getIdentity,
                answer: show
            ),
            Endpoint(
                .get,
                AdminRoute.identityByExternalID,
                below: .server,
                accepts: .adminToken,
                operation: .getIdentityByExternalID,
                answer: showByExternalID
            ),
            Endpoint(
                .put,
                AdminRoute.identity,
                below: .server,
                accepts: .adminToken,
                operation: .replaceIdentity,
                answer: replace
            ),
            Endpoint(
                .patch,
                AdminRoute.identity,
                below: .server,
                accepts: .adminToken,
                operation: .patchIdentity,
                answer: patch
            ),
            Endpoint(
                .delete,
                AdminRoute.identity,
                below: .server,
                accepts: .adminToken,
                operation: .deleteIdentity,
                answer: delete
            ),
            Endpoint(
                .delete,
                AdminRoute.identityCredential,
                below: .server,
                accepts: .adminToken,
                operation: .removeCredential,
                answer: removeCredential
            ),
        ]
    }

    /// Returns a page of identities.
    ///
    /// As in Kratos, credentials are included only if `include_credential` or `credentials_identifier` is
    /// specified. Details of the credentials are included only if `include_credential` is specified.
    ///
    /// - Throws: ``ServerError`` with status 400 if the page, the filter or a credential type is invalid.
    private func list(_ context: RequestContext) async throws -> HTTP.Response {
        let request = try PageRequest(context.query, keySize: 16, hasNumbers: true)
        let filter = try IdentityFilter(context.query)
        let shown = try shownCredentials(context)
        let page: Page<AdministeredIdentity> =
            switch filter {
            case .none: try await directory.page(request)
            case .ids(let ids): try await directory.page(request, among: ids)
            case .identifier(let identifier):
                Page(try await directory.find(identifier: identifier).map { [$0] } ?? [], for: request) {
                    $0.record.id.bytes
                }
            case .organization: Page([], for: request) { $0.record.id.bytes }
            }
        let whole = shown.isEmpty ? page : try await directory.withCredentials(page)
        let items = IdentityFilter.parameters.union(["include_credential"]).sorted().flatMap { name in
            context.query.values(name).map { (name, $0) }
        }
        return whole.response(AdminRoute.identities, filters: items) { [writer] identity, json in
            writer.write(identity, showing: shown, to: &json)
        }
    }

    /// Creates an identity and returns it.
    ///
    /// The `Location` header contains the path of the new identity.
    private func create(_ context: RequestContext) async throws -> HTTP.Response {
        let draft = try IdentityDraft(try context.json(limit: Self.bodyLimit))
        let id = try await administration.create(draft, in: context)
        var response = try answer(201, with: try await directory.find(id))
        response.headers["Location"] = AdminRoute.identities + "/" + id.description
        return response
    }

    private func createMany(_ context: RequestContext) async throws -> HTTP.Response {
        try await IdentityBatch(try context.json(limit: Self.batchLimit), administration: administration)
            .answer(context)
    }

    private func show(_ context: RequestContext) async throws -> HTTP.Response {
        try answer(
            200,
            with: try await directory.find(try context.id()),
            showing: shownCredentials(context)
        )
    }

    /// Returns the identity with the external id in the last segment of the path, which is percent-decoded
    /// first.
    private func showByExternalID(_ context: RequestContext) async throws -> HTTP.Response {
        try answer(
            200,
            with: try await directory.find(externalID: try PercentEncoding.decode(context.parameter)),
            showing: shownCredentials(context)
        )
    }

    /// Replaces an identity and returns its new state.
    ///
    /// The identity is read again after the change, because the response contains its new state. If the
    /// identity has been deleted in the meantime, the response has status 404.
    private func replace(_ context: RequestContext) async throws -> HTTP.Response {
        let id = try context.id()
        let draft = try IdentityDraft(try context.json(limit: Self.bodyLimit))
        try await administration.replace(id, with: draft, in: context)
        return try answer(200, with: try await directory.find(id))
    }

    private func patch(_ context: RequestContext) async throws -> HTTP.Response {
        let id = try context.id()
        let patch = try IdentityPatch(try context.json(limit: Self.bodyLimit))
        try await administration.patch(id, with: patch, in: context)
        return try answer(200, with: try await directory.find(id))
    }

    private func delete(_ context: RequestContext) async throws -> HTTP.Response {
        try await administration.delete(try context.id(), in: context)
        return HTTP.Response(204)
    }

    /// Removes a credential.
    ///
    /// Only credentials of type `password` can be removed.
    ///
    /// - Throws: ``ServerError`` with status 400 for the type `code`, or 404 for any other type, for an
    ///   unknown identity or for an identity without a password.
    private func removeCredential(_ context: RequestContext) async throws -> HTTP.Response {
        let id = try context.id()
        switch context.parameters.last {
        case "password": try await administration.removePassword(of: id, in: context)
        // The code credential is derived from the traits.
        case "code": throw ServerError.malformed("Credentials of type code cannot be deleted.")
        default: throw ServerError(404, reason: "The identity has no credential of this type.")
        }
        return HTTP.Response(204)
    }

    /// Returns the credential types whose details were requested.
    ///
    /// - Throws: ``ServerError`` with status 400 if a type is unknown.
    private func shownCredentials(_ context: RequestContext) throws(ServerError) -> Set<String> {
        let kinds = Set(context.query.values("include_credential"))
        guard Self.credentialKinds.isSuperset(of: kinds) else {
            throw .malformed("include_credential contains an unknown credential type.")
        }
        return kinds
    }

    /// Creates a response that contains the identity, or throws an error with status 404 if the identity is
    /// `nil`.
    private func answer(_ status: Int, with identity: AdministeredIdentity?, showing kinds: Set<String> = [])
        throws
        -> HTTP.Response
    {
        guard let identity else { throw ServerError.notFound }
        var json = JSONWriter()
        writer.write(identity, showing: kinds, to: &json)
        return .json(status, body: json.bytes)
    }
}
