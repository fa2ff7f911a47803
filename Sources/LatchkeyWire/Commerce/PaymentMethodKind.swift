/// The supported kinds of payment methods.
package enum PaymentMethodKind: String, Sendable, Codable, CaseIterable {
    /// A test card, which doesn't move any money.
    case sandboxCard = "sandbox_card"
}
