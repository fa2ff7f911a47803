/// The SHA-256 hash function (FIPS 180-4) in pure Swift, for modules that don't link a C library.
package enum SHA256Hash {
    /// The length of a hash in bytes.
    package static let byteCount = 32

    private static let blockSize = 64

    /// Returns the SHA-256 hash of the given bytes.
    package static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var state = initialState
        var words = [UInt32](repeating: 0, count: 64)
        var start = 0
        while bytes.count - start >= blockSize {
            mix(bytes[start..<(start + blockSize)], into: &state, schedule: &words)
            start += blockSize
        }
        // Pad the remaining bytes with a 1 bit and zeros up to the last eight bytes of a block, then append
        // the length in bits.
        var last = Array(bytes[start...])
        last.append(0x80)
        while last.count % blockSize != blockSize - 8 { last.append(0) }
        let bits = UInt64(bytes.count) * 8
        for shift in stride(from: 56, through: 0, by: -8) {
            last.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift)))
        }
        for block in stride(from: 0, to: last.count, by: blockSize) {
            mix(last[block..<(block + blockSize)], into: &state, schedule: &words)
        }
        return state.flatMap { word in
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) }
        }
    }

    /// Processes a 64-byte block (FIPS 180-4, section 6.2.2).
    ///
    /// - Parameters:
    ///   - block: The 64 bytes to process.
    ///   - state: The intermediate hash value, which is updated in place.
    ///   - words: Scratch space for 64 words, which is reused so that we don't have to allocate memory for
    ///     every block.
    private static func mix(
        _ block: ArraySlice<UInt8>,
        into state: inout [UInt32],
        schedule words: inout [UInt32]
    ) {
        var place = block.startIndex
        for index in 0..<16 {
            words[index] =
                UInt32(block[place]) << 24 | UInt32(block[place + 1]) << 16
                | UInt32(block[place + 2]) << 8 | UInt32(block[place + 3])
            place += 4
        }
        for index in 16..<64 {
            let (old, new) = (words[index - 15], words[index - 2])
            let small0 = rotate(old, by: 7) ^ rotate(old, by: 18) ^ old >> 3
            let small1 = rotate(new, by: 17) ^ rotate(new, by: 19) ^ new >> 10
            words[index] = words[index - 16] &+ small0 &+ words[index - 7] &+ small1
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for index in 0..<64 {
            let big1 = rotate(e, by: 6) ^ rotate(e, by: 11) ^ rotate(e, by: 25)
            let choice = (e & f) ^ (~e & g)
            let first = h &+ big1 &+ choice &+ constants[index] &+ words[index]
            let big0 = rotate(a, by: 2) ^ rotate(a, by: 13) ^ rotate(a, by: 22)
            let majority = (a & b) ^ (a & c) ^ (b & c)
            (h, g, f, e) = (g, f, e, d &+ first)
            (d, c, b, a) = (c, b, a, first &+ big0 &+ majority)
        }
        for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
    }

    private static func rotate(_ word: UInt32, by count: UInt32) -> UInt32 {
        word >> count | word << (32 - count)
    }

    // FIPS 180-4, section 5.3.3.
    private static let initialState: [UInt32] = [
        0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB,
        0x5BE0_CD19,
    ]

    // FIPS 180-4, section 4.2.2.
    private static let constants: [UInt32] = [
        0x428A_2F98, 0x7137_4491, 0xB5C0_FBCF, 0xE9B5_DBA5, 0x3956_C25B, 0x59F1_11F1, 0x923F_82A4,
        0xAB1C_5ED5, 0xD807_AA98, 0x1283_5B01, 0x2431_85BE, 0x550C_7DC3, 0x72BE_5D74, 0x80DE_B1FE,
        0x9BDC_06A7, 0xC19B_F174, 0xE49B_69C1, 0xEFBE_4786, 0x0FC1_9DC6, 0x240C_A1CC, 0x2DE9_2C6F,
        0x4A74_84AA, 0x5CB0_A9DC, 0x76F9_88DA, 0x983E_5152, 0xA831_C66D, 0xB003_27C8, 0xBF59_7FC7,
        0xC6E0_0BF3, 0xD5A7_9147, 0x06CA_6351, 0x1429_2967, 0x27B7_0A85, 0x2E1B_2138, 0x4D2C_6DFC,
        0x5338_0D13, 0x650A_7354, 0x766A_0ABB, 0x81C2_C92E, 0x9272_2C85, 0xA2BF_E8A1, 0xA81A_664B,
        0xC24B_8B70, 0xC76C_51A3, 0xD192_E819, 0xD699_0624, 0xF40E_3585, 0x106A_A070, 0x19A4_C116,
        0x1E37_6C08, 0x2748_774C, 0x34B0_BCB5, 0x391C_0CB3, 0x4ED8_AA4A, 0x5B9C_CA4F, 0x682E_6FF3,
        0x748F_82EE, 0x78A5_636F, 0x84C8_7814, 0x8CC7_0208, 0x90BE_FFFA, 0xA450_6CEB, 0xBEF9_A3F7,
        0xC671_78F2,
    ]
}
