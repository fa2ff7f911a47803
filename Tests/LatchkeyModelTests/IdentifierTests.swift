import LatchkeyModel
import Testing

@Suite struct `UUID identifiers` {
    @Test(arguments: [
        "00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff",
        "f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "01234567-89ab-cdef-0123-456789abcdef",
    ])
    func `Identifiers can be parsed and printed in the RFC 9562 format`(text: String) throws {
        let identifier = try #require(Identifier(text))

        #expect(identifier.description == text)
        #expect(Identifier(text.uppercased()) == identifier)
        #expect(Identifier(bytes: identifier.bytes) == identifier)
        #expect(identifier.bytes.count == 16)
    }

    @Test func `The bytes of an identifier are in the same order as its digits`() {
        let identifier = Identifier("01234567-89ab-cdef-0123-456789abcdef")

        #expect(
            identifier?.bytes
                == [
                    0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD,
                    0xEF,
                ]
        )
    }

    @Test(arguments: [
        "", "f81d4fae", "f81d4fae7dec11d0a76500a0c91e6bf6", "{f81d4fae-7dec-11d0-a765-00a0c91e6bf6}",
        "f81d4fae-7dec-11d0-a765-00a0c91e6bf", "f81d4fae-7dec-11d0-a765-00a0c91e6bf6a",
        "f81d4fae-7dec-11d0-a765-00a0c91e6bf6-", "f81d4fae-7dec-11d0-a765-00a0c91e6bfg",
        "f81d4fae7-dec-11d0-a765-00a0c91e6bf6", "f81d4fae-7dec-11d0-a765-00a0c91e6b\u{660}",
        " f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "f81d4fae-7dec-11d0-a765-00a0c91e6bf6\n",
    ])
    func `Text that is not a UUID is rejected`(text: String) {
        #expect(Identifier(text) == nil)
    }

    @Test(arguments: [0, 15, 17])
    func `Any number of bytes other than 16 is rejected`(count: Int) {
        #expect(Identifier(bytes: [UInt8](repeating: 1, count: count)) == nil)
    }

    @Test func `New identifiers are random version 4 UUIDs by default`() {
        let made = (0..<1000).map { _ in Identifier() }

        #expect(Set(made).count == 1000)
        #expect(made.allSatisfy { $0.bytes[6] >> 4 == 4 && $0.bytes[8] >> 6 == 0b10 })
        // The remaining bits are random, so each of them is 0 in some identifiers and 1 in others.
        let ones = made.reduce((0, 0) as (UInt64, UInt64)) { ($0.0 | $1.high, $0.1 | $1.low) }
        let zeros = made.reduce((0, 0) as (UInt64, UInt64)) { ($0.0 | ~$1.high, $0.1 | ~$1.low) }
        #expect(ones == (0xFFFF_FFFF_FFFF_4FFF, 0xBFFF_FFFF_FFFF_FFFF))
        #expect(zeros == (0xFFFF_FFFF_FFFF_BFFF, 0x7FFF_FFFF_FFFF_FFFF))
    }
}
