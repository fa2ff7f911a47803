/// The maximum sizes of the stored parts of a flow, in bytes.
///
/// These limits ensure that a flow's row takes up at most 4 KiB, including its other columns.
package enum FlowBounds {
    /// The URL of the request that started the flow.
    ///
    /// Longer URLs are truncated.
    package static let requestURL = 512

    /// The form's values and messages, as they are stored in the database.
    package static let form = 1024

    /// The traits of a registration, or a change that is waiting for a verification.
    package static let traits = 1280

    /// The traits of a pending change.
    ///
    /// The limit leaves room for an address, a session and a hash of the old traits.
    package static let pendingTraits = traits - 512
}

extension String {
    /// Returns the longest prefix that has at most `limit` UTF-8 bytes and doesn't split a Unicode scalar.
    ///
    /// If the string is within the limit, it is returned unchanged. If the first scalar alone exceeds the
    /// limit, the result is empty.
    func prefix(utf8 limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: limit)
        while end.samePosition(in: unicodeScalars) == nil { utf8.formIndex(before: &end) }
        return String(self[..<end])
    }
}
