/// Types numbers in random scripts and with random separators, the same ones for each seed.
package struct Typist {
    /// The zeros of scripts whose digits users can type.
    private static let zeros: [UInt32] = [0x30, 0x660, 0x6F0, 0x966, 0xE50, 0xFF10, 0x1D7D8, 0x1E950]

    private static let separators: [Unicode.Scalar] = [
        " ", "-", ".", "/", "\t", "\n", "\r", "\u{A0}", "\u{202F}", "\u{3000}",
        "\u{2010}", "\u{2011}", "\u{2014}", "\u{2212}", "\u{FF0D}", "\u{FF0E}",
        "\u{AD}", "\u{200B}", "\u{200F}", "\u{2060}", "\u{2069}", "\u{FEFF}",
    ]

    /// Characters that no number contains, some of which have a numeric value.
    private static let others: [Unicode.Scalar] = [
        "x", "O", "l", "e", "#", "*", ",", ";", ":", "_", "=", "%", "'", "\u{0}", "\u{1B}",
        "²", "½", "①", "Ⅵ", "五", "〇", "\u{301}", "\u{20E3}", "\u{FE0F}", "é", "Ａ", "٫", "٬", "𐏓", "🄋",
    ]

    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    /// Returns a random number with the given count of digits, which doesn't start with a zero.
    package mutating func number(_ count: Int) -> String {
        String(1 + next(below: 9)) + (1..<count).map { _ in String(next(below: 10)) }.joined()
    }

    /// Types a number that consists of ASCII digits and may start with a plus sign.
    ///
    /// The digits are those of one or several scripts.
    package mutating func type(_ number: String) -> String {
        let isMixed = next(below: 4) == 0
        var zero = Self.zeros[next(below: Self.zeros.count)]
        var typed = String.UnicodeScalarView()
        separate(&typed)
        for scalar in number.unicodeScalars {
            if isMixed { zero = Self.zeros[next(below: Self.zeros.count)] }
            if scalar == "+" {
                typed.append(next(below: 2) == 0 ? "+" : "\u{FF0B}")
            } else {
                typed.append(contentsOf: TypedSpellings.digits(String(scalar), from: zero).unicodeScalars)
            }
            separate(&typed)
        }
        return String(typed)
    }

    /// Inserts a character that no number contains at a random place.
    package mutating func spoil(_ typed: String) -> String {
        var scalars = Array(typed.unicodeScalars)
        scalars.insert(Self.others[next(below: Self.others.count)], at: next(below: scalars.count + 1))
        var spoiled = String.UnicodeScalarView()
        spoiled.append(contentsOf: scalars)
        return String(spoiled)
    }

    /// Returns a random number (SplitMix64).
    package mutating func next(below limit: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ (mixed >> 31)) % UInt64(limit))
    }

    private mutating func separate(_ typed: inout String.UnicodeScalarView) {
        for _ in 0..<max(0, next(below: 5) - 2) {
            typed.append(Self.separators[next(below: Self.separators.count)])
        }
    }
}
