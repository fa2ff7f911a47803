package import LatchkeyModel

/// The rules that an identity schema imposes on new passwords.
package struct PasswordPolicy: Sendable {
    /// The minimum edit distance to every identifier.
    ///
    /// The value is the same as in Kratos.
    private static let leastDistance = 5

    private let minimumLength: Int
    private let maximumLength: Int
    private let refusesCommon: Bool
    private let refusesSimilar: Bool

    /// Creates the rules from a schema's policy and the server's maximum password length.
    package init(_ policy: SchemaPolicy, maximumLength: Int) {
        minimumLength = policy.minimumPasswordLength
        self.maximumLength = maximumLength
        refusesCommon = policy.refusesCommonPassword
        refusesSimilar = policy.refusesSimilarPassword
    }

    /// Returns the reason to reject a password, or `nil` if the password may be used.
    ///
    /// The password is checked in NFC, so its length and its similarity don't depend on the keyboard. The
    /// rules are applied in this order: maximum length (in UTF-8 bytes), minimum length (in Unicode scalars),
    /// common passwords, similarity. The list of breached passwords isn't part of the policy; see
    /// ``BreachCheck``.
    ///
    /// - Parameters:
    ///   - password: The new password.
    ///   - identifiers: The account's login identifiers. The password must not be similar to any of the
    ///     identifiers.
    /// - Returns: The first rule that the password violates, or `nil` if it doesn't violate any.
    package func refusal(of password: Secret, identifiers: [String]) -> PasswordRefusal? {
        let text = password.composed.exposed
        guard text.utf8.count <= maximumLength else {
            return .tooLong(text.utf8.count, maximum: maximumLength)
        }
        let length = text.unicodeScalars.count
        guard length >= minimumLength else { return .tooShort(length, minimum: minimumLength) }
        if refusesCommon, CommonPasswords.contains(text) { return .common }
        guard refusesSimilar else { return nil }
        return identifiers.contains { Self.isSimilar(text, to: $0) } ? .similar : nil
    }

    /// Returns whether a password is similar to an identifier, using Kratos's rule.
    ///
    /// A password and an identifier are similar if their edit distance is less than five, or if a common
    /// substring is longer than half of the password.
    private static func isSimilar(_ password: String, to identifier: String) -> Bool {
        // No identifier is longer. The limit bounds the amount of work for other strings.
        guard identifier.utf8.count <= LoginIdentifier.byteLimit else { return false }
        let password = Array(password.lowercased().unicodeScalars)
        let identifier = Array(identifier.lowercased().unicodeScalars)
        // A password that is much longer than the identifier can't meet either condition. This check also
        // bounds the amount of work.
        guard password.count <= 2 * identifier.count + leastDistance else { return false }
        return distance(password, identifier) < leastDistance
            || 2 * longestCommon(password, identifier) > password.count
    }

    /// Returns the Levenshtein distance between two strings.
    private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        var row = Array(0...right.count)
        for (index, scalar) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (column, other) in right.enumerated() {
                let replaced = diagonal + (scalar == other ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, row[column] + 1, diagonal + 1)
            }
        }
        return row[right.count]
    }

    /// Returns the length of the longest common substring of two strings.
    private static func longestCommon(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        var row = [Int](repeating: 0, count: right.count + 1)
        var longest = 0
        for scalar in left {
            var diagonal = 0
            for (column, other) in right.enumerated() {
                let length = scalar == other ? diagonal + 1 : 0
                diagonal = row[column + 1]
                row[column + 1] = length
                longest = max(longest, length)
            }
        }
        return longest
    }
}
