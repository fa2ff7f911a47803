import LatchkeyTesting
import Testing

@Suite struct `Seeded random source` {
    @Test func `The same seed generates the same bytes`() {
        #expect(SeededRandom(seed: 7).bytes(40) == SeededRandom(seed: 7).bytes(40))
        #expect(SeededRandom(seed: 7).bytes(40) != SeededRandom(seed: 8).bytes(40))
    }

    @Test func `Each call continues the sequence`() {
        let random = SeededRandom()
        #expect(random.bytes(16) != random.bytes(16))
    }

    @Test func `The generated sequence matches the published SplitMix64 sequence`() {
        // This is the first output for the seed 1234567 in the reference implementation, least significant
        // byte first.
        var expected: UInt64 = 6_457_827_717_110_365_317
        let bytes = SeededRandom(seed: 1_234_567).bytes(8)
        for byte in bytes {
            #expect(byte == UInt8(truncatingIfNeeded: expected))
            expected >>= 8
        }
    }

    @Test(arguments: [0, 1, 7, 8, 9]) func `The requested number of bytes is generated`(count: Int) {
        #expect(SeededRandom().bytes(count).count == count)
    }
}
