extension Duration {
    /// Parses a duration in Kratos's format, such as `1h30m`.
    ///
    /// The text consists of integers that are each followed by h, m, s or ms. The units can be repeated and
    /// can be in any order, and the result is the sum of all parts. The initializer returns `nil` if the text
    /// is empty or contains a sign, a fraction, another unit or a number with more than nine digits.
    init?(kratosText text: String) {
        var total = Duration.zero
        var rest = text[...]
        guard !rest.isEmpty else { return nil }
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            let unit = rest.dropFirst(digits.count).prefix { $0.isLetter }
            guard (1...9).contains(digits.count), let number = Int(digits) else { return nil }
            switch unit {
            case "h": total += .seconds(number * 3600)
            case "m": total += .seconds(number * 60)
            case "s": total += .seconds(number)
            case "ms": total += .milliseconds(number)
            default: return nil
            }
            rest = rest.dropFirst(digits.count + unit.count)
        }
        self = total
    }
}
