import LatchkeyModel
package import LatchkeyWire

/// Which page of a list is asked for: how much, and after what.
///
/// A page begins after a key, so that what is added or deleted meanwhile shifts nothing. Lists that have numbers of pages in
/// Kratos take these as well.
package struct PageRequest: Sendable {
    static let usualSize = 250
    package static let greatestSize = 1000

    /// The database counts its way to a page with a number.
    private static let mostSkipped = 1_000_000

    /// How many entries at most.
    package let size: Int

    /// The key after which the page begins; nothing for the first page.
    package let key: [UInt8]?

    /// The number of the page from 0, if pages are asked for by their numbers.
    let number: Int?

    /// How many entries come before the page, after the key.
    var offset: Int { (number ?? 0) * size }

    /// Reads the query's `page_size` and `page_token`; `per_page` is an older name of the first.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - keySize: How many bytes a key of this list has.
    ///   - hasNumbers: Whether the query may name a page by its number.
    /// - Throws: 400 for a token that the server has not made, and for numbers that are none.
    package init(_ query: QueryItems, keySize: Int, hasNumbers: Bool = false) throws(ServerError) {
        let size = try Self.size(query["page_size"] ?? query["per_page"])
        self.size = size
        if let text = query["page"], !text.isEmpty {
            number = try Self.number(text, size: size, hasNumbers: hasNumbers)
        } else {
            number = nil
        }
        guard let token = query["page_token"], !token.isEmpty else {
            key = nil
            return
        }
        guard number == nil else {
            throw .malformed("The parameters page and page_token exclude each other.")
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

    private static func number(_ text: String, size: Int, hasNumbers: Bool) throws(ServerError) -> Int {
        guard hasNumbers else {
            throw .malformed("Pages have no numbers here; go on with the page_token of the header Link.")
        }
        guard let number = Int(text), number >= 0, number <= mostSkipped / size else {
            throw .malformed("The page is no number from 0 to \(mostSkipped / size).")
        }
        return number
    }
}
