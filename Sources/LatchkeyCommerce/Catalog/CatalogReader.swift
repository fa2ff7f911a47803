import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

extension ProductCatalog {
    /// Reads a catalog from the contents of a file.
    ///
    /// - Parameters:
    ///   - bytes: The contents of the file: a JSON5 object with `default_language`, `storefronts` and
    ///     `products`.
    ///   - region: The default region. If this is `nil`, the catalog must have exactly one storefront.
    /// - Throws: ``CatalogError``, which lists all problems in the file.
    package init(_ bytes: [UInt8], defaultRegion region: String? = nil) throws(CatalogError) {
        var reader = CatalogReader(bytes)
        guard let catalog = reader.catalog(defaultRegion: region) else {
            throw CatalogError(problems: reader.problems)
        }
        self = catalog
    }
}

/// Reads a catalog file and collects all problems instead of stopping at the first one.
private struct CatalogReader {
    /// The maximum size of the file, in bytes.
    private static let sizeLimit = 4 << 20
    /// The maximum length of an id, in bytes.
    private static let idLimit = 128
    /// The maximum length of a title, in bytes.
    private static let titleLimit = 200
    /// The maximum length of a description, in bytes.
    private static let descriptionLimit = 2000
    /// The maximum price in minor units.
    ///
    /// A price that is multiplied by the maximum quantity is still a valid amount.
    private static let highestPrice: Int64 = 1_000_000_000

    private(set) var problems: [String] = []
    private let bytes: [UInt8]
    /// The first and last line on which each quoted string appears.
    ///
    /// Line numbers start at 1.
    private let lines: [String: ClosedRange<Int>]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        lines = bytes.count <= Self.sizeLimit ? Self.lines(of: bytes) : [:]
    }

    /// Returns the line numbers of all quoted strings that are short enough to be an id.
    ///
    /// A quotation mark in a comment also counts as the start of a string, which ends at the end of the line.
    private static func lines(of bytes: [UInt8]) -> [String: ClosedRange<Int>] {
        var lines: [String: ClosedRange<Int>] = [:]
        var line = 1
        var start: Int?
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "\n"):
                line += 1
                start = nil
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                guard let begin = start else {
                    start = index
                    continue
                }
                guard bytes[begin] == byte else { continue }
                start = nil
                guard index - begin <= idLimit + 1 else { continue }
                guard let text = try? String(utf8: bytes[(begin + 1)..<index]) else { continue }
                lines[text] = (lines[text]?.lowerBound ?? line)...line
            default: break
            }
        }
        return lines
    }

    /// Returns the catalog, or `nil` if there are any problems.
    mutating func catalog(defaultRegion: String?) -> ProductCatalog? {
        guard bytes.count <= Self.sizeLimit else {
            problems.append("the catalog is larger than \(Self.sizeLimit) bytes")
            return nil
        }
        let root: JSONValue
        do {
            root = try JSONCoding.decodeJSON5(from: bytes)
        } catch let error as InvalidUTF8 {
            problems.append("the catalog is \(error)")
            return nil
        } catch let error as DuplicateMember {
            problems.append("\(error)")
            return nil
        } catch {
            problems.append("the catalog is not valid JSON5" + Self.place(of: error))
            return nil
        }
        guard case .object(let members) = root else {
            problems.append("the catalog must be an object")
            return nil
        }
        refuseUnknown(members, known: ["default_language", "storefronts", "products"], at: "")
        let language = self.language(members["default_language"])
        let storefronts = self.storefronts(members["storefronts"])
        let products = self.products(members["products"], in: storefronts, language: language)
        let standard = defaultStorefront(defaultRegion, in: storefronts)
        guard problems.isEmpty, let standard else { return nil }
        return ProductCatalog(
            storefronts: storefronts,
            defaultStorefront: standard,
            defaultLanguage: language,
            products: products
        )
    }

    /// Reads the default language.
    ///
    /// If no default language is specified, English is used.
    private mutating func language(_ value: JSONValue?) -> String {
        guard let value else { return "en" }
        guard let tag = value.text, Self.isLanguage(tag) else {
            problems.append("default_language must be a language tag such as en")
            return "en"
        }
        return tag.lowercased()
    }

    private mutating func storefronts(_ value: JSONValue?) -> [Region: Storefront] {
        guard case .object(let members)? = value, !members.isEmpty else {
            problems.append(
                "storefronts must be an object with a currency for each region, such as {AT: \"EUR\"}"
            )
            return [:]
        }
        var storefronts: [Region: Storefront] = [:]
        for (code, value) in members.sorted(by: { $0.key < $1.key }) {
            guard let region = Region(code) else {
                problems.append(
                    "storefronts.\(Self.quoted(code)): unknown region; use a code such as AT (ISO 3166-1)"
                )
                continue
            }
            guard let currency = value.text.flatMap({ Currency($0) }) else {
                problems.append("storefronts.\(code) must be the code of a currency such as EUR (ISO 4217)")
                continue
            }
            storefronts[region] = Storefront(region: region, currency: currency)
        }
        return storefronts
    }

    private mutating func defaultStorefront(_ code: String?, in storefronts: [Region: Storefront])
        -> Storefront?
    {
        let served = storefronts.keys.map(\.code).sorted().joined(separator: ", ")
        if let code {
            if let storefront = Region(code).flatMap({ storefronts[$0] }) { return storefront }
            problems.append(
                "commerce.default_region: the catalog has no storefront \(code); it has \(served)"
            )
            return nil
        }
        if storefronts.count == 1 { return storefronts.values.first }
        if !storefronts.isEmpty {
            problems.append("commerce.default_region must be set to one of the storefronts: \(served)")
        }
        return nil
    }

    private mutating func products(
        _ value: JSONValue?,
        in storefronts: [Region: Storefront],
        language: String
    ) -> [Product] {
        guard case .array(let values)? = value else {
            problems.append("products must be an array")
            return []
        }
        guard values.count <= ProductCatalog.mostProducts else {
            problems.append("products: at most \(ProductCatalog.mostProducts) products are supported")
            return []
        }
        var products: [Product] = []
        var ids: Set<String> = []
        for (index, value) in values.enumerated() {
            guard let product = product(value, at: index, in: storefronts, language: language) else {
                continue
            }
            guard ids.insert(product.id).inserted else {
                problems.append("\(place(of: product.id, isLast: true)): the id is used twice")
                continue
            }
            products.append(product)
        }
        return products
    }

    /// Reads one product.
    ///
    /// If there is a problem, the method reports the problem and returns `nil`.
    private mutating func product(
        _ value: JSONValue,
        at index: Int,
        in storefronts: [Region: Storefront],
        language: String
    ) -> Product? {
        let before = problems.count
        guard case .object(let members) = value else {
            problems.append("products[\(index)] must be an object")
            return nil
        }
        guard let id = members["id"]?.text, Self.isID(id) else {
            problems.append(
                "products[\(index)]: id must have 1 to \(Self.idLimit) of the characters A–Z, a–z, 0–9, dot, hyphen and underscore"
            )
            return nil
        }
        let place = place(of: id)
        refuseUnknown(members, known: ["id", "kind", "title", "description", "prices"], at: place)
        let kind = members["kind"]?.text.flatMap { ProductKind(rawValue: $0) }
        if kind == nil {
            let kinds = ProductKind.allCases.map(\.rawValue).joined(separator: " or ")
            problems.append("\(place): kind must be \(kinds)")
        }
        let titles = texts(members["title"], name: "title", limit: Self.titleLimit, at: place)
        if titles[language] == nil {
            problems.append("\(place): title.\(language) is missing; it is the default language")
        }
        let descriptions =
            members["description"].map {
                texts($0, name: "description", limit: Self.descriptionLimit, at: place)
            } ?? [:]
        if let other = descriptions.keys.sorted().first(where: { titles[$0] == nil }) {
            problems.append("\(place): description.\(other) has no title in the same language")
        }
        let prices = prices(members["prices"], in: storefronts, at: place)
        guard problems.count == before, let kind else { return nil }
        var localized: [String: Product.Text] = [:]
        for (tag, title) in titles {
            let description = descriptions[tag] ?? descriptions[language] ?? ""
            localized[tag] = Product.Text(title: title, description: description)
        }
        return Product(id: id, kind: kind, texts: localized, prices: prices)
    }

    /// Reads an object that maps languages to texts.
    ///
    /// The keys of the result are in lowercase.
    private mutating func texts(_ value: JSONValue?, name: String, limit: Int, at place: String)
        -> [String: String]
    {
        guard case .object(let members)? = value, !members.isEmpty else {
            problems.append("\(place): \(name) must be an object with a text for each language")
            return [:]
        }
        var texts: [String: String] = [:]
        for (tag, value) in members.sorted(by: { $0.key < $1.key }) {
            guard Self.isLanguage(tag) else {
                problems.append("\(place): \(name).\(Self.quoted(tag)) is not a language tag such as en")
                continue
            }
            guard let text = value.text, !text.isEmpty, text.utf8.count <= limit, !text.utf8.contains(0)
            else {
                problems.append("\(place): \(name).\(tag) must be a text of at most \(limit) bytes")
                continue
            }
            texts[tag.lowercased()] = text
        }
        return texts
    }

    private mutating func prices(_ value: JSONValue?, in storefronts: [Region: Storefront], at place: String)
        -> [Region: Money]
    {
        guard case .object(let members)? = value, !members.isEmpty else {
            problems.append(
                "\(place): prices must be an object with a price for each storefront, such as {AT: 499}"
            )
            return [:]
        }
        var prices: [Region: Money] = [:]
        for (code, value) in members.sorted(by: { $0.key < $1.key }) {
            guard let storefront = Region(code).flatMap({ storefronts[$0] }) else {
                // Invalid storefronts have already been reported.
                if !storefronts.isEmpty {
                    problems.append("\(place): prices.\(Self.quoted(code)) is not in storefronts")
                }
                continue
            }
            guard
                case .integer(let amount) = value, (1...Self.highestPrice).contains(amount),
                let price = Money(amount, storefront.currency)
            else {
                problems.append(
                    "\(place): prices.\(code) must be a whole number of minor units from 1 to \(Self.highestPrice)"
                )
                continue
            }
            prices[storefront.region] = price
        }
        return prices
    }

    private mutating func refuseUnknown(_ members: [String: JSONValue], known: Set<String>, at place: String)
    {
        for name in members.keys.sorted() where !known.contains(name) {
            let prefix = place.isEmpty ? "" : place + ": "
            problems.append("\(prefix)unknown member \(Self.quoted(name))")
        }
    }

    /// Returns a product's id with the first or last line that contains it, for use in messages.
    private func place(of id: String, isLast: Bool = false) -> String {
        let product = "product \"\(id)\""
        guard let lines = lines[id] else { return product }
        return "line \(isLast ? lines.upperBound : lines.lowerBound): \(product)"
    }

    /// Returns the line of a syntax error, if the decoder reports one.
    private static func place(of error: any Error) -> String {
        guard
            case DecodingError.dataCorrupted(let context) = error, let cause = context.underlyingError,
            let words = "\(cause)".firstRange(of: "around line ")
        else { return "" }
        let line = "\(cause)"[words.upperBound...].prefix { $0.isNumber }
        return line.isEmpty ? "" : ": error around line \(line)"
    }

    private static func isID(_ text: String) -> Bool {
        (1...idLimit).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
                    UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    /// Returns whether a string is a language tag: subtags of letters and digits that are joined by hyphens.
    private static func isLanguage(_ text: String) -> Bool {
        let subtags = text.split(separator: "-", omittingEmptySubsequences: false)
        guard let first = subtags.first, (2...3).contains(first.utf8.count), text.utf8.count <= 35 else {
            return false
        }
        return subtags.allSatisfy { subtag in
            (1...8).contains(subtag.utf8.count)
                && subtag.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        }
    }

    /// Quotes a name from the file for use in a message.
    ///
    /// The name is shortened, and control characters are removed.
    private static func quoted(_ name: String) -> String {
        let shown = name.unicodeScalars.prefix(64).filter { $0.value >= 0x20 && $0.value != 0x7F }
        return "\"\(String(String.UnicodeScalarView(shown)))\""
    }
}
