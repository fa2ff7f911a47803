import LatchkeyServerKit
import LatchkeyWire

/// Asks for the fields that an account lost through the rules of address ownership.
struct WaivedFieldDuties: DutySource {
    func duties(for question: DutyQuestion) -> [AccountDuty] {
        guard question.account.waived != nil else { return [] }
        return [AccountDuty(.completeProfile, fields: Array(question.account.waivedFields))]
    }
}
