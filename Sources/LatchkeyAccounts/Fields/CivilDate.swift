import LatchkeyModel

/// A date in the proleptic Gregorian calendar, without a time zone.
struct CivilDate: Hashable, Sendable {
    let year: Int
    let month: Int
    let day: Int

    /// The date of a time in UTC.
    init(_ time: Timestamp) {
        self.init(digits: time.rfc3339.prefix(10))
    }

    /// Reads a date in the format `yyyy-mm-dd`, or returns `nil` if there is no such date.
    init?(_ text: String) {
        guard text.utf8.count == 10, Timestamp(rfc3339: text + "T00:00:00Z") != nil else { return nil }
        self.init(digits: Array(text.utf8)[...])
    }

    private init(digits text: ArraySlice<UInt8>) {
        let parts = text.split(separator: UInt8(ascii: "-")).map { part in
            part.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        }
        (year, month, day) = (parts[0], parts[1], parts[2])
    }

    /// Returns the age in whole years on a date, which is negative before the birthday of year 0.
    ///
    /// In years without a 29 February, a user born on that day becomes a year older on 1 March.
    func age(on today: CivilDate) -> Int {
        let years = today.year - year
        return (today.month, today.day) < (month, day) ? years - 1 : years
    }
}
