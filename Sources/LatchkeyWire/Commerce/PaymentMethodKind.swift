/// The kind of a payment method.
package enum PaymentMethodKind: String, Sendable, Codable, CaseIterable {
    /// A card of the sandbox, which moves no money.
    case sandboxCard = "sandbox_card"
}
