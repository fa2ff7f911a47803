import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeySelfService
import Testing

@Suite struct `Issued code states` {
    private static let now = Timestamp(seconds: 1000)

    struct Case: Sendable {
        var attempts = 0
        var secondsLeft = 600
        var isUsed = false
        let state: IssuedCode.State
    }

    @Test(arguments: [
        Case(state: .open),
        Case(attempts: 4, state: .open),
        Case(attempts: 5, state: .exhausted),
        Case(attempts: 6, state: .exhausted),
        Case(secondsLeft: 1, state: .open),
        Case(secondsLeft: 0, state: .expired),
        Case(attempts: 5, secondsLeft: 0, state: .expired),
        Case(isUsed: true, state: .used),
        Case(attempts: 5, secondsLeft: -1, isUsed: true, state: .used),
    ])
    func `A code stays valid until it is used, expires or has been guessed too often`(example: Case) {
        let code = IssuedCode(
            address: ContactAddress(via: .sms, value: "+439999999999"),
            sealed: [],
            attempts: example.attempts,
            expiresAt: Self.now + .seconds(example.secondsLeft),
            usedAt: example.isUsed ? Self.now : nil
        )
        #expect(code.state(at: Self.now, attemptLimit: 5) == example.state)
    }
}
