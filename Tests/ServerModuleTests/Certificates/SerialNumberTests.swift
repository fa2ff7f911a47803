import LatchkeyAccounts
import Testing

@Suite struct `Serial number` {
    @Test(
        arguments: [
            ("0a", [10]), ("A", [10]), ("0A:FF", [10, 255]), ("00000a", [10]), ("fF00", [255, 0]),
        ] as [(String, [UInt8])]
    )
    func `is parsed in the notations of other tools`(text: String, bytes: [UInt8]) {
        #expect(SerialNumber(text)?.bytes == bytes)
    }

    @Test(arguments: ["", ":", "xy", "0x0a", "１", "+1", String(repeating: "a", count: 65)])
    func `is not parsed from texts in other formats`(text: String) {
        #expect(SerialNumber(text) == nil)
    }

    @Test func `is written in lower case`() {
        #expect(SerialNumber(bytes: [0, 171, 5]).description == "ab05")
    }
}
