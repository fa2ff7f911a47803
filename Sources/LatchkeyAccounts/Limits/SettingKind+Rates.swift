import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

extension SettingKind<[Rate]> {
    /// A list of rates such as `5/1h`.
    ///
    /// An empty list means that there is no limit.
    ///
    /// A rate consists of a count, a slash and a duration. The count must be between 1 and 100,000, and the
    /// duration must be greater than zero and at most 366 days. The rates can be listed in any order.
    package static let rates = SettingKind(
        wanted: "a list of rates such as 5/1h, or an empty list for no limit"
    ) {
        input throws(SettingMismatch) in
        var rates: [Rate] = []
        for text in try SettingKind<[String]>.list.read(input) {
            let halves = text.split(separator: "/", maxSplits: 1)
            guard
                halves.count == 2, let count = Int(halves[0]), (1...100_000).contains(count),
                let window = Duration(settingText: halves[1]), window > .zero,
                window <= .seconds(366 * 86_400)
            else { throw SettingMismatch("\"\(text)\" is not a rate such as 5/1h") }
            rates.append(Rate(count, per: window))
        }
        return rates
    } show: {
        .array($0.map { .string("\($0.count)/\($0.window.settingText)") })
    }
}

extension SettingKind<Rate?> {
    /// A list with one bucket such as `30+1/2m`: 30 events at once, and then one every two minutes.
    ///
    /// An empty list means that there is no limit. The number of events must be between 1 and 100,000, and
    /// the interval must be greater than zero and at most 366 days.
    package static let bucket = SettingKind(
        wanted: "a list with a limit such as 30+1/2m (30 at once, then one every 2 minutes), or an empty list"
    ) {
        input throws(SettingMismatch) in
        let texts = try SettingKind<[String]>.list.read(input)
        guard let text = texts.first else { return nil }
        let halves = text.split(separator: "+", maxSplits: 1)
        guard
            texts.count == 1, halves.count == 2, let burst = Int(halves[0]), (1...100_000).contains(burst),
            halves[1].hasPrefix("1/"), let interval = Duration(settingText: halves[1].dropFirst(2)),
            interval > .zero, interval <= .seconds(366 * 86_400)
        else { throw SettingMismatch("\"\(text)\" is not a limit such as 30+1/2m") }
        return Rate(burst, per: interval * burst)
    } show: { bucket in
        .array(bucket.map { [.string("\($0.count)+1/\($0.interval.settingText)")] } ?? [])
    }
}
