import LatchkeyModel

/// The sandbox's cards.
///
/// The sandbox uses card numbers that payment providers commonly use for testing. The raw values are part of
/// stored tokens, so they must not change.
package enum SandboxCard: String, Sendable, CaseIterable {
    /// Every payment succeeds.
    case success
    /// Every payment is declined.
    case decline
    /// Every payment needs to be confirmed.
    case confirmation
    /// Every payment remains pending for a while.
    case timeout

    /// The card's number.
    package var number: String {
        switch self {
        case .success: "4242424242424242"
        case .decline: "4000000000000002"
        case .confirmation: "4000000000003220"
        case .timeout: "4000000000000341"
        }
    }

    /// The last four digits of the number.
    package var lastFour: String { String(number.suffix(4)) }

    /// Creates a card from its number.
    ///
    /// The number may contain separators, and the digits of any script. Returns `nil` if the number isn't one
    /// of the sandbox's test numbers.
    init?(number: Secret) {
        guard
            let digits = TypedText.digits(of: number.exposed),
            let card = Self.allCases.first(where: { $0.number == digits })
        else { return nil }
        self = card
    }

    /// Creates a card from a token.
    ///
    /// Returns `nil` if the token wasn't created by the sandbox.
    init?(token: Secret) {
        let parts = token.exposed.split(separator: "_")
        guard parts.count == 3, parts[0] == "sandbox" else { return nil }
        self.init(rawValue: String(parts[1]))
    }

    /// Creates a random token for the card.
    func token(random: some RandomSource) -> Secret {
        Secret("sandbox_\(rawValue)_\(Identifier(random: random))")
    }
}
