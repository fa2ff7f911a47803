/// A one-to-one mapping from this server's ids and tokens to those in the recording.
///
/// If this server reuses an id where Kratos creates a new one, the responses are considered different.
struct Correspondence {
    private var ours: [String: String] = [:]
    private var recorded: [String: String] = [:]

    /// Returns the ids and tokens in a string, in order.
    static func names(in text: String) -> [Substring] {
        let name =
            /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?:ory|lk)_st_[0-9A-Za-z]{32}/
        return text.matches(of: name).map(\.output)
    }

    /// Pairs the ids and tokens in one of this server's strings with those in the recorded string.
    ///
    /// - Returns: Whether the mapping is consistent with all earlier ones.
    mutating func learn(ours text: String, recorded other: String) -> Bool {
        let (own, theirs) = (Self.names(in: text), Self.names(in: other))
        guard own.count == theirs.count else { return false }
        var agrees = true
        for (own, theirs) in zip(own.map(String.init), theirs.map(String.init)) {
            switch (ours[theirs], recorded[own]) {
            case (nil, nil): (ours[theirs], recorded[own]) = (own, theirs)
            case (own?, theirs?): break
            default: agrees = false
            }
        }
        return agrees
    }

    /// Returns a recorded string in which all mapped ids and tokens are replaced by this server's.
    func translate(_ text: String) -> String {
        Self.names(in: text).reversed().reduce(into: text) { text, name in
            guard let own = ours[String(name)] else { return }
            text.replaceSubrange(name.startIndex..<name.endIndex, with: own)
        }
    }
}
