import LatchkeyModel
package import LatchkeyWire

/// A request for one page of a list.
///
/// Each page starts after a given key, so entries that are added or deleted between requests don't shift the
/// pages that follow. If a list has numbered pages in Kratos, page numbers are also accepted.
package struct PageRequest: Sendable {
    /// The default page size, which is also used when `page_size` is 0.
    static let usualSize = 250
    /// The maximum page size.
    ///
    /// Larger values are reduced to this maximum.
    package static let greatestSize = 1000

    /// The maximum number of entries that a page number can skip.
    ///
    /// There is a limit because the database has to scan all skipped entries.
    private static let mostSkipped = 1_000_000

    /// The maximum number of entries on the page.
    package let size: Int

    /// The key that the page starts after, or `nil` for the first page.
    package let key: [UInt8]?

    /// The page number, starting at 0, or `nil` if the page wasn't requested by number.
    let number: Int?

    /// The number of entries to skip after the key.
    package var offset: Int { (number ?? 0) * size }

    /// Reads the query parameters `page_size`, `per_page` (an older name for `page_size`), `page` and
    /// `page_token`.
    ///
    /// - Parameters:
    ///   - query: The query of the HTTP request.
    ///   - keySize: The size of this list's keys, in bytes.
    ///   - hasNumbers: Whether the list accepts page numbers.
    /// - Throws: ``ServerError`` with status 400 if the token or a number is malformed.
    package init(_ query: QueryItems, keySize: Int, hasNumbers: Bool = false) throws(ServerError) {
        try self.init(query, keySizes: keySize...keySize, hasNumbers: hasNumbers)
    }

    /// Reads the query parameters of a list whose keys have different sizes.
    ///
    /// - Throws: ``ServerError`` with status 400 if the token or a number is malformed.
    package init(
        _ query: QueryItems,
        keySizes: ClosedRange<Int>,
        hasNumbers: Bool = false
    ) throws(ServerError) {
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
            throw .malformed("The query parameters page and page_token cannot be combined.")
        }
        guard let key = Base64URL.decode(token), keySizes.contains(key.count) else {
            throw .malformed("The page_token is invalid.")
        }
        self.key = key
    }

    /// Creates a request for a page that the server reads for its own use.
    ///
    /// - Parameters:
    ///   - size: The maximum number of entries on the page.
    ///   - key: The key that the page starts after, or `nil` for the first page.
    package init(size: Int, after key: [UInt8]? = nil) {
        self.size = size
        self.key = key
        number = nil
    }

    private static func size(_ text: String?) throws(ServerError) -> Int {
        guard let text, !text.isEmpty, text != "0" else { return usualSize }
        guard let size = Int(text), size > 0 else {
            throw .malformed("The page_size must be a positive integer.")
        }
        return min(size, greatestSize)
    }

    private static func number(_ text: String, size: Int, hasNumbers: Bool) throws(ServerError) -> Int {
        guard hasNumbers else {
            throw .malformed("Page numbers are not supported here; use the page_token from the Link header.")
        }
        guard let number = Int(text), number >= 0, number <= mostSkipped / size else {
            throw .malformed("The page must be an integer from 0 to \(mostSkipped / size).")
        }
        return number
    }
}
