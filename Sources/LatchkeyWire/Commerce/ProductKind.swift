/// Determines how often a product can be bought.
package enum ProductKind: String, Sendable, Codable, CaseIterable {
    /// A product that can be used up and bought any number of times.
    case consumable
    /// A product that can be bought only once and is then owned by the account.
    case nonConsumable = "non_consumable"
}
