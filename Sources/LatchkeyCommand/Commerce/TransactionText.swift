import LatchkeyModel
import LatchkeyWire

/// The text format of purchase transactions.
enum TransactionText {
    /// Returns the id, the state, the time, the product, the quantity, the price and the account on one line.
    ///
    /// A transaction of an earlier owner of the account is marked as detached.
    static func line(_ transaction: JSONValue) -> String {
        let quantity = transaction["quantity"]?.integer ?? 1
        let texts: [String?] = [
            transaction["id"]?.text, transaction["state"]?.text, transaction["created_at"]?.text,
            "\(quantity) × \(transaction["product_id"]?.text ?? "")", price(transaction["price"]),
            transaction["identity_id"]?.text, transaction["detached_at"].map { _ in "detached" },
        ]
        return texts.compactMap { $0 }.joined(separator: "  ")
    }

    private static func price(_ value: JSONValue?) -> String? {
        guard
            let amount = value?["amount"]?.integer,
            let currency = value?["currency"]?.text.flatMap({ Currency($0) })
        else { return nil }
        return Money(amount, currency)?.description
    }
}

extension JSONValue {
    /// The value of an integer; `nil` for other values.
    fileprivate var integer: Int64? {
        if case .integer(let number) = self { number } else { nil }
    }
}
