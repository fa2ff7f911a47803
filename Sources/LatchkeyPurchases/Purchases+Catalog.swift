import Latchkey

/// The products of the server, for users with and without an account.
extension Purchases {
    /// Returns the storefront: that of the user's account, or a guess from the user's languages.
    ///
    /// - Returns: The storefront.
    /// - Throws: ``PurchaseError``; never presents a login.
    @concurrent public func storefront() async throws(PurchaseError) -> Storefront {
        try await performAnonymously { [api] access throws(LatchkeyError) in
            try await api.storefront(access)
        }
    }

    /// Returns products with the prices of the current storefront.
    ///
    /// Without a session, the storefront is a guess. Request the products again after a login.
    ///
    /// - Parameter ids: The identifiers of at most 100 products; an empty list requests all products.
    /// - Returns: The products and their storefront.
    /// - Throws: ``PurchaseError``; never presents a login.
    @concurrent public func products(_ ids: [String] = []) async throws(PurchaseError) -> ProductList {
        try await performAnonymously { [api] access throws(LatchkeyError) in
            try await api.products(ids, access)
        }
    }

    /// Sends a request as the user who is logged in, or without credentials.
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
    /// Whether an action received no session, or its session ended.
    fileprivate var leavesNoSession: Bool { concernsSession || code == .dutyOpen || code == .superseded }
}
