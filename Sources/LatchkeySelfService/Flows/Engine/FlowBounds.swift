/// Upper bounds, in bytes, of the parts of a flow in the database.
///
/// With its other columns a row takes at most 4 KiB.
package enum FlowBounds {
    /// The URL of the request that began the flow; a longer one is cut.
    package static let requestURL = 512

    /// The stored values and messages of the form.
    package static let form = 1024

    /// The traits of a registration, or a pending change that waits for a verification.
    package static let traits = 1280

    /// The traits of a pending change, which is stored with an address, a session and a hash of the old ones.
    package static let pendingTraits = traits - 512
}

extension String {
    /// Returns the longest prefix that has at most `limit` bytes in UTF-8 and does not split a scalar.
    ///
    /// A text within the limit is returned unchanged. The result is empty if the first scalar alone is
    /// longer.
    func prefix(utf8 limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: limit)
        while end.samePosition(in: unicodeScalars) == nil { utf8.formIndex(before: &end) }
        return String(self[..<end])
    }
}
