import LatchkeyModel
package import LatchkeyWire

/// Which page of a list is asked for: how much, and after what.
///
/// A page begins after a key, never at a number, so that what is added or deleted meanwhile shifts nothing.
package struct PageRequest: Sendable {
    static let usualSize = 250
    package static let greatestSize = 1000

    /// How many entries at most.
    package let size: Int

    /// The key after which the page begins; nothing for the first page.
    package let key: [UInt8]?

    /// Reads the query's `page_size` and `page_token`; `per_page` is an older name of the first.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - keySize: How many bytes a key of this list has.
    /// - Throws: 400 for a token that the server has not made, and for numbers that are none.
    package init(_ query: QueryItems, keySize: Int) throws(ServerError) {
        size = try Self.size(query["page_size"] ?? query["per_page"])
        // Pages by number would have to count their way through the list.
        guard ["", "0", "1"].contains(query["page"] ?? "") else {
            throw .malformed("Pages have no numbers here; go on with the page_token of the header Link.")
        }
        guard let token = query["page_token"], !token.isEmpty else {
            key = nil
            return
        }
        guard let key = Base64URL.decode(token), key.count == keySize else {
            throw .malformed("The page_token is none that this server has made.")
        }
        self.key = key
    }

    private static func size(_ text: String?) throws(ServerError) -> Int {
        guard let text, !text.isEmpty, text != "0" else { return usualSize }
        guard let size = Int(text), size > 0 else { throw .malformed("The page_size is no positive number.") }
        return min(size, greatestSize)
    }
}
