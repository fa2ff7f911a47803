import LatchkeyModel

/// The cards of the sandbox, with the test numbers that payment providers commonly use.
///
/// The raw values are the behaviours in tokens; they must not change, because tokens are stored.
package enum SandboxCard: String, Sendable, CaseIterable {
    /// Every payment succeeds.
    case success
    /// Every payment is declined.
    case decline
    /// Every payment has to be confirmed.
    case confirmation
    /// Every payment is without a result for a while.
    case timeout

    /// The only number that stands for the card.
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

    /// Recognizes a number, which may contain spaces and hyphens; `nil` for all other numbers.
    init?(number: Secret) {
        guard number.exposed.utf8.count <= 64 else { return nil }
        let digits = number.exposed.filter { $0 != " " && $0 != "-" }
        guard let card = Self.allCases.first(where: { $0.number == digits }) else { return nil }
        self = card
    }

    /// Reads the behaviour from a token; `nil` if the sandbox has not created it.
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
