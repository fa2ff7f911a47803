/// The text of a bcrypt hash, `$2b$12$…`, of the variants 2a, 2b and 2y.
package enum BcryptText {
    private static let alphabet = Set("./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
    private static let costs = 4...15

    /// How many bytes of a password bcrypt looks at; a longer one must match no hash.
    package static let longestPassword = 72

    /// The text, when it is whole and asks for no more than can be given.
    static func checked(_ text: String) throws(StoredHash.Refusal) -> String {
        let pieces = try PHCText.pieces(text, 3)
        guard pieces[1].utf8.count == 2, let cost = Int(pieces[1]),
            pieces[1] == (cost < 10 ? "0" : "") + String(cost)
        else { throw PHCText.broken }
        try PHCText.check(cost <= costs.upperBound, "a cost up to \(costs.upperBound)")
        guard
            costs.contains(cost), pieces[2].utf8.count == 53, pieces[2].utf8.allSatisfy(alphabet.contains)
        else { throw PHCText.broken }
        return text
    }
}
