extension Duration {
    /// The units of Go's format, from the longest to the shortest, in nanoseconds.
    private static let goUnits: [(symbol: String, nanoseconds: Int64)] = [
        ("h", 3_600_000_000_000), ("m", 60_000_000_000), ("s", 1_000_000_000), ("ms", 1_000_000),
        ("us", 1000), ("ns", 1),
    ]

    /// Parses a duration in Go's format, such as `1h30m` or `1.5s`, which Kratos and Hydra use.
    ///
    /// The text consists of numbers that are each followed by one of the units `h`, `m`, `s`, `ms`, `us`,
    /// `µs` or `ns`. The units can be repeated and can be in any order, and the result is the sum of all
    /// parts. The initializer returns `nil` if the text is empty, has a sign or is longer than 292 years, the
    /// limit of Go's type.
    package init?(goText text: String) {
        var total: Int64 = 0
        var rest = text.utf8[...]
        guard !rest.isEmpty else { return nil }
        while !rest.isEmpty {
            let number = rest.prefix { Self.isDigit($0) || $0 == UInt8(ascii: ".") }
            rest = rest[number.endIndex...]
            let symbol = String(rest.prefix { !Self.isDigit($0) && $0 != UInt8(ascii: ".") }) ?? ""
            rest = rest.dropFirst(symbol.utf8.count)
            // Go accepts both the micro sign and the Greek letter.
            let name = ["µs", "μs"].contains(symbol) ? "us" : symbol
            guard
                let unit = Self.goUnits.first(where: { $0.symbol == name })?.nanoseconds,
                let part = Self.nanoseconds(number, of: unit)
            else { return nil }
            let (sum, hasOverflown) = total.addingReportingOverflow(part)
            guard !hasOverflown else { return nil }
            total = sum
        }
        self = .nanoseconds(total)
    }

    /// The duration in Go's format, such as `1h30m0s`.
    ///
    /// Fractions of a second are written in smaller units, such as `1s500ms`, because the clients that are
    /// generated from Hydra's API description don't read decimal fractions.
    package var goText: String {
        let (seconds, attoseconds) = max(.zero, self).components
        let fraction = attoseconds / 1_000_000_000
        var text = seconds >= 3600 ? "\(seconds / 3600)h" : ""
        if seconds >= 60 { text += "\(seconds / 60 % 60)m" }
        if seconds > 0 || fraction == 0 { text += "\(seconds % 60)s" }
        for (symbol, nanoseconds) in Self.goUnits.suffix(3) {
            let count = fraction / nanoseconds % 1000
            if count > 0 { text += "\(count)\(symbol)" }
        }
        return text
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// Returns the product of a decimal number and a unit, rounded down.
    private static func nanoseconds(_ number: Substring.UTF8View, of unit: Int64) -> Int64? {
        let halves = number.split(
            separator: UInt8(ascii: "."),
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        let whole = halves.first.flatMap { String($0) } ?? ""
        let fraction = halves.count > 1 ? String(halves[1]) ?? "." : ""
        guard !(whole + fraction).isEmpty, !fraction.contains(".") else { return nil }
        guard let count = whole.isEmpty ? 0 : Int64(whole) else { return nil }
        let (product, hasOverflown) = count.multipliedReportingOverflow(by: unit)
        guard !hasOverflown else { return nil }
        var (sum, scale) = (product, unit)
        for digit in fraction.utf8 {
            scale /= 10
            let (next, isTooLarge) = sum.addingReportingOverflow(Int64(digit - 0x30) * scale)
            guard !isTooLarge else { return nil }
            sum = next
        }
        return sum
    }
}
