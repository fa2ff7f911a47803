import LatchkeyModel
import LatchkeyWire
import Testing

@Suite struct `Retry-After` {
    // Sun, 06 Nov 1994 08:49:37 GMT
    private static let now = Timestamp(seconds: 784_111_777)

    @Test(
        arguments: [
            ("120", 120), ("0", 0), ("007", 7), ("-5", 0),
            ("99999999999999999999999", Int64.max), ("-99999999999999999999999", 0),
            ("Sun, 06 Nov 1994 08:50:37 GMT", 60),
            ("Sunday, 06-Nov-94 08:50:37 GMT", 60),
            ("Sun Nov  6 08:50:37 1994", 60),
            ("Mon, 07 Nov 1994 08:49:37 GMT", 86_400),
            ("Sat, 05 Nov 1994 08:49:37 GMT", 0),
            ("Saturday, 06-Nov-93 08:50:37 GMT", 0),
            ("Sat Nov 12 08:49:37 1994", 6 * 86_400),
            ("soon", nil), ("", nil), ("-", nil), ("+5", nil), ("1.5", nil), ("١٢٠", nil), ("5, 6", nil),
            ("Sun, 06 Foo 1994 08:49:37 GMT", nil), ("Sun, 31 Nov 1994 08:49:37 GMT", nil),
            ("Sun, 06 Nov 1994 25:49:37 GMT", nil), ("Sun, 06 Nov 1994 08:49:37", nil),
            ("Sun, 06 Nov 1994 08:49:37 CET", nil), ("1994-11-06T08:49:37Z", nil),
        ] as [(String, Int64?)]
    )
    func `The delay is a number of seconds or the time until a date`(value: String, seconds: Int64?) {
        let response = HTTP.Response(503, headers: ["Retry-After": value])
        #expect(response.retryAfter(at: Self.now) == seconds.map { .seconds($0) })
    }

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 60), ("Sun, 06 Nov 1994 08:50:07 GMT", 30),
        ("Sun Nov  6 08:50:07 1994", 30), ("Sun, 06 Nov 1994 09:00:00 GMT", 0), ("yesterday", 3600 + 60),
    ])
    func `A date is compared with the date of the response instead of a wrong clock`(
        date: String,
        seconds: Int64
    ) {
        let response = HTTP.Response(
            503,
            headers: ["Date": date, "Retry-After": "Sun, 06 Nov 1994 08:50:37 GMT"]
        )
        #expect(response.retryAfter(at: Self.now - .seconds(3600)) == .seconds(seconds))
    }

    @Test func `A response without the field doesn't ask for a delay`() {
        #expect(HTTP.Response(503).retryAfter(at: Self.now) == nil)
    }

    @Test(arguments: [
        ("Friday, 01-Jan-44 00:00:00 GMT", "2044"), ("Friday, 01-Jan-45 00:00:00 GMT", "1945"),
        ("Friday, 01-Jan-99 00:00:00 GMT", "1999"), ("Friday, 01-Jan-00 00:00:00 GMT", "2000"),
    ])
    func `A year with two digits is at most 50 years in the future`(text: String, year: String) {
        #expect(Timestamp(httpDate: text, now: Self.now)?.description.prefix(4) == year[...])
    }
}

@Suite struct `Dates in header fields` {
    @Test(arguments: [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
    ])
    func `A time is written in the preferred format, and can be read again`(
        _ seconds: Int64,
        _ text: String
    ) {
        let time = Timestamp(seconds: seconds)
        #expect(time.httpDate == text)
        #expect(Timestamp(httpDate: text, now: time) == time)
    }
}
