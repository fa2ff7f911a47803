import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The routes on which users read the documents that apply to them, and answer them.
struct AgreementEndpoints: Sendable {
    private static let bodyLimit = 65_536

    private let authenticator: SessionAuthenticator
    private let clients: ClientRegistry
    private let duties: Duties
    private let limiter: Limiter
    private let recorder: AnswerRecorder
    private let catalog: TermsCatalog
    private let writer: TermsWriter
    private let database: any Database

    init(_ environment: ServerEnvironment, accounts: AccountsModule, terms: TermsCatalog) {
        authenticator = accounts.authenticator
        clients = accounts.clients
        duties = accounts.duties
        limiter = accounts.limiter
        recorder = AnswerRecorder(audit: accounts.audit, random: environment.random)
        catalog = terms
        writer = TermsWriter(urls: environment.urls)
        database = environment.database
    }

    var endpoints: [Endpoint] {
        // The user needs both routes to take the step that blocks.
        let credentials = RouteCredentials.session(
            SessionCredentials(accessTokens: .scope(.agreements), carrier: .either)
        ).exemptFromDuties
        var answering = APIOperation.answerAgreements
        answering.body = APIBody(schema: NewAnswersBody.schema)
        return [
            Endpoint(
                .get,
                Route.agreements,
                accepts: credentials,
                operation: .listAgreements,
                returning: AgreementsBody.self,
                answer: list
            ),
            Endpoint(
                .post,
                Route.agreements,
                accepts: credentials,
                operation: answering,
                returning: RecordedAnswersBody.self,
                answer: answer
            ),
        ]
    }

    /// Handles `GET /account/agreements`.
    private func list(_ context: RequestContext) async throws -> BodyResponse<AgreementsBody> {
        let found = try await authenticator.requiredSession(of: context)
        let client = try await client(of: found.session)
        let documents = try await catalog.documents().filter { $0.applies(to: client) }
        let evidence = try await TermsEvidenceRepository.all(of: found.identity.id, in: database)
        let agreements = Agreements(column: found.identity.agreements)
        let ranges = context.request.headers["Accept-Language"].map { LanguageRanges($0) }
        return .ok(
            AgreementsBody(
                documents: documents.map { document in
                    var body = writer.agreement(on: document, preferring: ranges, at: context.now)
                    body.isOpen = document.isOpen(for: agreements, at: context.now)
                    body.answer = document.newestAnswer(in: evidence).map { RecordedAnswerBody($0) }
                    return body
                }
            )
        )
    }

    /// Handles `POST /account/agreements`.
    ///
    /// The answers are checked and stored in one transaction, which reads the documents itself, because another node
    /// may have just published the version.
    private func answer(_ context: RequestContext) async throws -> BodyResponse<RecordedAnswersBody> {
        let found = try await authenticator.requiredSession(of: context)
        guard context.request.mediaType == "application/json" else {
            throw ServerError.malformed("The Content-Type must be application/json.")
        }
        let body = try context.body(NewAnswersBody.self, limit: Self.bodyLimit)
        try await limiter.require([.accountChange(found.identity.id)], at: context.now, in: database)
        let client = try await client(of: found.session)
        let evidence = try await found.change(in: database, at: context.now) { [recorder] transaction in
            let documents = try TermsRepository.all(in: transaction)
            return try recorder.record(
                AnswerReader(documents: documents, client: client).answers(in: body),
                in: found.session,
                for: context,
                in: transaction
            )
        }
        let answers = evidence.map { RecordedAnswerBody($0) }
        guard !body.answers.contains(where: { $0.answer == TermsAnswer.Kind.refusal.rawValue }) else {
            return .ok(RecordedAnswersBody(answers: answers, duties: nil, hasSessionEnded: true))
        }
        let open = try await duties.open(forOpened: found.session.id, in: context)
        return .ok(RecordedAnswersBody(answers: answers, duties: open.map { DutyBody($0) }))
    }

    private func client(of session: Session) async throws(DatabaseError) -> OAuthClient? {
        guard let id = session.clientID else { return nil }
        return try await clients.client(id)
    }
}

extension TermsDocument {
    /// Returns the last answer to the newest version that a user has answered, or `nil` if there is none.
    fileprivate func newestAnswer(in evidence: [TermsEvidence]) -> TermsEvidence? {
        evidence.filter { $0.answer.document == key }.max { left, right in
            (left.answer.version, left.number) < (right.answer.version, right.number)
        }
    }
}

extension RecordedAnswerBody {
    init(_ evidence: TermsEvidence) {
        self.init(
            id: evidence.id.description,
            document: evidence.answer.document,
            version: evidence.answer.version,
            language: evidence.answer.language,
            hash: Base64URL.encode(evidence.answer.hash),
            answer: evidence.answer.kind.rawValue,
            shown: evidence.answer.shown.rawValue,
            sessionID: evidence.sessionID?.description,
            clientID: evidence.clientID,
            answeredAt: evidence.answeredAt.description
        )
    }
}

extension DutyBody {
    fileprivate init(_ duty: AccountDuty) {
        self.init(kind: duty.kind.rawValue, isBlocking: duty.isBlocking, fields: duty.fields)
    }
}
