/// The languages that the user reads, the preferred one first.
package struct LanguagePreferences: Hashable, Sendable {
    /// The most that are sent.
    private static let limit = 10

    /// Language tags (RFC 5646), such as `de-AT`.
    package let tags: [String]

    /// No preference.
    package init() {
        tags = []
    }

    /// Lists some languages.
    ///
    /// - Parameter tags: Language tags, the preferred one first; of more than ten the first ten are used.
    /// - Throws: ``LatchkeyError`` with the code ``LatchkeyError/Code/invalidInput`` for a text that is not a language tag.
    package init(_ tags: [String]) throws(LatchkeyError) {
        for tag in tags where !Self.isTag(tag) {
            throw .invalid(
                "languages",
                "A language tag looks like sv or de-AT; \(tag.debugDescription) does not."
            )
        }
        self.init(checked: tags)
    }

    /// Reads the languages of a POSIX environment.
    ///
    /// `LC_ALL`, `LC_MESSAGES` and `LANG`, in this order, name the locale. `LANGUAGE` may list further languages, unless the
    /// locale is `C` or `POSIX`.
    ///
    /// - Parameter environment: The environment of the process.
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

    private init(checked tags: [String]) {
        var known: Set<String> = []
        self.tags = Array(tags.filter { known.insert($0.lowercased()).inserted }.prefix(Self.limit))
    }

    /// The value of `Accept-Language` (RFC 9110, section 12.5.4); `nil` without a preference.
    var acceptLanguage: String? {
        guard !tags.isEmpty else { return nil }
        return tags.enumerated().map { index, tag in
            index == 0 ? tag : "\(tag);q=0.\(max(1, 10 - index))"
        }.joined(separator: ", ")
    }

    /// The language tag of a locale such as `sv_FI.UTF-8@euro`; `nil` for `C`, `POSIX` and texts of another form.
    private static func tag(ofLocale locale: String) -> String? {
        let name = String(locale.prefix { $0 != "." && $0 != "@" })
        guard name != "C", name != "POSIX" else { return nil }
        let tag = name.replacing("_", with: "-")
        return isTag(tag) ? tag : nil
    }

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
