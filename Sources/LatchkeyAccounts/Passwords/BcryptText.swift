/// Checks the text form of a bcrypt hash, `$2b$12$…`.
///
/// The variants 2a, 2b and 2y are supported.
package enum BcryptText {
    private static let alphabet = Set("./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
    /// The accepted bcrypt costs.
    ///
    /// Each increment doubles the computation time.
    private static let costs = 4...14

    /// The maximum number of password bytes that bcrypt uses.
    ///
    /// Longer passwords must not match any hash.
    package static let longestPassword = 72

    /// Returns the text unchanged if it is well-formed and its cost is within the limits.
    ///
    /// The cost must have two digits and be at least 04.
    ///
    /// - Throws: ``StoredHash/Refusal`` if the text is malformed or its cost is too high.
    static func checked(_ text: String) throws(StoredHash.Refusal) -> String {
        let pieces = try PHCText.pieces(of: text, count: 3)
        guard pieces[1].utf8.count == 2, let cost = Int(pieces[1]),
            pieces[1] == (cost < 10 ? "0" : "") + String(cost)
        else { throw PHCText.broken }
        try PHCText.check(cost <= costs.upperBound, bounds: "a cost up to \(costs.upperBound)")
        guard
            costs.contains(cost), pieces[2].utf8.count == 53, pieces[2].utf8.allSatisfy(alphabet.contains)
        else { throw PHCText.broken }
        return text
    }
}
