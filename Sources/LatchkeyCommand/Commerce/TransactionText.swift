import LatchkeyModel
import LatchkeyWire

/// Formats purchase transactions as text.
enum TransactionText {
    /// Formats a transaction as a single line with its ID, state, time, quantity, product, price and account.
    ///
    /// If a new owner has reclaimed the account since the purchase, the line ends with "detached".
    static func line(_ transaction: JSONValue) -> [String] {
        let quantity = transaction["quantity"]?.integer ?? 1
        let texts: [String?] = [
            transaction["id"]?.text, transaction["state"]?.text, transaction["created_at"]?.text,
            "\(quantity) × \(transaction["product_id"]?.text ?? "")", price(transaction["price"]),
            transaction["identity_id"]?.text, transaction["detached_at"].map { _ in "detached" },
        ]
        return [texts.compactMap { $0 }.joined(separator: "  ")]
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
    /// The integer value, or `nil` if this isn't an integer.
    fileprivate var integer: Int64? {
        if case .integer(let number) = self { number } else { nil }
    }
}
