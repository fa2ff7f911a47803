import LatchkeyServerKit
import Testing

@Suite struct `Durations in Go's format` {
    @Test(
        arguments: [
            ("1s", .seconds(1), "1s"), ("1h30m", .seconds(5400), "1h30m0s"), ("90s", .seconds(90), "1m30s"),
            ("1.5h", .seconds(5400), "1h30m0s"), (".5m", .seconds(30), "30s"), ("1.s", .seconds(1), "1s"),
            ("1m1m", .seconds(120), "2m0s"), ("1s500ms", .milliseconds(1500), "1s500ms"),
            ("1.5s", .milliseconds(1500), "1s500ms"), ("500ms", .milliseconds(500), "500ms"),
            ("7us", .microseconds(7), "7us"), ("7µs", .microseconds(7), "7us"),
            ("7μs", .microseconds(7), "7us"), ("3ns", .nanoseconds(3), "3ns"),
            ("1h1ns", .nanoseconds(3_600_000_000_001), "1h0m0s1ns"), ("0s", .zero, "0s"),
            ("720h", .seconds(2_592_000), "720h0m0s"),
            ("2562047h47m16.854775807s", .nanoseconds(Int64.max), "2562047h47m16s854ms775us807ns"),
        ] as [(String, Duration, String)]
    )
    func `A duration is read and written`(text: String, duration: Duration, written: String) {
        #expect(Duration(goText: text) == duration)
        #expect(duration.goText == written)
        #expect(Duration(goText: written) == duration)
    }

    @Test(arguments: [
        "", " ", "1", "s", ".", ".s", "-1s", "+1s", "1d", "1 s", "1S", "1.2.3s", "1s ", "1e3s", "٣s", "1ss",
        "2562047h47m16.854775808s", "9223372036854775808ns", "2562048h", "9223372036854775807ns1ns",
    ])
    func `Any other text is rejected`(text: String) {
        #expect(Duration(goText: text) == nil)
    }

    @Test func `A negative duration is written as zero`() {
        #expect(Duration.seconds(-1).goText == "0s")
    }
}
