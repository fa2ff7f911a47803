import LatchkeyModel

@testable import LatchkeyAccounts

/// A source whose duties the test sets, and that remembers the questions.
final class ScriptedDuties: DutySource {
    let duties: Locked<[AccountDuty]>
    let questions = Locked<[DutyQuestion]>([])

    init(_ duties: [AccountDuty] = []) { self.duties = Locked(duties) }

    func duties(for question: DutyQuestion) -> [AccountDuty] {
        questions.withLock { $0.append(question) }
        return duties.withLock { $0 }
    }
}
