import LatchkeyCourier
import LatchkeyModel
import Testing

@Suite struct `Retry policy` {
    private struct ConstantRandom: RandomSource {
        let byte: UInt8

        func bytes(_ count: Int) -> [UInt8] { Array(repeating: byte, count: count) }
    }

    private static let now = Timestamp(seconds: 1000)

    @Test(
        arguments: [
            (1, nil, nil, 0x00, 1000), (1, nil, nil, 0xFF, 1999),
            (3, nil, nil, 0x00, 4000), (7, nil, 86_400, 0x00, 60_000), (9, nil, 86_400, 0xFF, 119_999),
            (99, nil, 86_400, 0x00, 60_000), (100, nil, 86_400, 0x00, nil), (101, nil, nil, 0x00, nil),
            (7, nil, nil, 0x00, 64_000), (10, nil, nil, 0x00, 512_000), (99, nil, nil, 0xFF, 1_799_986),
            (1, 50, nil, 0x00, 50_000), (5, 1, nil, 0x00, 16_000),
            (1, 3600, nil, 0x00, 3_600_000), (1, 3601, nil, 0x00, 3_600_000),
            (1, 86_400, 7200, 0x00, 3_600_000), (1, 86_400, 3600, 0x00, nil),
            (1, nil, 2, 0x00, 1000), (1, nil, 1, 0x00, nil), (1, 60, 50, 0x00, nil),
        ] as [(Int, Int?, Int?, UInt8, Int?)]
    )
    func `The next attempt depends on earlier attempts, the provider's delay and the deadline`(
        attempt: Int,
        asked: Int?,
        expiry: Int?,
        draw: UInt8,
        milliseconds: Int?
    ) {
        let time = RetryPolicy().retry(
            after: attempt,
            at: Self.now,
            asked: asked.map { .seconds($0) },
            expiry: expiry.map { Self.now + .seconds($0) },
            random: ConstantRandom(byte: draw)
        )
        #expect(time.map { ($0 - Self.now).wholeMicroseconds / 1000 } == milliseconds.map { Int64($0) })
    }

    @Test func `A provider's delay is limited to the policy's maximum if that is longer than an hour`() {
        let time = RetryPolicy(longestUnhurried: .seconds(7200)).retry(
            after: 1,
            at: Self.now,
            asked: .seconds(86_400),
            expiry: nil,
            random: ConstantRandom(byte: 0)
        )
        #expect(time == Self.now + .seconds(7200))
    }
}
