/// The values that a message about a payment contains.
package struct MessageDetails: Hashable, Sendable {
    /// The subject of the message, such as the title of a product or the last digits of a card.
    package let item: String
    /// The amount of money, such as `4.99 EUR`, or an empty string if there is none.
    package let amount: String
    /// The reference of the transaction, or an empty string if there is none.
    package let reference: String

    /// Creates values.
    package init(item: String, amount: String = "", reference: String = "") {
        (self.item, self.amount, self.reference) = (item, amount, reference)
    }
}
