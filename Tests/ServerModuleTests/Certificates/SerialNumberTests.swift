import LatchkeyAccounts
import Testing

@Suite struct `Serial numbers` {
    @Test(
        arguments: [
            ("0a", [10]), ("A", [10]), ("0A:FF", [10, 255]), ("00000a", [10]), ("fF00", [255, 0]),
        ] as [(String, [UInt8])]
    )
    func `Serial numbers can be parsed in the formats that other tools use`(text: String, bytes: [UInt8]) {
        #expect(SerialNumber(text)?.bytes == bytes)
    }

    @Test(arguments: ["", ":", "xy", "0x0a", "１", "+1", String(repeating: "a", count: 65)])
    func `Malformed serial numbers can't be parsed`(text: String) {
        #expect(SerialNumber(text) == nil)
    }

    @Test func `Serial numbers are written in lower case`() {
        #expect(SerialNumber(bytes: [0, 171, 5]).description == "ab05")
    }
}
