import Latchkey
import LatchkeyModel

/// The account's payment methods, which are only stored on the server.
extension Purchases {
    /// Returns the account's payment methods.
    ///
    /// - Returns: The payment methods. Unless the list is empty, one of the payment methods is the default.
    /// - Throws: ``PurchaseError``, such as ``PurchaseError/Code/loginRequired``.
    @concurrent public func paymentMethods() async throws(PurchaseError) -> [PaymentMethod] {
        try await perform(because: .action("payment-methods")) { [api] access in
            try await api.paymentMethods(as: access)
        }
    }

    /// Adds a sandbox card.
    ///
    /// The server only accepts its own test numbers, and it only stores the last four digits.
    ///
    /// - Parameters:
    ///   - number: The card number. Separators are ignored, and the digits can be those of any script.
    ///   - isDefault: Whether the card becomes the default payment method. The first card always becomes the
    ///     default.
    /// - Returns: The new payment method.
    /// - Throws: ``PurchaseError``, such as ``PurchaseError/Code/cardNotAccepted``.
    @discardableResult
    @concurrent public func addSandboxCard(
        number: String,
        isDefault: Bool = false
    ) async throws(PurchaseError) -> PaymentMethod {
        let digits = TypedText.digits(of: number) ?? number
        return try await perform(because: .action("payment-methods")) { [api] access in
            try await api.addCard(number: digits, isDefault: isDefault, as: access)
        }
    }

    /// Makes a payment method the account's default.
    ///
    /// - Parameter id: The payment method's identifier.
    /// - Throws: ``PurchaseError``, such as ``PurchaseError/Code/notFound``.
    @concurrent public func makeDefault(_ id: PaymentMethod.ID) async throws(PurchaseError) {
        _ = try await perform(because: .action("payment-methods")) { [api] access in
            try await api.makeDefault(id, as: access)
        }
    }

    /// Removes a payment method.
    ///
    /// Removing a payment method that no longer exists has no effect.
    ///
    /// - Parameter id: The payment method's identifier.
    /// - Throws: ``PurchaseError``.
    @concurrent public func removePaymentMethod(_ id: PaymentMethod.ID) async throws(PurchaseError) {
        try await perform(because: .action("payment-methods")) { [api] access in
            try await api.removePaymentMethod(id, as: access)
        }
    }
}
