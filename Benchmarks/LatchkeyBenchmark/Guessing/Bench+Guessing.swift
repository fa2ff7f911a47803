import LatchkeyCourier

extension Bench {
    /// The guesses that the default limits let attackers make in a month, and the messages that this costs.
    func guessing() throws {
        let scale = GuessingMonth.Scale()
        let month = GuessingMonth(scale)
        Report.line(
            "\n\(scale.accounts) accounts, \(scale.networks) networks that no account knows, \(scale.days) days:"
        )
        Report.line("\n| Guesses at | judged | an account, most in a day | text messages | mails |")
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
