package import LatchkeyAccounts
package import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// The payment methods and purchases of accounts.
package struct CommerceData: AccountDataPart {
    /// The maximum number of purchases that are read at a time for an export.
    private static let batch = 250

    /// Creates the part.
    package init() {}

    /// Deletes the payment methods, and hides the purchases of the previous user from the new owner of the account.
    ///
    /// The new owner did not pay for these purchases, so they also grant no entitlements. Deferred purchases are
    /// cancelled. A purchase that is being charged gets the result that the payment provider already has, and is
    /// cancelled if it has none.
    package func reclaim(
        _ identity: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try PaymentMethodRepository.deleteAll(of: identity, in: transaction)
        try PurchaseRepository.cancelDeferred(paidWith: nil, of: identity, at: now, in: transaction)
        try PurchaseRepository.detachAll(of: identity, at: now, in: transaction)
    }

    /// Deletes the payment methods and purchases of an account.
    ///
    /// The payments in the ledger of the sandbox remain; they do not refer to the account.
    package func erase(
        _ identity: Identifier,
        addresses: Set<ContactAddress>,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try PaymentMethodRepository.deleteAll(of: identity, in: transaction)
        try PurchaseRepository.deleteAll(of: identity, in: transaction)
    }

    /// Returns the payment methods, without their tokens, and the purchases of an account.
    ///
    /// An account without either has no lists, as on a server without purchases.
    package func records(of identity: Identifier, in database: any Database) async throws -> [AccountRecords]
    {
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
