import LatchkeyCourier
import LatchkeyModel

extension Bench {
    /// Counts how many guesses attackers can make in a month under the default limits, and how many messages
    /// they cause.
    func guessing() throws {
        let scale = GuessingMonth.Scale()
        let month = GuessingMonth(scale)
        Report.line(
            "\n\(scale.accounts) accounts, \(scale.networks) unknown networks, \(scale.days) days:"
        )
        Report.line("\n| Guesses at | evaluated | at one account, per day | text messages | mails |")
        Report.line("|---|---|---|---|---|")
        let attacks: [(String, () throws -> GuessingMonth.Tally)] = [
            ("passwords", month.passwords),
            ("codes by mail", { try month.codes(by: .email) }),
            ("codes by text message", { try month.codes(by: .sms) }),
        ]
        for (name, attack) in attacks {
            let tally = try attack()
            let judged = tally.judged.reduce(0, +)
            Report.line(
                "| \(name) | \(judged) | \(tally.mostInADay) | \(tally.textMessages) | \(tally.mails) |"
            )
        }
    }
}
