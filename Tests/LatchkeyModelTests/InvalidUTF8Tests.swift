import LatchkeyModel
import Testing

@Suite struct `Text in UTF-8` {
    @Test(arguments: ["", "a", "é\0", "\u{FFFD}", "🔑 Passwort", "\u{FEFF}a", "e\u{301}"])
    func `Valid bytes are kept unchanged`(text: String) throws {
        #expect(try String(utf8: Array(text.utf8)).utf8.elementsEqual(text.utf8))
    }

    @Test(
        arguments: [
            ([0xFF], 0), ([0x41, 0xE9], 1), ([0xC3, 0xA9, 0xC3], 2), ([0x41, 0xED, 0xA0, 0x80], 1),
            ([0xC0, 0x80], 0),
            ([0xEF, 0xBF, 0xBD, 0xEF, 0xBF], 3), ([0xF4, 0x90, 0x80, 0x80], 0), ([0xEF, 0x41], 0),
        ] as [([UInt8], Int)]
    )
    func `Other bytes are rejected with the offset of the first one`(bytes: [UInt8], offset: Int) {
        #expect(throws: InvalidUTF8(offset: offset)) { try String(utf8: bytes) }
        #expect(throws: InvalidUTF8(offset: offset)) { try String(utf8: ([0x20] + bytes).dropFirst()) }
    }

    @Test(arguments: [
        ("\u{FEFF}a", "a"), ("a\u{FEFF}", "a\u{FEFF}"), ("\u{FEFF}\u{FEFF}", "\u{FEFF}"), ("", ""),
    ])
    func `Only a byte-order mark at the start is skipped`(text: String, rest: String) throws {
        #expect(try String(utf8: Array(text.utf8).withoutByteOrderMark).utf8.elementsEqual(rest.utf8))
    }
}
