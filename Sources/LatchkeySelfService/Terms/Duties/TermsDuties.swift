package import LatchkeyAccounts
package import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// Asks users for answers to the documents that apply to them.
///
/// The account's row contains the versions that it has answered, so no table is read for it.
package struct TermsDuties: DutySource {
    private let catalog: TermsCatalog
    private let blocking: Set<String>

    /// Creates a source, with the keys of the documents that block users without a client.
    package init(catalog: TermsCatalog, blocking: [String]) {
        self.catalog = catalog
        self.blocking = Set(blocking)
    }

    package var needsRefresh: Bool { catalog.needsRefresh }

    package func refresh() async throws(DatabaseError) {
        // A publication that was committed during the read makes its result outdated.
        for _ in 1...2 where catalog.needsRefresh { try await catalog.refresh() }
    }

    package func duties(for question: DutyQuestion) -> [AccountDuty] {
        let documents = catalog.cached
        guard !documents.isEmpty else { return [] }
        let agreements = Agreements(column: question.account.agreements)
        let client = question.client
        let blocking = client.map { Set($0.metadata.own.blocking) } ?? blocking
        return documents.filter { document in
            document.applies(to: client) && document.isOpen(for: agreements, at: question.now)
        }.map { document in
            AccountDuty(
                .acceptTerms,
                fields: ["terms." + document.key],
                isBlocking: blocking.contains(document.key)
            )
        }
    }
}

extension TermsDocument {
    /// Returns whether an account with the given answers still has to answer the document.
    package func isOpen(for agreements: Agreements, at now: Timestamp) -> Bool {
        guard let required = required(at: now) else { return false }
        return (agreements.version(of: key) ?? 0) < required.number
    }
}
