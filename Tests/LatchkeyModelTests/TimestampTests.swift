import LatchkeyModel
import Testing

@Suite struct `Timestamp values` {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000000Z"),
        (1_795_248_680_400_543, "2026-11-21T08:11:20.400543Z"),
        (951_782_400_000_000, "2000-02-29T00:00:00.000000Z"),
        (-1, "1969-12-31T23:59:59.999999Z"),
    ])
    func `A timestamp survives formatting and parsing as RFC 3339`(microseconds: Int64, text: String) {
        let time = Timestamp(microseconds: microseconds)

        #expect(time.description == text)
        #expect(Timestamp(rfc3339: text) == time)
    }

    @Test(arguments: [
        ("2026-11-21T08:11:20.400543799Z", "2026-11-21T08:11:20.400543Z"),
        ("2026-11-21T09:11:20+01:00", "2026-11-21T08:11:20.000000Z"),
        ("2026-11-20T20:41:20.5-11:30", "2026-11-21T08:11:20.500000Z"),
    ])
    func `Fractional seconds and offsets can be parsed`(text: String, same: String) {
        #expect(Timestamp(rfc3339: text)?.description == same)
    }

    @Test(arguments: [
        "", "2026-11-21", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-11-21T24:00:00Z",
        "2026-11-21T08:11:20", "2026-11-21T08:11:20.Z", "2026-11-21T08:11:20Zjunk",
    ])
    func `Text that is not RFC 3339 is rejected`(text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }

    @Test(arguments: [
        (Int64.min, "0000-01-01T00:00:00.000000Z"),
        (-62_167_219_200_000_001, "0000-01-01T00:00:00.000000Z"),
        (-62_167_219_200_000_000, "0000-01-01T00:00:00.000000Z"),
        (-62_167_219_199_999_999, "0000-01-01T00:00:00.000001Z"),
        (253_402_300_799_999_999, "9999-12-31T23:59:59.999999Z"),
        (253_402_300_800_000_000, "9999-12-31T23:59:59.999999Z"),
        (Int64.max, "9999-12-31T23:59:59.999999Z"),
    ])
    func `A time outside the years 0 to 9999 is formatted as the nearest possible time`(
        microseconds: Int64,
        text: String
    ) {
        #expect(Timestamp(microseconds: microseconds).description == text)
    }

    @Test(
        arguments: [
            (0, 0), (1, 0), (999_999, 0), (1_000_000, 1), (-1, -1), (-1_000_000, -1), (-1_000_001, -2),
            (Int64.min, -9_223_372_036_855), (Int64.max, 9_223_372_036_854),
        ] as [(Int64, Int64)]
    )
    func `A timestamp is rounded down to whole seconds`(microseconds: Int64, seconds: Int64) {
        #expect(Timestamp(microseconds: microseconds).seconds == seconds)
    }

    @Test func `A timestamp saturates at the ends of its range`() {
        let first = Timestamp(microseconds: .min)
        let last = Timestamp(microseconds: .max)

        #expect(Timestamp(seconds: .max) == last)
        #expect(Timestamp(seconds: .min) == first)
        #expect(last + .seconds(Int64.max) == last)
        #expect(last - .seconds(Int64.min) == last)
        #expect(first - .seconds(Int64.max) == first)
        #expect(first + .seconds(Int64.min) == first)
        #expect(first + .seconds(1.6e20) == last)
        #expect(last - .seconds(1.6e20) == first)
        #expect(last - first == .microseconds(Int64.max))
        #expect(first - last == .microseconds(Int64.min))
    }
}
