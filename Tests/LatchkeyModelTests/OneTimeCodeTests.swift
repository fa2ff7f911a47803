import LatchkeyModel
import Testing

/// A random source that returns the given numbers in order, with four bytes per number.
private final class Numbers: RandomSource {
    private let rest: Locked<[UInt32]>

    init(_ numbers: [UInt32]) {
        rest = Locked(numbers)
    }

    func bytes(_ count: Int) -> [UInt8] {
        let number = rest.withLock { $0.isEmpty ? 0 : $0.removeFirst() }
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}

@Suite struct `One-time codes` {
    @Test(arguments: [
        ("271501", "271501"), ("271 501", "271501"), (" 27-15-01 ", "271501"), ("000000", "000000"),
        ("27.15/01", "271501"), ("(271501)", "271501"), ("２７１５０１", "271501"), ("٢٧١٥٠١", "271501"),
        ("2٧1５01\n", "271501"),
    ])
    func `Separators in a code are ignored, and its digits can be those of any script`(
        text: String,
        digits: String
    ) {
        #expect(OneTimeCode(text)?.exposed == digits)
    }

    @Test(arguments: [
        "", "27150", "2715012", "27150a", "２７１５０Ⅰ", "²⁷¹⁵⁰¹", "27150\u{301}1", "+27150",
        "+271501", "27.501",
    ])
    func `Text that is not a code is rejected`(text: String) {
        #expect(OneTimeCode(text) == nil)
    }

    @Test(
        arguments: [
            ([0], "000000"), ([7], "000007"), ([999_999], "999999"), ([1_000_000], "000000"),
            ([4_293_999_999], "999999"),
            // The largest random numbers are discarded, because otherwise small codes would be more likely
            // than others.
            ([4_294_000_000, 5], "000005"), ([.max, .max, 123_456], "123456"),
        ] as [([UInt32], String)]
    )
    func `Rejection sampling generates uniformly distributed codes`(numbers: [UInt32], digits: String) {
        #expect(OneTimeCode(random: Numbers(numbers)).exposed == digits)
    }

    @Test func `Every digit occurs at every position`() {
        var counts = [[Int]](repeating: [Int](repeating: 0, count: 10), count: 6)
        for _ in 0..<20_000 {
            for (place, digit) in OneTimeCode(random: SystemRandom()).exposed.utf8.enumerated() {
                counts[place][Int(digit - UInt8(ascii: "0"))] += 1
            }
        }

        // Each digit is expected 2,000 times with a standard deviation of 42. A deviation of more than eight
        // standard deviations is practically impossible by chance.
        #expect(counts.joined().allSatisfy { (1660...2340).contains($0) })
    }

    @Test func `Printing a code does not reveal its digits`() throws {
        let code = try #require(OneTimeCode("271501"))
        var dumped = ""
        dump([code], to: &dumped)

        #expect(!"\(code) \(String(reflecting: code)) \([code]) \(dumped)".contains("27"))
    }
}
