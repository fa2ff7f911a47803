import LatchkeyModel
import Testing

@Suite struct `A timestamp` {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000000Z"),
        (1_795_248_680_400_543, "2026-11-21T08:11:20.400543Z"),
        (951_782_400_000_000, "2000-02-29T00:00:00.000000Z"),
        (-1, "1969-12-31T23:59:59.999999Z"),
    ])
    func `is written as RFC 3339 and read back`(microseconds: Int64, text: String) {
        let time = Timestamp(microseconds: microseconds)

        #expect(time.description == text)
        #expect(Timestamp(rfc3339: text) == time)
    }

    @Test(arguments: [
        ("2026-11-21T08:11:20.400543799Z", "2026-11-21T08:11:20.400543Z"),
        ("2026-11-21T09:11:20+01:00", "2026-11-21T08:11:20.000000Z"),
        ("2026-11-20T20:41:20.5-11:30", "2026-11-21T08:11:20.500000Z"),
    ])
    func `is read with any decimals and offset`(text: String, same: String) {
        #expect(Timestamp(rfc3339: text)?.description == same)
    }

    @Test(arguments: [
        "", "2026-11-21", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-11-21T24:00:00Z",
        "2026-11-21T08:11:20", "2026-11-21T08:11:20.Z", "2026-11-21T08:11:20Zjunk",
    ])
    func `is not read from something else`(text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }
}
