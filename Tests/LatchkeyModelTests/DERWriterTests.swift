import LatchkeyModel
import Testing

@Suite struct `DER writer` {
    @Test(
        arguments: [
            ([], [0x02, 0x01, 0x00]),
            ([0x00], [0x02, 0x01, 0x00]),
            ([0x7F], [0x02, 0x01, 0x7F]),
            ([0x80], [0x02, 0x02, 0x00, 0x80]),
            ([0x00, 0x00, 0x01], [0x02, 0x01, 0x01]),
            ([0xFF, 0x00], [0x02, 0x03, 0x00, 0xFF, 0x00]),
        ] as [([UInt8], [UInt8])]
    ) func `A number is encoded in its shortest form`(
        digits: [UInt8],
        expected: [UInt8]
    ) {
        var writer = DERWriter()
        writer.append(unsigned: digits)
        #expect(writer.bytes == expected)
    }

    @Test(
        arguments: [
            (0, [0x0C, 0x00]),
            (127, [0x0C, 0x7F]),
            (128, [0x0C, 0x81, 0x80]),
            (255, [0x0C, 0x81, 0xFF]),
            (256, [0x0C, 0x82, 0x01, 0x00]),
            (65_536, [0x0C, 0x83, 0x01, 0x00, 0x00]),
        ] as [(Int, [UInt8])]
    ) func `A length is encoded in its shortest form`(count: Int, expected: [UInt8]) {
        var writer = DERWriter()
        writer.append(.utf8String, bytes: [UInt8](repeating: 0x61, count: count))
        #expect(Array(writer.bytes.prefix(expected.count)) == expected)
        #expect(writer.bytes.count == expected.count + count)
    }

    @Test func `Nested values and bit strings are encoded`() {
        var writer = DERWriter()
        writer.append(.sequence) { outer in
            outer.append(.set) { $0.append(.objectIdentifier, bytes: [0x55, 0x04, 0x03] as [UInt8]) }
            outer.append(bitString: [0xAB] as [UInt8])
            outer.append(.context0) { _ in }
        }
        #expect(
            writer.bytes == [
                0x30, 0x0D, 0x31, 0x05, 0x06, 0x03, 0x55, 0x04, 0x03, 0x03, 0x02, 0x00, 0xAB, 0xA0, 0x00,
            ]
        )
    }
}
