import Testing

@testable import LatchkeyCrypto

@Suite struct `ECDSA signature encodings` {
    private static let small = [UInt8](repeating: 0, count: 31) + [1]
    private static let large = [UInt8](repeating: 0xFF, count: 32)
    private static let zero = [UInt8](repeating: 0, count: 32)

    static let pairs: [(raw: [UInt8], der: [UInt8])] = [
        (small + small, [0x30, 6, 2, 1, 1, 2, 1, 1]),
        (large + small, [0x30, 38, 2, 33, 0] + large + [2, 1, 1]),
        (small + large, [0x30, 38, 2, 1, 1, 2, 33, 0] + large),
        (large + large, [0x30, 70, 2, 33, 0] + large + [2, 33, 0] + large),
        (zero + zero, [0x30, 6, 2, 1, 0, 2, 1, 0]),
        (zero.dropLast() + [0x80] + small, [0x30, 7, 2, 2, 0, 0x80, 2, 1, 1]),
        (zero.dropLast() + [0x7F] + small, [0x30, 6, 2, 1, 0x7F, 2, 1, 1]),
    ]

    @Test(arguments: pairs) func `Raw and DER signatures can be converted`(raw: [UInt8], der: [UInt8]) {
        #expect(ECDSASignature(raw: raw)?.der == der)
        #expect(ECDSASignature(der: der)?.raw == raw)
    }

    @Test(arguments: [
        [], [0x30], [0x30, 0], [0x31, 6, 2, 1, 1, 2, 1, 1], [0x30, 7, 2, 1, 1, 2, 1, 1],
        [0x30, 6, 2, 1, 1, 2, 1, 1, 0], [0x30, 0x81, 6, 2, 1, 1, 2, 1, 1], [0x30, 3, 2, 1, 1],
        // Negative, padded, empty and oversized integers.
        [0x30, 6, 2, 1, 0x80, 2, 1, 1], [0x30, 7, 2, 2, 0, 1, 2, 1, 1], [0x30, 7, 2, 2, 0, 0, 2, 1, 1],
        [0x30, 5, 2, 0, 2, 1, 1], [0x30, 6, 3, 1, 1, 2, 1, 1],
        [0x30, 38, 2, 33, 1] + large + [2, 1, 1], [0x30, 39, 2, 34, 0, 0] + large + [2, 1, 1],
    ]) func `Malformed DER is rejected`(der: [UInt8]) {
        #expect(ECDSASignature(der: der) == nil)
    }
}
