extension Timestamp: CustomStringConvertible {
    /// The time in RFC 3339 format, in UTC with six decimals, such as `2026-11-21T08:11:20.400543Z`.
    public var description: String {
        String(decoding: rfc3339, as: UTF8.self)
    }

    /// The UTF-8 representation of ``description``, which is always 27 bytes long.
    ///
    /// Times outside the years 0 to 9999 are clamped to that range.
    package var rfc3339: [UInt8] {
        var text = [UInt8]()
        text.reserveCapacity(27)
        appendRFC3339(to: &text)
        return text
    }

    /// Appends ``rfc3339`` to an array without allocating a temporary array.
    package func appendRFC3339(to text: inout [UInt8]) {
        let range = Self.writable
        guard range.contains(self) else {
            return (self < range.lowerBound ? range.lowerBound : range.upperBound).appendRFC3339(to: &text)
        }
        let secondOfDay = Int(seconds - days * 86_400)
        let (year, month, day) = civilDate
        let fraction = Int(microseconds - seconds * 1_000_000)
        // Build the text in a temporary buffer, because appending single bytes would check the array's
        // capacity every time.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 27) { form in
            form.set(year / 100, at: 0)
            form.set(year % 100, at: 2)
            form[4] = UInt8(ascii: "-")
            form.set(month, at: 5)
            form[7] = UInt8(ascii: "-")
            form.set(day, at: 8)
            form[10] = UInt8(ascii: "T")
            form.set(secondOfDay / 3600, at: 11)
            form[13] = UInt8(ascii: ":")
            form.set(secondOfDay / 60 % 60, at: 14)
            form[16] = UInt8(ascii: ":")
            form.set(secondOfDay % 60, at: 17)
            form[19] = UInt8(ascii: ".")
            form.set(fraction / 10_000, at: 20)
            form.set(fraction / 100 % 100, at: 22)
            form.set(fraction % 100, at: 24)
            form[26] = UInt8(ascii: "Z")
            text.append(contentsOf: form)
        }
    }

    /// Parses a time in RFC 3339 format (section 5.6), with any UTC offset and any number of decimals.
    ///
    /// Returns `nil` for any other text.
    ///
    /// - Parameter text: The date and time to parse. Decimals beyond microseconds are truncated.
    public init?(rfc3339 text: some StringProtocol) {
        var rest = text.utf8[...]
        guard
            let year = rest.takeDecimal(4), rest.take("-"),
            let month = rest.takeDecimal(2), rest.take("-"),
            let day = rest.takeDecimal(2), rest.take("T") || rest.take("t") || rest.take(" "),
            let hour = rest.takeDecimal(2), rest.take(":"),
            let minute = rest.takeDecimal(2), rest.take(":"),
            let second = rest.takeDecimal(2),
            (1...12).contains(month), (1...31).contains(day),
            hour < 24, minute < 60, second < 61
        else { return nil }
        var fraction: Int64 = 0
        if rest.take(".") {
            guard let digits = rest.takeFraction() else { return nil }
            fraction = digits
        }
        guard let offset = rest.takeOffset(), rest.isEmpty else { return nil }
        let days = Self.days(year: year, month: month, day: day)
        let time = Int64(hour * 3600 + minute * 60 + second) - offset
        let made = Timestamp(microseconds: (days * 86_400 + time) * 1_000_000 + fraction)
        guard Timestamp(seconds: days * 86_400).civilDate == (year, month, day) else { return nil }
        self = made
    }

    private static let writable =
        Timestamp(seconds: -62_167_219_200)...Timestamp(microseconds: 253_402_300_799_999_999)

    private var days: Int64 {
        seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
    }

    /// The date in the proleptic Gregorian calendar.
    ///
    /// The computation uses 400-year eras in which each year starts in March.
    private var civilDate: (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = Int(shifted - era * 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (yearOfEra + Int(era) * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    private static func days(year: Int, month: Int, day: Int) -> Int64 {
        let fromMarch = month <= 2 ? year - 1 : year
        let era = (fromMarch >= 0 ? fromMarch : fromMarch - 399) / 400
        let yearOfEra = fromMarch - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return Int64(era * 146_097 + dayOfEra - 719_468)
    }
}

extension UnsafeMutableBufferPointer<UInt8> {
    /// Writes a number from 0 to 99 as two digits.
    fileprivate func set(_ number: Int, at position: Int) {
        let tens = UInt8(truncatingIfNeeded: number / 10)
        self[position] = UInt8(ascii: "0") + tens
        self[position + 1] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number) - tens * 10
    }
}

extension Collection<UInt8> where SubSequence == Self {
    fileprivate mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard first == UInt8(ascii: scalar) else { return false }
        removeFirst()
        return true
    }

    fileprivate mutating func takeDecimal(_ width: Int) -> Int? {
        var number = 0
        for _ in 0..<width {
            guard let digit = takeDigit() else { return nil }
            number = number * 10 + digit
        }
        return number
    }

    private mutating func takeDigit() -> Int? {
        guard let byte = first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
        removeFirst()
        return Int(byte - UInt8(ascii: "0"))
    }

    fileprivate mutating func takeFraction() -> Int64? {
        var micros: Int64 = 0
        var unit: Int64 = 100_000
        guard let leading = takeDigit() else { return nil }
        micros += Int64(leading) * unit
        while let digit = takeDigit() {
            unit /= 10
            micros += Int64(digit) * unit
        }
        return micros
    }

    fileprivate mutating func takeOffset() -> Int64? {
        if take("Z") || take("z") { return 0 }
        let sign: Int64
        if take("+") {
            sign = 1
        } else if take("-") {
            sign = -1
        } else {
            return nil
        }
        guard let hours = takeDecimal(2), take(":"), let minutes = takeDecimal(2), hours < 24, minutes < 60
        else { return nil }
        return sign * Int64(hours * 3600 + minutes * 60)
    }
}
