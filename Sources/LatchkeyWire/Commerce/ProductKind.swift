/// The kind of a product, which decides how often it can be bought.
package enum ProductKind: String, Sendable, Codable, CaseIterable {
    /// A product that is used up, and can be bought any number of times.
    case consumable
    /// A product that is bought once and that the account owns from then on.
    case nonConsumable = "non_consumable"
}
