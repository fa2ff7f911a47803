package import LatchkeyAccounts
package import LatchkeyModel
package import LatchkeyServerKit

/// Stores answers of users to documents as evidence, and updates the account's summary of them.
package struct AnswerRecorder: Sendable {
    private let audit: AuditLog
    private let random: any RandomSource

    package init(audit: AuditLog, random: any RandomSource) {
        (self.audit, self.random) = (audit, random)
    }

    /// Stores answers, and ends the session if one of them is a refusal.
    ///
    /// An answer that only repeats the latest one isn't stored again. The caller must hold the rows of the identity
    /// and the session; see ``Session/hold(at:in:)``.
    ///
    /// - Parameters:
    ///   - answers: The answers, each with the document that contains its version.
    ///   - session: The session in which the user has answered.
    ///   - context: The request.
    ///   - transaction: The database transaction in which the user answers.
    /// - Returns: The stored answers, in the order of the given ones.
    /// - Throws: ``DatabaseError``.
    package func record(
        _ answers: [FlowAnswer],
        in session: Session,
        for context: RequestContext,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [TermsEvidence] {
        let recorded = try record(
            answers,
            of: session.identityID,
            in: session.id,
            at: session.clientID,
            for: context,
            in: transaction
        )
        if answers.contains(where: { $0.answer.kind == .refusal }) {
            try end(session, for: context, in: transaction)
        }
        return recorded
    }

    /// Stores answers of an account, which may have no session yet.
    ///
    /// The caller must hold the row of the identity.
    func record(
        _ answers: [FlowAnswer],
        of identity: Identifier,
        in session: Identifier?,
        at clientID: String?,
        for context: RequestContext,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [TermsEvidence] {
        guard !answers.isEmpty,
            var agreements = try AgreementRepository.find(of: identity, in: transaction)
        else { return [] }
        let before = agreements
        var evidence = try TermsEvidenceRepository.all(of: identity, in: transaction)
        var number = try TermsEvidenceRepository.nextNumber(of: identity, in: transaction)
        var recorded: [TermsEvidence] = []
        // Another node may have just published a version, which decides what the answers mean.
        let documents = try TermsRepository.all(in: transaction)
        for answer in answers {
            let document = documents.first { $0.key == answer.document.key } ?? answer.document
            if let earlier = document.repeated(answer.answer, in: evidence) {
                recorded.append(earlier)
                agreements.update(document, from: evidence)
                continue
            }
            let row = TermsEvidence(
                id: Identifier(random: random),
                identityID: identity,
                number: number,
                answer: answer.answer,
                sessionID: session,
                clientID: clientID,
                answeredAt: context.now
            )
            try TermsEvidenceRepository.insert(row, in: transaction)
            number += 1
            evidence.append(row)
            recorded.append(row)
            agreements.update(document, from: evidence)
        }
        if agreements != before {
            try AgreementRepository.save(agreements, of: identity, in: transaction)
            try transaction.publish(.identity(identity))
        }
        return recorded
    }

    private func end(
        _ session: Session,
        for context: RequestContext,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        guard try SessionRepository.revokeActive(session.id, at: context.now, in: transaction) else { return }
        let event = audit.event(
            .sessionRevoked,
            of: session.identityID,
            in: context,
            about: session.id.description,
            at: context.now
        )
        try AuditLog.append(event, in: transaction)
    }
}
