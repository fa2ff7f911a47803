import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The admin endpoints that publish and list documents.
struct TermsAdminEndpoints: Sendable {
    let publisher: TermsPublisher
    let database: any Database

    var endpoints: [Endpoint] {
        [
            Endpoint(
                .post,
                TermsAdminRoute.publications,
                below: .server,
                accepts: .adminToken,
                operation: .publishTerms,
                returning: PublicationBody.self,
                answer: publish
            ),
            Endpoint(
                .get,
                TermsAdminRoute.documents,
                below: .server,
                accepts: .adminToken,
                operation: .listTerms,
                answer: list
            ).refusingUnknownParameters,
            Endpoint(
                .get,
                TermsAdminRoute.version,
                below: .server,
                accepts: .adminToken,
                operation: .getTermsText,
                returning: PublishedTextBody.self,
                answer: show
            ).refusingUnknownParameters,
        ]
    }

    /// Handles `POST /admin/terms/publications`.
    private func publish(_ context: RequestContext) async throws -> BodyResponse<PublicationBody> {
        let body = try context.json(limit: Publication.sizeLimit)
        guard case .object(let members) = body else {
            throw ServerError.malformed("The body must be a JSON object.")
        }
        if let other = members.first(where: { !["documents", "dry_run"].contains($0.name) }) {
            let name = PlainName(other.name).map { " \($0)" } ?? ""
            throw ServerError.malformed("The body has an unknown member\(name).")
        }
        let isDryRun: Bool
        switch body["dry_run"] ?? .bool(false) {
        case .bool(let value): isDryRun = value
        default: throw ServerError.malformed("The member dry_run must be true or false.")
        }
        let publication = try Publication(body["documents"])
        return .ok(
            PublicationBody(try await publisher.publish(publication, isDryRun: isDryRun, in: context))
        )
    }

    /// Handles `GET /admin/terms/documents`.
    private func list(_ context: RequestContext) async throws -> HTTP.Response {
        let documents = try await TermsRepository.all(in: database)
        return .json(200, body: try JSONCoding.encode(documents.map(PublishedDocumentBody.init)))
    }

    /// Handles `GET /admin/terms/documents/{key}/versions/{number}`.
    private func show(_ context: RequestContext) async throws -> BodyResponse<PublishedTextBody> {
        let documents = try await TermsRepository.all(in: database)
        guard context.parameters.count == 2, let number = Int(context.parameters[1]),
            let document = documents.first(where: { $0.key == context.parameters[0] }),
            document.version(number) != nil
        else { throw ServerError.notFound }
        let language = context.query["language"]?.lowercased() ?? document.defaultLanguage
        guard
            let text = try await TermsRepository.text(
                of: document.key,
                version: number,
                language: language,
                in: database
            )
        else { throw ServerError.notFound }
        return .ok(
            PublishedTextBody(
                document: document.key,
                version: number,
                language: language,
                hash: Base64URL.encode(text.hash),
                summary: text.summary,
                text: String(decoding: text.bytes, as: UTF8.self)
            )
        )
    }
}
