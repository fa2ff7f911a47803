package import LatchkeyAccounts
package import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// The payment methods and purchases that are stored for accounts.
package struct CommerceData: AccountDataPart {
    /// The number of purchases that are read at once for an export.
    private static let batch = 250

    /// Creates an instance.
    package init() {}

    /// Deletes the account's payment methods and hides the previous user's purchases from the new owner.
    ///
    /// The new owner didn't pay for the hidden purchases and therefore doesn't get any entitlements. Deferred
    /// purchases are cancelled. Purchases that are being charged are cancelled as well, except for those for
    /// which the payment provider already has a result.
    package func reclaim(
        _ identity: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try PaymentMethodRepository.deleteAll(of: identity, in: transaction)
        try PurchaseRepository.cancelDeferred(paidWith: nil, of: identity, at: now, in: transaction)
        try PurchaseRepository.detachAll(of: identity, at: now, in: transaction)
    }

    /// Deletes the account's payment methods and purchases.
    ///
    /// Payments without a result stay open at the payment provider. Their references and amounts are stored, so
    /// that ``PurchaseRecovery`` can cancel them.
    ///
    /// Payments in the sandbox ledger are kept, because they don't refer to the account.
    package func erase(
        _ identity: Identifier,
        addresses: Set<ContactAddress>,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try PaymentMethodRepository.deleteAll(of: identity, in: transaction)
        try ErasedPayment.storeAll(of: identity, at: now, in: transaction)
        try PurchaseRepository.deleteAll(of: identity, in: transaction)
    }

    /// Returns the account's purchases and payment methods.
    ///
    /// A takeover detaches the earlier user's purchases and deletes the payment methods, so all rows belong to
    /// the present user. The tokens of the payment methods are not included. If the account has neither purchases nor payment
    /// methods, the result is empty.
    package func records(
        of identity: Identifier,
        since start: Timestamp,
        in database: any Database
    ) async throws -> [AccountRecords] {
        let methods = try await PaymentMethodRepository.all(of: identity, in: database)
        var purchases: [Purchase] = []
        while true {
            let page = try await PurchaseRepository.page(
                of: identity,
                onlyUnfinished: false,
                after: purchases.last.map { PurchasePosition($0) },
                limit: Self.batch,
                in: database
            )
            purchases += page
            if page.count < Self.batch { break }
        }
        guard !methods.isEmpty || !purchases.isEmpty else { return [] }
        return [
            AccountRecords(name: "payment_methods", rows: try methods.map { try Self.row($0.body) }),
            AccountRecords(name: "transactions", rows: try purchases.map { try Self.row($0.body) }),
        ]
    }

    private static func row(_ body: some Encodable) throws -> JSONValue {
        try JSONCoding.decode(from: JSONCoding.encode(body))
    }
}
