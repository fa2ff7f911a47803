import LatchkeyModel
import LatchkeyServerKit

@testable import LatchkeyAccounts

/// A source whose duties the test sets, and that remembers the questions.
final class ScriptedDuties: DutySource {
    let duties: Locked<[AccountDuty]>
    let questions = Locked<[DutyQuestion]>([])
    let failure = Locked<DatabaseError?>(nil)

    init(_ duties: [AccountDuty] = []) { self.duties = Locked(duties) }

    let needsRefresh = true

    func refresh() throws(DatabaseError) {
        if let error = failure.withLock({ $0 }) { throw error }
    }

    func duties(for question: DutyQuestion) -> [AccountDuty] {
        questions.withLock { $0.append(question) }
        return duties.withLock { $0 }
    }
}
