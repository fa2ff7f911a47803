/// The most common passwords, which attackers try first.
enum CommonPasswords {
    private static let all: Set<String> = {
        let words = [longer, shorter].flatMap { $0.description.split(whereSeparator: \.isWhitespace) }
        return Set(words.map(String.init))
    }()

    /// The length of the longest entry in bytes.
    ///
    /// We don't look up longer passwords.
    private static let longestLength = all.reduce(0) { max($0, $1.utf8.count) }

    /// Returns whether a password is empty, consists of a single repeated character, or is a common password.
    ///
    /// Case and surrounding spaces are ignored. The list is compiled into the program and contains 3000
    /// passwords with at least eight characters, and 1300 shorter ones.
    static func contains(_ password: String) -> Bool {
        guard let first = password.unicodeScalars.first else { return true }
        if password.unicodeScalars.allSatisfy({ $0 == first }) { return true }
        var text = password.utf8[...]
        while text.first == 0x20 { text.removeFirst() }
        while text.last == 0x20 { text.removeLast() }
        // All entries are ASCII, so we can skip the costly string comparison for other passwords.
        guard text.count <= longestLength, text.allSatisfy({ $0 < 0x80 }) else { return false }
        return all.contains(String(decoding: text, as: UTF8.self).lowercased())
    }
}
