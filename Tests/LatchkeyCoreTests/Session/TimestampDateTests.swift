import Foundation
import LatchkeyCore
import LatchkeyModel
import Testing

@Suite struct `Conversion between timestamps and dates` {
    @Test(arguments: [0, 1, -1, 1_800_000_000_123_456, -62_135_596_800_000_000])
    func `Conversions are accurate to the microsecond`(microseconds: Int64) {
        let time = Timestamp(microseconds: microseconds)

        #expect(Timestamp(time.date) == time)
        #expect(abs(time.date.timeIntervalSince1970 - Double(microseconds) / 1_000_000) < 0.000_001)
    }

    @Test func `Out-of-range dates are clamped`() {
        #expect(Timestamp(Date(timeIntervalSince1970: 1e300)) == Timestamp(microseconds: .max))
        #expect(Timestamp(Date(timeIntervalSince1970: -1e300)) == Timestamp(microseconds: .min))
        #expect(Timestamp(Date.distantPast) < Timestamp(seconds: 0))
    }
}
