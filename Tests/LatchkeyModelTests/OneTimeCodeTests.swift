import LatchkeyModel
import Testing

/// Gives the bytes of a list of numbers, four for each, in turn.
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

@Suite struct `A one-time code` {
    @Test(arguments: [
        ("271501", "271501"), ("271 501", "271501"), (" 27-15-01 ", "271501"), ("000000", "000000"),
    ])
    func `is read as people type it`(text: String, digits: String) {
        #expect(OneTimeCode(text)?.exposed == digits)
    }

    @Test(arguments: [
        "", "27150", "2715012", "27150a", "２７１５０１", "٢٧١٥٠١", "27150\u{301}1", "+27150", "27.501",
    ])
    func `is not read from something else`(text: String) {
        #expect(OneTimeCode(text) == nil)
    }

    @Test(
        arguments: [
            ([0], "000000"), ([7], "000007"), ([999_999], "999999"), ([1_000_000], "000000"),
            ([4_293_999_999], "999999"),
            // What would favour small codes is drawn again.
            ([4_294_000_000, 5], "000005"), ([.max, .max, 123_456], "123456"),
        ] as [([UInt32], String)]
    )
    func `is drawn without favour`(numbers: [UInt32], digits: String) {
        #expect(OneTimeCode(random: Numbers(numbers)).exposed == digits)
    }

    @Test func `spreads over all digits at all places`() {
        var counts = [[Int]](repeating: [Int](repeating: 0, count: 10), count: 6)
        for _ in 0..<20_000 {
            for (place, digit) in OneTimeCode(random: SystemRandom()).exposed.utf8.enumerated() {
                counts[place][Int(digit - UInt8(ascii: "0"))] += 1
            }
        }

        // 2000 expected, standard deviation 42: eight of them are beyond chance.
        #expect(counts.joined().allSatisfy { (1660...2340).contains($0) })
    }

    @Test func `never prints its digits`() throws {
        let code = try #require(OneTimeCode("271501"))
        var dumped = ""
        dump([code], to: &dumped)

        #expect(!"\(code) \(String(reflecting: code)) \([code]) \(dumped)".contains("27"))
    }
}
