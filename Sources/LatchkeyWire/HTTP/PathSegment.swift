/// The last segment of a path, such as an identifier.
package enum PathSegment {
    /// Percent-encodes a text as a path segment.
    ///
    /// - Returns: The segment, or `nil` if the path would lead to another route, because the text is empty or
    ///   consists of one or two dots.
    package static func encode(_ text: String) -> String? {
        ["", ".", ".."].contains(text) ? nil : QueryItems.encode(text)
    }
}
