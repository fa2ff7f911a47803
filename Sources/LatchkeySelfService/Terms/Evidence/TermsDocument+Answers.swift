import LatchkeyAccounts

extension TermsDocument {
    /// Returns the version whose question an answer to another version answers.
    ///
    /// Users who read an editorial version answer the question of the version before it.
    ///
    /// - Parameter number: The version that the user has read.
    /// - Returns: The newest version up to it that asks for an answer, or `nil` if there is none.
    package func question(of number: Int) -> TermsVersion? {
        versions.last { $0.number <= number && $0.asks != .nothing }
    }

    /// Returns the newest version that the user has accepted or acknowledged, or `nil` if there is none.
    ///
    /// For each question, the latest answer counts, so that a refusal undoes an acceptance. The evidence must be in the
    /// order in which the user has answered.
    package func answered(by evidence: [TermsEvidence]) -> Int? {
        var latest: [Int: TermsEvidence] = [:]
        for row in evidence where row.answer.document == key {
            guard let question = question(of: row.answer.version) else { continue }
            latest[question.number] = row
        }
        return latest.values.filter { $0.answer.kind != .refusal }.map(\.answer.version).max()
    }

    /// Returns the stored answer that an answer would only repeat, or `nil` if it is a new one.
    ///
    /// An answer to the same version is repeated until the user gives the other answer to the question.
    func repeated(_ answer: TermsAnswer, in evidence: [TermsEvidence]) -> TermsEvidence? {
        let question = question(of: answer.version)?.number
        let rows = evidence.filter { row in
            row.answer.document == key && self.question(of: row.answer.version)?.number == question
        }
        let last = rows.lastIndex { $0.answer.kind != answer.kind }.map { $0 + 1 } ?? 0
        return rows[last...].first { $0.answer.version == answer.version }
    }
}

extension Agreements {
    /// Replaces the version of a document by the one that follows from the account's answers.
    mutating func update(_ document: TermsDocument, from evidence: [TermsEvidence]) {
        forget(document.key)
        if let version = document.answered(by: evidence) { answer(document.key, version: version) }
    }
}
