import Latchkey

/// The payment methods of the account, which exist only on the server.
extension Purchases {
    /// Returns the payment methods of the account.
    ///
    /// - Returns: The payment methods; one of them is the default, unless the list is empty.
    /// - Throws: ``PurchaseError``, such as ``PurchaseError/Code/loginRequired``.
    @concurrent public func paymentMethods() async throws(PurchaseError) -> [PaymentMethod] {
        try await perform(because: .action("payment-methods")) { [api] access in
            try await api.paymentMethods(access)
        }
    }

    /// Adds a sandbox card.
    ///
    /// The server accepts only its test numbers, and stores only the last four digits.
    ///
    /// - Parameters:
    ///   - number: The number; spaces and dashes are removed.
    ///   - isDefault: Whether the card becomes the default payment method; the first one always does.
    /// - Returns: The payment method.
    /// - Throws: ``PurchaseError``, such as ``PurchaseError/Code/cardNotAccepted``.
    @discardableResult
    @concurrent public func addSandboxCard(
        number: String,
        isDefault: Bool = false
    ) async throws(PurchaseError) -> PaymentMethod {
        let digits = number.filter { $0 != " " && $0 != "-" }
        return try await perform(because: .action("payment-methods")) { [api] access in
            try await api.addCard(number: digits, isDefault: isDefault, access)
        }
    }

    /// Makes a payment method the default one.
    ///
    /// - Parameter id: The identifier of the payment method.
    /// - Throws: ``PurchaseError``, such as ``PurchaseError/Code/notFound``.
    @concurrent public func makeDefault(_ id: PaymentMethod.ID) async throws(PurchaseError) {
        _ = try await perform(because: .action("payment-methods")) { [api] access in
            try await api.makeDefault(id, access)
        }
    }

    /// Removes a payment method; removing it again has no effect.
    ///
    /// - Parameter id: The identifier of the payment method.
    /// - Throws: ``PurchaseError``.
    @concurrent public func removePaymentMethod(_ id: PaymentMethod.ID) async throws(PurchaseError) {
        try await perform(because: .action("payment-methods")) { [api] access in
            try await api.removePaymentMethod(id, access)
        }
    }
}
