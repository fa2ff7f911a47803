/// Determines how often a product can be bought.
package enum ProductKind: String, Sendable, Codable, CaseIterable {
    /// A product that can be used up and bought any number of times.
    case consumable
    /// A product that can be bought once. The account owns it from then on.
    case nonConsumable = "non_consumable"
}
