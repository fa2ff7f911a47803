import LatchkeyAccounts
import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// Publishes documents, versions and texts.
struct TermsPublisher: Sendable {
    /// The result of a publication.
    struct Report: Sendable {
        let plan: PublicationPlan
        /// The approximate number of accounts that each change asks, in the order of the changes.
        let accounts: [Int?]
    }

    /// The number of clients that are read at once.
    private static let batch = 250

    private let catalog: TermsCatalog
    private let audit: AuditLog
    private let database: any Database

    init(catalog: TermsCatalog, audit: AuditLog, database: any Database) {
        (self.catalog, self.audit, self.database) = (catalog, audit, database)
    }

    /// Publishes what isn't published yet, in one transaction.
    ///
    /// Publishing the same documents again has no effect. Publications wait for each other, so a plan is
    /// never outdated when it is stored.
    ///
    /// - Parameters:
    ///   - publication: The documents.
    ///   - isDryRun: Whether the changes are only computed.
    ///   - context: The operator's request.
    /// - Returns: The changes.
    /// - Throws: ``PublicationError`` if a version would have taken effect in the past, ``ServerError`` with
    ///   status 409 if the publication contradicts what is published, or ``DatabaseError``.
    func publish(
        _ publication: Publication,
        isDryRun: Bool,
        in context: RequestContext
    ) async throws -> Report {
        let clients = try await listedDocuments()
        let now = context.now
        return try await database.transaction { [catalog, audit] transaction in
            if !isDryRun { try TermsRepository.lock(in: transaction) }
            let facts = try Self.facts(
                about: publication,
                clients: clients,
                at: now,
                in: transaction
            )
            let plan = PublicationPlan(publication, facts: facts)
            guard plan.conflicts.isEmpty else { throw ServerError.termsImmutable(plan.conflicts) }
            guard plan.mistakes.isEmpty else { throw PublicationError(problems: plan.mistakes) }
            let report = Report(
                plan: plan,
                accounts: try Self.counts(of: plan, facts: facts, in: transaction)
            )
            guard !isDryRun, !plan.changes.isEmpty else { return report }
            for change in plan.changes {
                try Self.store(change, in: context, transaction: transaction)
                for (action, subject) in change.actions {
                    let event = audit.event(
                        action,
                        of: .nilUUID,
                        by: .operator,
                        in: context,
                        about: subject,
                        at: now
                    )
                    try AuditLog.append(event, in: transaction)
                }
            }
            if plan.changes.contains(where: \.isVersion) { try transaction.publish(.dutyRules) }
            catalog.forget(after: transaction)
            return report
        }
    }

    /// Returns the documents that each client lists.
    private func listedDocuments() async throws -> [String: [String]] {
        var listed: [String: [String]] = [:]
        var last = ""
        while true {
            let clients = try await ClientRepository.clients(
                ClientRepository.Filter(),
                after: last,
                limit: Self.batch,
                in: database
            )
            for client in clients { listed[client.id] = client.metadata.own.terms }
            guard clients.count == Self.batch, let next = clients.last?.id else { return listed }
            last = next
        }
    }

    private static func facts(
        about publication: Publication,
        clients: [String: [String]],
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> PublicationPlan.Facts {
        var facts = PublicationPlan.Facts(clients: clients, now: now)
        facts.published = try TermsRepository.all(in: transaction)
        for document in publication.documents {
            let published = facts.published.first { $0.key == document.key }
            guard let newest = published?.versions.last,
                document.versions.contains(where: { $0.number > newest.number && $0.asks == .nothing })
            else { continue }
            for text in newest.texts {
                let stored = try TermsRepository.text(
                    of: document.key,
                    version: newest.number,
                    language: text.language,
                    in: transaction
                )
                facts.texts[document.key, default: [:]][text.language] = stored?.bytes
            }
        }
        return facts
    }

    /// Returns for each change how many accounts it asks, or `nil` if it asks none.
    private static func counts(
        of plan: PublicationPlan,
        facts: PublicationPlan.Facts,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [Int?] {
        var owners = Dictionary(uniqueKeysWithValues: facts.published.map { ($0.key, $0.clientID) })
        var counts: [String?: Int] = [:]
        var result: [Int?] = []
        for change in plan.changes {
            if case .documentAdded(let document) = change { owners[document.key] = document.clientID }
            guard case .versionAdded(let key, let version, _) = change, version.asks != .nothing else {
                result.append(nil)
                continue
            }
            let client = owners[key] ?? nil
            if counts[client] == nil {
                counts[client] = try AccountCounts.accounts(of: client, at: facts.now, in: transaction)
            }
            result.append(counts[client])
        }
        return result
    }

    private static func store(
        _ change: PublicationPlan.Change,
        in context: RequestContext,
        transaction: borrowing Transaction
    ) throws(DatabaseError) {
        switch change {
        case .documentAdded(let document):
            let stored = TermsDocument(
                key: document.key,
                kind: document.kind,
                clientID: document.clientID,
                titles: document.titles,
                defaultLanguage: document.defaultLanguage,
                createdAt: context.now
            )
            try TermsRepository.insert(stored, in: transaction)
        case .titlesChanged(let key, let titles):
            try TermsRepository.update(titles: titles, of: key, in: transaction)
        case .versionAdded(let key, let version, let effectiveAt):
            let stored = TermsVersion(
                number: version.number,
                asks: version.asks,
                effectiveAt: effectiveAt,
                publishedAt: context.now
            )
            try TermsRepository.insert(stored, of: key, request: context.id, in: transaction)
            for text in version.texts {
                try store(text, of: key, version: version.number, in: context, transaction: transaction)
            }
        case .textAdded(let key, let version, let text):
            try store(text, of: key, version: version, in: context, transaction: transaction)
        }
    }

    private static func store(
        _ text: Publication.Text,
        of key: String,
        version: Int,
        in context: RequestContext,
        transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try TermsRepository.insert(
            TermsRepository.Text(bytes: text.bytes, hash: text.hash, summary: text.summary),
            language: text.language,
            of: key,
            version: version,
            at: context.now,
            in: transaction
        )
    }
}

extension PublicationPlan.Change {
    /// Whether the change adds a version, for which accounts may be asked.
    fileprivate var isVersion: Bool {
        if case .versionAdded = self { true } else { false }
    }

    /// The actions for the audit log, and their subjects.
    fileprivate var actions: [(AuditAction, String)] {
        switch self {
        case .documentAdded: []
        case .titlesChanged(let key, _): [(.termsTitlesChanged, key)]
        case .versionAdded(let key, let version, _): [(.termsPublished, "\(key) \(version.number)")]
        case .textAdded(let key, let version, let text):
            [(.termsTextAdded, "\(key) \(version) \(text.language)")]
        }
    }
}

extension PublicationError: ServerErrorConvertible {
    /// A 400 error that lists the mistakes.
    package var serverError: ServerError { .malformed(problems.sentence) }
}

extension ServerError {
    /// A 409 error for a publication that contradicts what is published.
    fileprivate static func termsImmutable(_ conflicts: [PublicationProblem]) -> ServerError {
        ServerError(409, id: .termsImmutable, reason: conflicts.sentence)
    }
}

extension [PublicationProblem] {
    /// The first problems, and the number of the others.
    fileprivate var sentence: String {
        let most = 50
        let others = count > most ? "; and \(count - most) more" : ""
        return prefix(most).map(\.description).joined(separator: "; ") + others
    }
}
