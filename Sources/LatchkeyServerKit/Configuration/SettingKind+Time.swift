import LatchkeyModel
import LatchkeyWire

extension SettingKind<Duration> {
    /// A duration within the given range, such as `10m`.
    ///
    /// The text must be a whole number followed by one of the units `ms`, `s`, `m`, `h` or `d`.
    package static func duration(_ range: ClosedRange<Duration>) -> SettingKind {
        let wanted =
            "a duration from \(range.lowerBound.settingText) to \(range.upperBound.settingText), such as 30s, 10m, 12h or 90d"
        return SettingKind(wanted: wanted) { input throws(SettingMismatch) in
            let text: String? =
                switch input {
                case .text(let text): text
                case .json(let value): value.text
                }
            guard let duration = text.flatMap(Duration.init(settingText:)), range.contains(duration) else {
                throw SettingMismatch(input, wanted: wanted)
            }
            return duration
        } show: {
            .string($0.settingText)
        }
    }
}

extension Duration {
    /// The suffixes for time units in settings, from the shortest unit to the longest.
    private static let units: [(suffix: String, milliseconds: Int64)] = [
        ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]

    /// Parses a duration such as `250ms`, `30s`, `10m`, `12h` or `90d`.
    ///
    /// - Parameter text: A whole number of at most 1,000,000,000, immediately followed by one of the units
    ///   `ms`, `s`, `m`, `h` or `d`.
    package init?(settingText text: some StringProtocol) {
        let digits = text.prefix { ("0"..."9").contains($0) }
        let suffix = text.dropFirst(digits.count)
        guard
            let number = Int64(digits), number <= 1_000_000_000,
            let unit = Self.units.first(where: { $0.suffix == suffix })
        else { return nil }
        self = .milliseconds(number * unit.milliseconds)
    }

    /// The shortest text that ``init(settingText:)`` parses as this duration.
    ///
    /// Fractions of a millisecond are discarded.
    package var settingText: String {
        let milliseconds = wholeMicroseconds / 1000
        let unit =
            Self.units.last { milliseconds >= $0.milliseconds && milliseconds % $0.milliseconds == 0 }
        guard let unit else { return "0s" }
        return "\(milliseconds / unit.milliseconds)\(unit.suffix)"
    }
}
