import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The admin endpoints that export answers, and count them.
struct EvidenceAdminEndpoints: Sendable {
    let signer: EvidenceSigner
    let clients: ClientRegistry
    let database: any Database

    var endpoints: [Endpoint] {
        [
            Endpoint(
                .get,
                TermsAdminRoute.evidence,
                below: .server,
                accepts: .adminToken,
                operation: .exportTermsEvidence,
                answer: export
            ).refusingUnknownParameters,
            Endpoint(
                .get,
                TermsAdminRoute.keys,
                below: .server,
                accepts: .adminToken,
                operation: .getTermsKeys
            ) { context in
                .json(200, body: try await signer.keys(context.now))
            }.refusingUnknownParameters,
            Endpoint(
                .get,
                TermsAdminRoute.status,
                below: .server,
                accepts: .adminToken,
                operation: .getTermsStatus,
                answer: status
            ).refusingUnknownParameters,
        ]
    }

    /// Handles `GET /admin/terms/evidence`.
    ///
    /// The answers of erased accounts, and those of earlier users, are included.
    private func export(_ context: RequestContext) async throws -> HTTP.Response {
        guard let identity = context.query["identity"].flatMap({ Identifier($0) }) else {
            throw ServerError.malformed("The query parameter identity must be a UUID.")
        }
        var signed: [SignedEvidenceBody] = []
        for (evidence, closing) in try await TermsEvidenceRepository.history(of: identity, in: database) {
            let body = EvidenceBody(evidence, closing: closing, issuer: signer.issuer, at: context.now)
            signed.append(try await signer.signed(body, at: context.now))
        }
        return .json(200, body: try JSONCoding.encode(signed))
    }

    /// Handles `GET /admin/terms/status`.
    private func status(_ context: RequestContext) async throws -> HTTP.Response {
        let now = context.now
        let documents = try await TermsRepository.all(in: database)
        let all = try await AgreementRepository.groups(in: database)
        var atClients: [(OAuthClient, [AgreementRepository.Group])] = []
        let groups = Dictionary(
            grouping: try await AgreementRepository.groupsOfClients(at: now, in: database),
            by: \.clientID
        )
        for (id, groups) in groups.sorted(by: { ($0.key ?? "") < ($1.key ?? "") }) {
            guard let id, let client = try await clients.client(id) else { continue }
            atClients.append((client, groups))
        }
        let bodies = documents.map { TermsStatusBody($0, all: all, atClients: atClients, now: now) }
        return .json(200, body: try JSONCoding.encode(bodies))
    }
}

extension TermsStatusBody {
    fileprivate init(
        _ document: TermsDocument,
        all: [AgreementRepository.Group],
        atClients: [(client: OAuthClient, groups: [AgreementRepository.Group])],
        now: Timestamp
    ) {
        let asked = document.clientID.map { id in
            atClients.first { $0.client.id == id }?.groups ?? []
        }
        let groups = asked ?? all
        let versions = Dictionary(grouping: groups) { $0.agreements.version(of: document.key) }
        self.init(
            document: document.key,
            required: document.required(at: now)?.number,
            accounts: groups.accounts,
            answered: groups.answered(document, at: now),
            versions: versions.sorted { ($0.key ?? 0) < ($1.key ?? 0) }.compactMap { version, groups in
                version.map { Version(version: $0, accounts: groups.accounts) }
            },
            clients: atClients.filter { document.applies(to: $0.client) }.map { client, groups in
                Client(
                    clientID: client.id,
                    accounts: groups.accounts,
                    answered: groups.answered(document, at: now)
                )
            }
        )
    }
}

extension [AgreementRepository.Group] {
    fileprivate var accounts: Int { reduce(0) { $0 + $1.accounts } }

    /// Returns the number of accounts that aren't asked for a document.
    fileprivate func answered(_ document: TermsDocument, at now: Timestamp) -> Int {
        filter { !document.isOpen(for: $0.agreements, at: now) }.accounts
    }
}

extension APIOperation {
    fileprivate static let exportTermsEvidence = APIOperation(
        "exportTermsEvidence",
        "Lists all answers of an account to documents, each with a signature.",
        details: """
            The answers of erased accounts and those of earlier users of the account are included. A signature can be \
            verified with the server's published keys, which are rotated.
            """,
        parameters: [.query("identity", "The account's id.")],
        [APIResponse(200, "The answers, in their order.", .array(SignedEvidenceBody.schema))]
    )

    fileprivate static let getTermsKeys = APIOperation(
        "getTermsKeys",
        "Returns the public keys for the signatures of answers, as a JSON Web Key Set.",
        [APIResponse(200, "The keys.", .object([.required("keys", .array(.anyObject))]))]
    )

    fileprivate static let getTermsStatus = APIOperation(
        "getTermsStatus",
        "Returns for each document how many accounts have answered it.",
        details: "The counts are read one after the other, so they may differ by the logins in between.",
        [APIResponse(200, "The documents, ordered by key.", .array(TermsStatusBody.schema))]
    )
}
