import Latchkey

/// The product catalog, which is available with and without a login.
extension Purchases {
    /// Returns the storefront of the user's account, or one that is guessed from the user's languages.
    ///
    /// - Returns: The current storefront.
    /// - Throws: ``PurchaseError``. This function never presents a login.
    @concurrent public func storefront() async throws(PurchaseError) -> Storefront {
        try await performAnonymously { [api] access throws(LatchkeyError) in
            try await api.storefront(as: access)
        }
    }

    /// Returns products and their prices in the current storefront.
    ///
    /// Without a session, the storefront is guessed. Request the products again after the user logs in.
    ///
    /// - Parameter ids: The identifiers of at most 100 products. An empty list requests all products.
    /// - Returns: The products and the storefront that their prices apply to.
    /// - Throws: ``PurchaseError``. This function never presents a login.
    @concurrent public func products(_ ids: [String] = []) async throws(PurchaseError) -> ProductList {
        try await performAnonymously { [api] access throws(LatchkeyError) in
            try await api.products(ids, as: access)
        }
    }

    /// Sends a request as the logged-in user, or without credentials if no user is logged in.
    private func performAnonymously<Value: Sendable>(
        _ request: @Sendable (SessionAccess?) async throws(LatchkeyError) -> Value
    ) async throws(PurchaseError) -> Value {
        _ = await client.restored()
        if client.sessionState.session != nil {
            do {
                return try await client.withSession(.never) { try await request($0) }
            } catch {
                guard let error = error as? LatchkeyError, error.leavesNoSession else {
                    throw PurchaseError(error)
                }
            }
        }
        do throws(LatchkeyError) {
            return try await request(nil)
        } catch {
            throw PurchaseError(error)
        }
    }
}

extension LatchkeyError {
    /// Whether an action failed because there was no session or because the session ended.
    fileprivate var leavesNoSession: Bool { concernsSession || code == .dutyRequired || code == .superseded }
}
