/// The games and coins on this device.
@MainActor
final class ArcadeLibrary {
    private(set) var coins = 0
    private(set) var games: Set<String> = []

    /// The transactions whose products were delivered.
    ///
    /// We remember these transactions so that no product is delivered twice.
    private var delivered: Set<String> = []

    /// Delivers the product of a transaction.
    ///
    /// Restoring a game that was already delivered has no effect.
    ///
    /// A real app would store the result before it finishes the transaction.
    func deliver(_ product: String, quantity: Int, transaction: String) {
        guard delivered.insert(transaction).inserted else { return }
        if product.hasPrefix("coins.") {
            coins += quantity * (Int(product.dropFirst("coins.".count)) ?? 0)
        } else {
            games.insert(product)
        }
    }

    /// Removes all games and coins after the user has logged out.
    func clear() {
        (coins, games, delivered) = (0, [], [])
    }
}
