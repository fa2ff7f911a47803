/// The languages that the user reads, most preferred first.
package struct LanguagePreferences: Hashable, Sendable {
    /// The maximum number of languages to send.
    private static let limit = 10

    /// The language tags (RFC 5646), such as `de-AT`.
    package let tags: [String]

    /// Creates empty preferences.
    package init() {
        tags = []
    }

    /// Creates preferences from language tags.
    ///
    /// - Parameter tags: The tags, most preferred first; only the first ten distinct tags are used.
    /// - Throws: ``LatchkeyError`` with the code ``LatchkeyError/Code/invalidInput`` if one is not a language
    ///   tag.
    package init(_ tags: [String]) throws(LatchkeyError) {
        for tag in tags where !Self.isTag(tag) {
            throw .invalid(
                "languages",
                message: "\(tag.debugDescription) is not a language tag such as sv or de-AT."
            )
        }
        self.init(checked: tags)
    }

    /// Creates preferences from a POSIX environment.
    ///
    /// The locale is read from `LC_ALL`, `LC_MESSAGES` or `LANG`, in this order of precedence. `LANGUAGE` may
    /// list further languages, unless the locale is `C` or `POSIX`.
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

    /// Creates preferences from valid tags; removes duplicates, ignoring case, and keeps only the first ten.
    private init(checked tags: [String]) {
        var known: Set<String> = []
        self.tags = Array(tags.filter { known.insert($0.lowercased()).inserted }.prefix(Self.limit))
    }

    /// The value of `Accept-Language` (RFC 9110, section 12.5.4), or `nil` if there are no languages.
    var acceptLanguage: String? {
        guard !tags.isEmpty else { return nil }
        return tags.enumerated().map { index, tag in
            index == 0 ? tag : "\(tag);q=0.\(max(1, 10 - index))"
        }.joined(separator: ", ")
    }

    /// Returns the language tag for a locale such as `sv_FI.UTF-8@euro`; `nil` for `C`, `POSIX` and invalid
    /// names.
    private static func tag(ofLocale locale: String) -> String? {
        let name = String(locale.prefix { $0 != "." && $0 != "@" })
        guard name != "C", name != "POSIX" else { return nil }
        let tag = name.replacing("_", with: "-")
        return isTag(tag) ? tag : nil
    }

    /// Returns whether a string has the syntax of a language tag and is at most 35 bytes long.
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
