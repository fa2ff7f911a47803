/// The languages that the user understands, in order of preference.
package struct LanguagePreferences: Hashable, Sendable {
    private static let limit = 10

    /// Language tags (RFC 5646), such as `de-AT`.
    package let tags: [String]

    /// Creates an empty list of languages.
    package init() {
        tags = []
    }

    /// Creates a list of languages from language tags.
    ///
    /// - Parameter tags: The tags in order of preference. Duplicates are removed, and only the first ten tags
    ///   are used.
    /// - Throws: ``LatchkeyError`` with the code ``LatchkeyError/Code/invalidInput`` if one of them isn't a
    ///   language tag.
    package init(_ tags: [String]) throws(LatchkeyError) {
        for tag in tags where !Self.isTag(tag) {
            throw .invalid(
                "languages",
                message: "\(tag.debugDescription) is not a language tag such as sv or de-AT."
            )
        }
        self.init(checked: tags)
    }

    /// Creates a list of languages from the system's settings.
    ///
    /// - Parameter tags: The tags in order of preference. Tags that a server couldn't read are left out,
    ///   because the user has not typed them.
    package init(preferred tags: [String]) {
        self.init(checked: tags.filter(Self.isTag))
    }

    /// Creates a list of languages from a POSIX environment.
    ///
    /// The locale is taken from the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is set. If `LANGUAGE` is
    /// set, it takes precedence, unless the locale is `C` or `POSIX`.
    ///
    /// - Parameter environment: The environment variables of the process.
    package init(environment: [String: String]) {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first {
            !$0.isEmpty
        }
        guard let locale, let tag = Self.tag(ofLocale: locale) else {
            self.init()
            return
        }
        let list = environment["LANGUAGE"]?.split(separator: ":").compactMap {
            Self.tag(ofLocale: String($0))
        }
        self.init(checked: list.flatMap { $0.isEmpty ? nil : $0 } ?? [tag])
    }

    /// Creates a list of languages from valid tags.
    ///
    /// Removes duplicates, ignoring case, and uses the first ten tags.
    private init(checked tags: [String]) {
        var known: Set<String> = []
        self.tags = Array(tags.filter { known.insert($0.lowercased()).inserted }.prefix(Self.limit))
    }

    /// The value for `Accept-Language` (RFC 9110, section 12.5.4), or `nil` if the list is empty.
    var acceptLanguage: String? {
        guard !tags.isEmpty else { return nil }
        return tags.enumerated().map { index, tag in
            index == 0 ? tag : "\(tag);q=0.\(max(1, 10 - index))"
        }.joined(separator: ", ")
    }

    /// Returns the language tag for a locale such as `sv_FI.UTF-8@euro`, or `nil` if the locale is `C`,
    /// `POSIX` or invalid.
    private static func tag(ofLocale locale: String) -> String? {
        let name = String(locale.prefix { $0 != "." && $0 != "@" })
        guard name != "C", name != "POSIX" else { return nil }
        let tag = name.replacing("_", with: "-")
        return isTag(tag) ? tag : nil
    }

    /// Returns whether a string looks like a language tag and is at most 35 bytes long.
    private static func isTag(_ text: String) -> Bool {
        guard text.utf8.count <= 35 else { return false }
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return parts.enumerated().allSatisfy { index, part in
            (1...8).contains(part.count)
                && part.allSatisfy { byte in
                    (0x61...0x7A).contains(byte | 0x20) || index > 0 && (0x30...0x39).contains(byte)
                }
        }
    }
}
