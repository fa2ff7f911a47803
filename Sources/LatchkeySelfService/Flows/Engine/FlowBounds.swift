/// The maximum sizes, in bytes, of the parts of a flow in the database.
///
/// Including its other columns, the row of a flow takes up at most 4 KiB.
package enum FlowBounds {
    /// The URL of the request that began the flow; a longer URL is truncated.
    package static let requestURL = 512

    /// The stored values and messages of the form.
    package static let form = 1024

    /// The traits of a registration, or a pending change that waits for a verification.
    package static let traits = 1280

    /// The limit for the traits of a pending change, which also stores an address, a session and a hash of
    /// the old traits.
    package static let pendingTraits = traits - 512
}

extension String {
    /// Returns the longest prefix that has at most `limit` UTF-8 bytes and does not split a scalar.
    ///
    /// A string within the limit is returned unchanged. The result is empty if the first scalar alone exceeds
    /// the limit.
    func prefix(utf8 limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: limit)
        while end.samePosition(in: unicodeScalars) == nil { utf8.formIndex(before: &end) }
        return String(self[..<end])
    }
}
