/// A weight in a header field such as `Accept`, which says how much the client prefers a value (RFC 9110,
/// section 12.4.2).
struct QualityValue: Hashable, Comparable, Sendable {
    /// The weight of a value that isn't acceptable.
    static let zero = QualityValue(thousandths: 0)
    /// The weight of a value without a parameter `q`.
    static let one = QualityValue(thousandths: 1000)

    private let thousandths: Int

    private init(thousandths: Int) {
        self.thousandths = thousandths
    }

    /// Parses a parameter such as `q=0.5`, which must be from 0 to 1 with at most three decimal places.
    init?(parameter: Substring.UTF8View) {
        guard Self.isWeight(parameter) else { return nil }
        let number = parameter.dropFirst(2)
        let (whole, rest) = (number.first, number.dropFirst())
        let digits = rest.dropFirst()
        guard
            whole == UInt8(ascii: "0") || whole == UInt8(ascii: "1"),
            rest.isEmpty || rest.first == UInt8(ascii: "."), digits.count <= 3
        else { return nil }
        var thousandths = whole == UInt8(ascii: "1") ? 1000 : 0
        for (digit, factor) in zip(digits, [100, 10, 1]) {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            thousandths += Int(digit - UInt8(ascii: "0")) * factor
        }
        guard thousandths <= 1000 else { return nil }
        self.thousandths = thousandths
    }

    /// Returns whether a parameter is a weight, which may be malformed.
    static func isWeight(_ parameter: Substring.UTF8View) -> Bool {
        parameter.starts(with: "q=".utf8) || parameter.starts(with: "Q=".utf8)
    }

    /// Splits an element of a list into its value and its parameters.
    ///
    /// Bytes are compared, because U+037E is canonically equivalent to a semicolon.
    static func parts(of element: Substring.UTF8View) -> [Substring.UTF8View] {
        element.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map { part in
            var part = part.drop(while: isWhiteSpace)
            while let last = part.last, isWhiteSpace(last) { part.removeLast() }
            return part
        }
    }

    static func < (left: QualityValue, right: QualityValue) -> Bool {
        left.thousandths < right.thousandths
    }

    private static func isWhiteSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
