/// The most bytes that the parts of a flow take in the database; with its other columns a row has at most 4 KiB.
package enum FlowBounds {
    /// The address of the request that began the flow.
    package static let requestURL = 512

    /// The values and messages of the form.
    package static let form = 1024

    /// The traits that a registration continues with, or a change that waits for a verification.
    package static let traits = 1280

    /// The traits of a change that waits for a verification, which has an address and more beside them.
    package static let pendingTraits = traits - 512
}

extension String {
    /// The longest beginning of the text that has at most so many bytes in UTF-8 and ends between two scalars.
    func prefix(utf8 limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: limit)
        while end.samePosition(in: unicodeScalars) == nil { utf8.formIndex(before: &end) }
        return String(self[..<end])
    }
}
